package io.lowkiq.redis;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.redis.call.ScriptCaller;
import io.lowkiq.redis.wire.Utf8;
import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Runs the scripts of shards for a thread that waits: adds the shard's keys and the time.
 * Thread-safe.
 */
final class ShardScripts {

	/** Bounds the memory of calls that were sent and not answered. */
	private static final int MAX_UNDER_WAY = 16;

	private final ScriptCaller caller;

	private final ShardKeys keys;

	private final StoreClock clock;

	ShardScripts(ScriptCaller caller, ShardKeys keys, StoreClock clock) {
		this.caller = caller;
		this.keys = keys;
		this.clock = clock;
	}

	Reply run(LuaScript script, Shard shard, byte[]... arguments) {
		return begin(script, shard, arguments).get();
	}

	private Supplier<Reply> begin(LuaScript script, Shard shard, byte[]... arguments) {
		return this.caller.begin(script, this.keys.of(shard), this.clock.before(arguments));
	}

	/**
	 * Runs a script once for each of many arguments. No two calls of one shard are under
	 * way at a time, so that their order is that of the list.
	 * @param script the script
	 * @param calls the shards and arguments
	 * @param answers gets every answer; if each shard is called once, in their order
	 */
	void runAll(LuaScript script, Iterator<ShardCall> calls, Consumer<Reply> answers) {
		Map<Shard, Supplier<Reply>> underWay = new LinkedHashMap<>();
		while (calls.hasNext()) {
			ShardCall call = calls.next();
			settle(underWay.remove(call.shard()), answers);
			if (underWay.size() >= MAX_UNDER_WAY) {
				settle(underWay.remove(underWay.keySet().iterator().next()), answers);
			}
			underWay.put(call.shard(), begin(script, call.shard(), call.arguments()));
		}
		underWay.values().forEach((call) -> settle(call, answers));
	}

	private static void settle(@Nullable Supplier<Reply> call, Consumer<Reply> answers) {
		if (call != null) {
			answers.accept(call.get());
		}
	}

	/** A string as an argument. */
	static byte[] argument(String text) {
		return Utf8.bytes(text);
	}

	/** A whole number as an argument. */
	static byte[] argument(long number) {
		return Utf8.bytes(Long.toString(number));
	}

	/** A truth value as an argument. */
	static byte[] argument(boolean flag) {
		return Utf8.bytes(flag ? "1" : "");
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
