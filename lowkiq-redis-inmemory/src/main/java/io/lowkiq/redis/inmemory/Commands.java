package io.lowkiq.redis.inmemory;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import io.lowkiq.redis.inmemory.Command.Access;
import io.lowkiq.redis.inmemory.Command.Action;
import io.lowkiq.redis.inmemory.Command.Keys;
import io.lowkiq.redis.inmemory.RedisValue.Text;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;

/** The commands that are known, and those on keys of any type and on strings. */
final class Commands {

	/** By the name in lower and in upper case. */
	private final Map<LuaString, Command> byName = new HashMap<>();

	Commands(Action publish) {
		add("publish", 3, Keys.NONE, Access.READS, publish);
		add("time", 1, Keys.NONE, Access.READS, Commands::time);
		add("exists", -2, Keys.ALL, Access.READS, (keyspace, arguments) -> count(arguments, keyspace::find));
		add("del", -2, Keys.ALL, Access.WRITES, Commands::delete);
		add("unlink", -2, Keys.ALL, Access.WRITES, Commands::delete);
		add("rename", 3, Keys.FIRST_TWO, Access.WRITES, Commands::rename);
		add("persist", 2, Keys.FIRST, Access.WRITES, Commands::persist);
		add("pexpire", 3, Keys.FIRST, Access.WRITES, Commands::pexpire);
		add("pttl", 2, Keys.FIRST, Access.READS, Commands::pttl);
		add("get", 2, Keys.FIRST, Access.READS, Commands::get);
		add("set", -3, Keys.FIRST, Access.WRITES_MORE, Commands::set);
		HashCommands.addTo(this);
		ListCommands.addTo(this);
		SortedSetCommands.addTo(this);
	}

	void add(String name, int arity, Keys keys, Access access, Action action) {
		Command command = new Command(name, arity, keys, access, action);
		this.byName.put(bytes(name), command);
		this.byName.put(bytes(name.toUpperCase(Locale.ROOT)), command);
	}

	/** Returns null if there is no such command. */
	@Nullable Command find(Arguments arguments) {
		Command command = this.byName.get(arguments.get(0));
		return (command != null) ? command : this.byName.get(bytes(arguments.name()));
	}

	static LuaString bytes(String text) {
		return LuaString.valueUsing(text.getBytes(StandardCharsets.UTF_8));
	}

	static LuaString bytes(double score) {
		return bytes(Numbers.general(score, Numbers.REDIS_DIGITS));
	}

	private static List<LuaString> time(Keyspace keyspace, Arguments arguments) {
		Instant now = keyspace.now();
		return List.of(bytes(Long.toString(now.getEpochSecond())), bytes(Integer.toString(now.getNano() / 1000)));
	}

	private static long count(Arguments arguments, java.util.function.Function<LuaString, @Nullable Object> finder) {
		long count = 0;
		for (int i = 1; i < arguments.count(); i++) {
			count += (finder.apply(arguments.get(i)) != null) ? 1 : 0;
		}
		return count;
	}

	private static long delete(Keyspace keyspace, Arguments arguments) {
		return count(arguments, (key) -> {
			RedisValue found = keyspace.find(key);
			keyspace.remove(key);
			return found;
		});
	}

	private static Status rename(Keyspace keyspace, Arguments arguments) {
		keyspace.rename(arguments.get(1), arguments.get(2));
		return Status.OK;
	}

	private static long persist(Keyspace keyspace, Arguments arguments) {
		return keyspace.expire(arguments.get(1), null) ? 1 : 0;
	}

	private static long pexpire(Keyspace keyspace, Arguments arguments) {
		long millis = arguments.integer(2);
		try {
			long end = Math.addExact(keyspace.now().toEpochMilli(), millis);
			return keyspace.expire(arguments.get(1), end) ? 1 : 0;
		}
		catch (ArithmeticException ex) {
			throw new RedisErrorException("ERR invalid expire time in 'pexpire' command");
		}
	}

	private static long pttl(Keyspace keyspace, Arguments arguments) {
		if (keyspace.find(arguments.get(1)) == null) {
			return -2;
		}
		Long end = keyspace.expiration(arguments.get(1));
		return (end != null) ? end - keyspace.now().toEpochMilli() : -1;
	}

	private static @Nullable LuaString get(Keyspace keyspace, Arguments arguments) {
		Text text = keyspace.find(arguments.get(1), Text.class);
		return (text != null) ? text.bytes() : null;
	}

	private static Status set(Keyspace keyspace, Arguments arguments) {
		if (arguments.count() > 3) {
			throw RedisErrorException.unsupported("options of SET");
		}
		keyspace.put(arguments.get(1), new Text(Objects.requireNonNull(arguments.get(2))));
		return Status.OK;
	}

}
