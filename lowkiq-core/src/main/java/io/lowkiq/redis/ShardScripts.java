package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Runs the scripts of shards: adds the shard's keys and the time. Thread-safe.
 */
final class ShardScripts {

	/** Bounds the memory of calls that were sent and not answered. */
	private static final int MOST_UNDER_WAY = 16;

	private final ScriptCaller runner;

	private final ShardKeys keys;

	private final StoreClock clock;

	ShardScripts(ScriptCaller runner, ShardKeys keys, StoreClock clock) {
		this.runner = runner;
		this.keys = keys;
		this.clock = clock;
	}

	Reply run(LuaScript script, Shard shard, byte[]... arguments) {
		return this.runner.run(script, this.keys.of(shard), withTime(arguments));
	}

	/**
	 * Runs a task in the calling thread, which may get a connection of its own meanwhile.
	 * @param threads how many threads do so at a time
	 * @param task runs scripts, one after the other
	 */
	void runAttached(int threads, Runnable task) {
		this.runner.runAttached(threads, task);
	}

	/** An answer could not be right: the connection is closed. */
	void leave() {
		this.runner.leave();
	}

	/**
	 * Runs a script once for each of many arguments. No two calls of one shard are under
	 * way at a time, so that their order is that of the list.
	 * @param script the script
	 * @param calls the shards and arguments
	 * @param answers gets every answer; if each shard is called once, in their order
	 */
	void runAll(LuaScript script, Iterable<ShardCall> calls, Consumer<Reply> answers) {
		this.runner.concurrently("script " + script.name(), (scripts) -> {
			Map<Shard, Supplier<Reply>> underWay = new LinkedHashMap<>();
			for (ShardCall call : calls) {
				settle(underWay.remove(call.shard()), answers);
				if (underWay.size() >= MOST_UNDER_WAY) {
					settle(underWay.remove(underWay.keySet().iterator().next()), answers);
				}
				underWay.put(call.shard(),
						scripts.start(script, this.keys.of(call.shard()), withTime(call.arguments())));
			}
			underWay.values().forEach((call) -> settle(call, answers));
			return true;
		});
	}

	private static void settle(@Nullable Supplier<Reply> call, Consumer<Reply> answers) {
		if (call != null) {
			answers.accept(call.get());
		}
	}

	private List<byte[]> withTime(byte[]... arguments) {
		List<byte[]> all = new ArrayList<>(arguments.length + 1);
		all.add(this.clock.now());
		all.addAll(List.of(arguments));
		return all;
	}

	/**
	 * A string as an argument.
	 * @param text the string
	 * @return the argument
	 */
	static byte[] argument(String text) {
		return ShardKeys.bytes(text);
	}

	/**
	 * A whole number as an argument.
	 * @param number the number
	 * @return the argument
	 */
	static byte[] argument(long number) {
		return ShardKeys.bytes(Long.toString(number));
	}

	/**
	 * A truth value as an argument.
	 * @param flag the value
	 * @return the argument
	 */
	static byte[] argument(boolean flag) {
		return ShardKeys.bytes(flag ? "1" : "");
	}

	/**
	 * One call of a script.
	 *
	 * @param shard the shard
	 * @param arguments the arguments after the time
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record ShardCall(Shard shard, byte[]... arguments) {
	}

}
