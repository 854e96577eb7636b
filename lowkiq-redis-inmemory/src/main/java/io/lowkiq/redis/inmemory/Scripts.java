package io.lowkiq.redis.inmemory;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.lowkiq.redis.call.LuaScript;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.Lua;
import org.luaj.vm2.LuaClosure;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Prototype;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.compiler.LuaC;

/** Runs scripts. Guarded by the lock of the server. */
final class Scripts {

	/** By digest: many servers run the same scripts. Never changed once in here. */
	private static final Map<String, Prototype> COMPILED = new ConcurrentHashMap<>();

	/** As some hosts of Redis refuse more; Redis itself allows a million. */
	private static final int MAX_ARGUMENTS = 3_999;

	private final Commands commands;

	private final Faults faults;

	private final Supplier<Keyspace> keyspace;

	private final LuaLibraries.Sandbox sandbox;

	private final Map<String, Prototype> known = new HashMap<>();

	private Set<Integer> slots = Set.of();

	private boolean hasWritten;

	Scripts(Commands commands, Faults faults, Supplier<Keyspace> keyspace) {
		this.commands = commands;
		this.faults = faults;
		this.keyspace = keyspace;
		this.sandbox = LuaLibraries.create(this::call, this::pcall);
	}

	void forgetAll() {
		this.known.clear();
	}

	String load(byte[] text) {
		String sha = LuaScript.sha(text);
		this.known.put(sha, COMPILED.computeIfAbsent(sha, (unknown) -> compile(text)));
		return sha;
	}

	private static Prototype compile(byte[] text) {
		try {
			Prototype script = LuaC.instance.compile(new ByteArrayInputStream(text), "@user_script");
			keepFrames(script);
			return script;
		}
		catch (LuaError ex) {
			throw new RedisErrorException("ERR Error compiling script (new function): " + ex.getMessage());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Makes tail calls ordinary ones: LuaJ loses the line of an error in them. */
	private static void keepFrames(Prototype function) {
		for (int i = 0; i < function.code.length; i++) {
			if (Lua.GET_OPCODE(function.code[i]) == Lua.OP_TAILCALL) {
				function.code[i] = function.code[i] - Lua.OP_TAILCALL + Lua.OP_CALL;
			}
		}
		for (Prototype inner : function.p) {
			keepFrames(inner);
		}
	}

	@Nullable Object run(String sha, List<LuaString> keys, List<LuaString> arguments) {
		Prototype script = this.known.get(sha);
		if (script == null) {
			throw new RedisErrorException("NOSCRIPT No matching script. Please use EVAL.");
		}
		this.slots = Slots.all(keys);
		this.hasWritten = false;
		this.sandbox.rawset("KEYS", LuaValue.listOf(keys.toArray(LuaValue[]::new)));
		this.sandbox.rawset("ARGV", LuaValue.listOf(arguments.toArray(LuaValue[]::new)));
		try {
			return toReply(new LuaClosure(script, this.sandbox).call());
		}
		catch (LuaError ex) {
			throw ScriptError.reply(ex, sha);
		}
	}

	private Varargs call(Varargs arguments) {
		Object reply;
		try {
			reply = execute(arguments);
		}
		catch (RedisErrorException ex) {
			throw new ScriptError(ScriptError.table("err", String.valueOf(ex.getMessage())));
		}
		return toLua(reply);
	}

	private Varargs pcall(Varargs arguments) {
		try {
			return call(arguments);
		}
		catch (ScriptError ex) {
			return ScriptError.value(ex);
		}
	}

	private @Nullable Object execute(Varargs arguments) {
		int count = arguments.narg();
		if (count == 0) {
			throw new RedisErrorException("ERR Please specify at least one argument for this redis.call");
		}
		LuaString[] values = new LuaString[count];
		for (int i = 0; i < count; i++) {
			LuaValue value = arguments.arg(i + 1);
			if (value instanceof LuaString text) {
				values[i] = text;
			}
			else if (value.type() == LuaValue.TNUMBER) {
				values[i] = Commands.bytes(value.todouble());
			}
			else {
				throw new RedisErrorException("ERR Lua redis lib command arguments must be strings or integers");
			}
		}
		return execute(new Arguments(values));
	}

	private @Nullable Object execute(Arguments arguments) {
		Command command = this.commands.find(arguments);
		if (command == null) {
			throw new RedisErrorException("ERR Unknown Redis command called from script");
		}
		if (!command.isArity(arguments.count())) {
			throw new RedisErrorException("ERR Wrong number of args calling Redis command from script");
		}
		if (arguments.count() > MAX_ARGUMENTS) {
			throw new RedisErrorException("ERR too many arguments");
		}
		if (command.keys().of(arguments).stream().anyMatch((key) -> !this.slots.contains(Slots.of(key)))) {
			throw new RedisErrorException("ERR Script attempted to access keys that do not hash to the same slot");
		}
		// When the memory is full, the first write of a script decides
		if (!this.hasWritten) {
			this.faults.checkMemory(command.access());
		}
		this.hasWritten |= command.access() != Command.Access.READS;
		return command.action().execute(this.keyspace.get(), arguments);
	}

	private static LuaValue toLua(@Nullable Object reply) {
		if (reply instanceof LuaString text) {
			return text;
		}
		if (reply instanceof Long number) {
			return LuaValue.valueOf((double) number);
		}
		if (reply instanceof Status status) {
			return ScriptError.table("ok", status.text());
		}
		if (reply instanceof List<?> list) {
			LuaTable table = new LuaTable(list.size(), 0);
			for (int i = 0; i < list.size(); i++) {
				table.rawset(i + 1, toLua(list.get(i)));
			}
			return table;
		}
		return LuaValue.FALSE;
	}

	private static @Nullable Object toReply(LuaValue value) {
		return switch (value.type()) {
			case LuaValue.TSTRING -> value;
			case LuaValue.TNUMBER -> toLong(value.todouble());
			case LuaValue.TBOOLEAN -> value.toboolean() ? Long.valueOf(1) : null;
			case LuaValue.TTABLE -> toReply(value.checktable());
			default -> null;
		};
	}

	/** As C casts a number. */
	private static long toLong(double number) {
		return (number >= -0x1p63 && number < 0x1p63) ? (long) number : Long.MIN_VALUE;
	}

	private static Object toReply(LuaTable table) {
		String error = ScriptError.message(table);
		if (error != null) {
			throw new RedisErrorException(error);
		}
		if (table.rawget("ok").isstring()) {
			return new Status(table.rawget("ok").tojstring());
		}
		List<@Nullable Object> list = new ArrayList<>(table.length());
		for (int i = 1; !table.rawget(i).isnil(); i++) {
			list.add(toReply(table.rawget(i)));
		}
		return list;
	}

}
