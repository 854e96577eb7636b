package io.lowkiq.redis;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lowkiq.store.StoreException;

/**
 * Calls scripts on Redis. Thread-safe.
 */
interface ScriptCaller {

	/**
	 * Runs a script.
	 * @param script the script, which answers with an array
	 * @param keys its keys
	 * @param arguments its arguments
	 * @return the answer
	 * @throws StoreException if it is not certain what happened
	 */
	Reply run(LuaScript script, List<byte[]> keys, List<byte[]> arguments);

	/**
	 * Runs scripts of which several may be under way at a time; here, each when its
	 * answer is waited for.
	 * @param <T> the type of the answer
	 * @param what the calls, for the message of an exception
	 * @param calls starts scripts and waits for their answers
	 * @return the answer
	 * @throws StoreException if it is not certain what happened
	 */
	default <T> T concurrently(String what, Function<Starter, T> calls) {
		return calls.apply((script, keys, arguments) -> () -> run(script, keys, arguments));
	}

	/**
	 * Runs a task in the calling thread, which may get a connection of its own meanwhile.
	 * @param threads how many threads do so at a time
	 * @param task runs scripts, one after the other
	 */
	default void runAttached(int threads, Runnable task) {
		task.run();
	}

	/**
	 * An answer could not be right: a connection, the next best, is closed.
	 */
	default void leave() {
	}

	/**
	 * Starts scripts.
	 */
	interface Starter {

		/**
		 * Starts a script.
		 * @param script the script
		 * @param keys its keys
		 * @param arguments its arguments
		 * @return waits for the answer; to be asked once
		 */
		Supplier<Reply> start(LuaScript script, List<byte[]> keys, List<byte[]> arguments);

	}

}
