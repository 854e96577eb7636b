package io.lowkiq.redis;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lowkiq.StoreException;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.redis.call.ScriptCaller;
import io.lowkiq.redis.wire.Utf8;
import io.lowkiq.store.job.Shard;

/**
 * Runs scripts with a shard's keys and the time, for a thread that waits. Thread-safe.
 */
final class ShardScripts {

	/** So that Redis has time for others in between. */
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
		return begin(script, this.keys.of(shard), arguments).get();
	}

	/** Runs a script that has more keys than those of its shard. */
	Supplier<Reply> begin(LuaScript script, byte[][] keyNames, byte[]... arguments) {
		return this.caller.begin(script, keyNames, this.clock.before(arguments));
	}

	/** For many shards, up to the first problem. */
	void runAll(LuaScript script, List<Shard> shards, Consumer<Reply> answers, byte[]... arguments) {
		run(script, shards, MAX_UNDER_WAY, answers, (number, problem) -> {
			throw problem;
		}, arguments);
	}

	/** As {@link #runAll}, but also if there are problems with some shards. */
	Map<Integer, StoreException> runEach(LuaScript script, List<Shard> shards, Consumer<Reply> answers,
			byte[]... arguments) {
		Map<Integer, StoreException> problems = new TreeMap<>();
		run(script, shards, PipelinedCalls.MAX_UNDER_WAY, answers, problems::put, arguments);
		return problems;
	}

	private void run(LuaScript script, List<Shard> shards, int maxUnderWay, Consumer<Reply> answers,
			BiConsumer<Integer, StoreException> problems, byte[]... arguments) {
		PipelinedCalls calls = new PipelinedCalls((shard, all) -> begin(script, this.keys.of(shard), all), maxUnderWay,
				answers, problems);
		shards.forEach((shard) -> calls.add(shard, arguments));
		calls.end();
	}

	static byte[] argument(String text) {
		return Utf8.bytes(text);
	}

	static byte[] argument(long number) {
		return Utf8.bytes(Long.toString(number));
	}

	static byte[] argument(boolean flag) {
		return Utf8.bytes(flag ? "1" : "");
	}

}
