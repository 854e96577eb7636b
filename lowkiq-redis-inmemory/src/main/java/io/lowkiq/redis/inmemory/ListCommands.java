package io.lowkiq.redis.inmemory;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.redis.inmemory.Command.Access;
import io.lowkiq.redis.inmemory.Command.Keys;
import io.lowkiq.redis.inmemory.RedisValue.Sequence;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;

final class ListCommands {

	private ListCommands() {
	}

	static void addTo(Commands commands) {
		commands.add("llen", 2, Keys.FIRST, Access.READS, (keyspace, a) -> (long) read(keyspace, a).size());
		commands.add("lrange", 4, Keys.FIRST, Access.READS, ListCommands::lrange);
		commands.add("lindex", 3, Keys.FIRST, Access.READS, ListCommands::lindex);
		commands.add("lpos", -3, Keys.FIRST, Access.READS, ListCommands::lpos);
		commands.add("rpush", -3, Keys.FIRST, Access.WRITES_MORE, ListCommands::rpush);
		commands.add("lpush", -3, Keys.FIRST, Access.WRITES_MORE, ListCommands::lpush);
		commands.add("ltrim", 4, Keys.FIRST, Access.WRITES, ListCommands::ltrim);
	}

	private static Sequence read(Keyspace keyspace, Arguments arguments) {
		Sequence list = keyspace.find(arguments.get(1), Sequence.class);
		return (list != null) ? list : new Sequence();
	}

	/** The range that the second and third argument mean; a view. */
	private static List<LuaString> range(Sequence list, Arguments arguments) {
		long first = Math.max(0, arguments.position(2, list.size()));
		long last = Math.min(list.size() - 1, arguments.position(3, list.size()));
		return (first <= last) ? list.subList((int) first, (int) last + 1) : List.of();
	}

	private static List<LuaString> lrange(Keyspace keyspace, Arguments arguments) {
		arguments.integer(2);
		arguments.integer(3);
		return new ArrayList<>(range(read(keyspace, arguments), arguments));
	}

	private static @Nullable LuaString lindex(Keyspace keyspace, Arguments arguments) {
		Sequence list = read(keyspace, arguments);
		if (list.isEmpty()) {
			return null;
		}
		long index = arguments.position(2, list.size());
		return (index >= 0 && index < list.size()) ? list.get((int) index) : null;
	}

	private static @Nullable Long lpos(Keyspace keyspace, Arguments arguments) {
		Long most = 0L;
		if (arguments.count() == 5 && arguments.is(3, "MAXLEN")) {
			most = Numbers.parseInteger(arguments.text(4));
		}
		else if (arguments.count() != 3) {
			throw RedisErrorException.unsupported("options of LPOS other than MAXLEN");
		}
		if (most == null || most < 0) {
			throw new RedisErrorException("ERR MAXLEN can't be negative");
		}
		Sequence list = read(keyspace, arguments);
		long index = list.subList(0, (most > 0) ? (int) Math.min(most, list.size()) : list.size())
			.indexOf(arguments.get(2));
		return (index >= 0) ? index : null;
	}

	private static long rpush(Keyspace keyspace, Arguments arguments) {
		Sequence list = keyspace.findOrCreate(arguments.get(1), Sequence.class, Sequence::new);
		list.addAll(List.of(arguments.values()).subList(2, arguments.count()));
		return list.size();
	}

	private static long lpush(Keyspace keyspace, Arguments arguments) {
		Sequence list = keyspace.findOrCreate(arguments.get(1), Sequence.class, Sequence::new);
		for (LuaString value : List.of(arguments.values()).subList(2, arguments.count())) {
			list.add(0, value);
		}
		return list.size();
	}

	private static Status ltrim(Keyspace keyspace, Arguments arguments) {
		arguments.integer(2);
		arguments.integer(3);
		Sequence list = read(keyspace, arguments);
		List<LuaString> kept = range(list, arguments);
		if (kept.isEmpty()) {
			list.clear();
		}
		else {
			int first = (int) Math.max(0, arguments.position(2, list.size()));
			list.subList(first + kept.size(), list.size()).clear();
			list.subList(0, first).clear();
		}
		keyspace.tidy(arguments.get(1), list);
		return Status.OK;
	}

}
