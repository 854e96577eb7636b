package io.lowkiq.redis.call;

import java.util.function.Supplier;

/** Calls scripts on Redis for a thread that waits for their replies. Thread-safe. */
@FunctionalInterface
public interface ScriptCaller {

	Supplier<Reply> begin(LuaScript script, byte[][] keys, byte[][] arguments);

	/** Runs a script, and throws if it is not certain what happened. */
	default Reply run(LuaScript script, byte[][] keys, byte[][] arguments) {
		return begin(script, keys, arguments).get();
	}

}
