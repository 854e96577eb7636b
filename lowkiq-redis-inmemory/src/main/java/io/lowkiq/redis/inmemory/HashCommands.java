package io.lowkiq.redis.inmemory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.lowkiq.redis.inmemory.Command.Access;
import io.lowkiq.redis.inmemory.Command.Keys;
import io.lowkiq.redis.inmemory.RedisValue.Hash;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;

final class HashCommands {

	private HashCommands() {
	}

	static void addTo(Commands commands) {
		commands.add("hget", 3, Keys.FIRST, Access.READS, (keyspace, a) -> read(keyspace, a).get(a.get(2)));
		commands.add("hmget", -3, Keys.FIRST, Access.READS, HashCommands::hmget);
		commands.add("hlen", 2, Keys.FIRST, Access.READS, (keyspace, a) -> (long) read(keyspace, a).size());
		commands.add("hkeys", 2, Keys.FIRST, Access.READS,
				(keyspace, a) -> new ArrayList<>(read(keyspace, a).keySet()));
		commands.add("hgetall", 2, Keys.FIRST, Access.READS, HashCommands::hgetall);
		commands.add("hscan", -3, Keys.FIRST, Access.READS, HashCommands::hscan);
		commands.add("hrandfield", -2, Keys.FIRST, Access.READS, HashCommands::hrandfield);
		commands.add("hset", -4, Keys.FIRST, Access.WRITES_MORE, HashCommands::hset);
		commands.add("hsetnx", 4, Keys.FIRST, Access.WRITES_MORE, HashCommands::hsetnx);
		commands.add("hincrby", 4, Keys.FIRST, Access.WRITES_MORE, HashCommands::hincrby);
		commands.add("hdel", -3, Keys.FIRST, Access.WRITES, HashCommands::hdel);
	}

	/** The hash of the first key, empty if there is none; not to be written. */
	private static Hash read(Keyspace keyspace, Arguments arguments) {
		Hash hash = keyspace.find(arguments.get(1), Hash.class);
		return (hash != null) ? hash : new Hash();
	}

	private static Hash write(Keyspace keyspace, Arguments arguments) {
		return keyspace.findOrCreate(arguments.get(1), Hash.class, Hash::new);
	}

	private static List<@Nullable LuaString> hmget(Keyspace keyspace, Arguments arguments) {
		Hash hash = read(keyspace, arguments);
		List<@Nullable LuaString> values = new ArrayList<>(arguments.count() - 2);
		for (int i = 2; i < arguments.count(); i++) {
			values.add(hash.get(arguments.get(i)));
		}
		return values;
	}

	private static List<LuaString> hgetall(Keyspace keyspace, Arguments arguments) {
		Hash hash = read(keyspace, arguments);
		return pairs(hash, hash.keySet());
	}

	private static List<LuaString> pairs(Hash hash, Iterable<LuaString> fields) {
		List<LuaString> pairs = new ArrayList<>();
		for (LuaString field : fields) {
			pairs.add(field);
			pairs.add(hash.get(field));
		}
		return pairs;
	}

	/**
	 * In the order of hash codes: a field that stays is found whatever comes and goes.
	 */
	private static List<Object> hscan(Keyspace keyspace, Arguments arguments) {
		String cursor = arguments.text(2);
		if (!cursor.matches("\\d{1,18}")) {
			throw new RedisErrorException("ERR invalid cursor");
		}
		Hash hash = read(keyspace, arguments);
		if (hash.isEmpty()) {
			return List.of(Commands.bytes("0"), List.of());
		}
		long count = 10;
		if (arguments.count() == 5 && arguments.is(3, "COUNT")) {
			count = arguments.integer(4);
		}
		else if (arguments.count() != 3) {
			throw RedisErrorException.unsupported("options of HSCAN other than COUNT");
		}
		if (count < 1) {
			throw RedisErrorException.syntax();
		}
		List<LuaString> rest = hash.keySet()
			.stream()
			.filter((field) -> place(field) >= Long.parseLong(cursor))
			.sorted(Comparator.comparingLong(HashCommands::place))
			.toList();
		int end = (int) Math.min(count, rest.size());
		while (end < rest.size() && place(rest.get(end)) == place(rest.get(end - 1))) {
			end++;
		}
		long next = (end < rest.size()) ? place(rest.get(end)) : 0;
		return List.of(Commands.bytes(Long.toString(next)), pairs(hash, rest.subList(0, end)));
	}

	/** Greater than 0, which is the cursor of the beginning and of the end. */
	private static long place(LuaString field) {
		return (field.hashCode() & 0xffff_ffffL) + 1;
	}

	/** The first fields: as good as any, and the same each time. */
	private static List<LuaString> hrandfield(Keyspace keyspace, Arguments arguments) {
		if (arguments.count() != 3 || arguments.integer(2) < 0) {
			throw RedisErrorException.unsupported("HRANDFIELD without a positive count");
		}
		return read(keyspace, arguments).keySet().stream().limit(arguments.integer(2)).toList();
	}

	private static long hset(Keyspace keyspace, Arguments arguments) {
		if (arguments.count() % 2 != 0) {
			throw RedisErrorException.arity("hset");
		}
		Hash hash = write(keyspace, arguments);
		long added = 0;
		for (int i = 2; i < arguments.count(); i += 2) {
			added += (hash.put(arguments.get(i), arguments.get(i + 1)) == null) ? 1 : 0;
		}
		return added;
	}

	private static long hsetnx(Keyspace keyspace, Arguments arguments) {
		return (write(keyspace, arguments).putIfAbsent(arguments.get(2), arguments.get(3)) == null) ? 1 : 0;
	}

	private static long hincrby(Keyspace keyspace, Arguments arguments) {
		long increment = arguments.integer(3);
		LuaString former = read(keyspace, arguments).get(arguments.get(2));
		Long number = (former != null) ? Numbers.parseInteger(Numbers.text(former)) : Long.valueOf(0);
		if (number == null) {
			throw new RedisErrorException("ERR hash value is not an integer");
		}
		try {
			long sum = Math.addExact(number, increment);
			write(keyspace, arguments).put(arguments.get(2), Commands.bytes(Long.toString(sum)));
			return sum;
		}
		catch (ArithmeticException ex) {
			throw new RedisErrorException("ERR increment or decrement would overflow");
		}
	}

	private static long hdel(Keyspace keyspace, Arguments arguments) {
		Hash hash = read(keyspace, arguments);
		long removed = 0;
		for (int i = 2; i < arguments.count(); i++) {
			removed += (hash.remove(arguments.get(i)) != null) ? 1 : 0;
		}
		keyspace.tidy(arguments.get(1), hash);
		return removed;
	}

}
