package io.lowkiq.redis.inmemory;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;

/** An error with a value: text, or a table with the error of a command. */
final class ScriptError extends LuaError {

	private static final long serialVersionUID = 1L;

	private static final Pattern POSITION = Pattern.compile("^@(\\w+):(\\d+) ");

	private final transient LuaValue value;

	ScriptError(LuaValue value) {
		super(value);
		this.value = value;
	}

	/** As a table, so that a script may look into it. */
	static LuaTable table(String kind, String text) {
		LuaTable table = new LuaTable();
		table.set(kind, Commands.bytes(text));
		return table;
	}

	/** The value that {@code pcall} returns for an error. */
	static LuaValue value(LuaError error) {
		return (error instanceof ScriptError known) ? known.value : LuaValue
			.valueOf(POSITION.matcher(String.valueOf(error.getMessage()).strip()).replaceFirst("$1:$2: "));
	}

	/** The error reply of a script, as Redis 7 words it. */
	static RedisErrorException reply(LuaError error, String sha) {
		LuaValue value = value(error);
		String text = message(value);
		Matcher position = POSITION.matcher(String.valueOf(error.getMessage()));
		String place = position.find() ? ", on @%s:%s.".formatted(position.group(1), position.group(2)) : ".";
		return new RedisErrorException(
				((text != null) ? text : "ERR " + value.tojstring()) + " script: " + sha + place);
	}

	/** The text of an error reply in a table; null if the value is something else. */
	static @Nullable String message(LuaValue value) {
		return value.istable() && value.get("err").isstring() ? value.get("err").tojstring() : null;
	}

}
