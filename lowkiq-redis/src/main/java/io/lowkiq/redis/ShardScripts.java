package io.lowkiq.redis;

import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

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
		return begin(script, shard, arguments).get();
	}

	private Supplier<Reply> begin(LuaScript script, Shard shard, byte[]... arguments) {
		return begin(script, this.keys.of(shard), arguments);
	}

	/** Runs a script that has more keys than those of its shard. */
	Supplier<Reply> begin(LuaScript script, byte[][] keyNames, byte[]... arguments) {
		return this.caller.begin(script, keyNames, this.clock.before(arguments));
	}

	/**
	 * Up to the first problem. Of one shard, one call is under way at a time, so they
	 * keep their order.
	 */
	void runAll(LuaScript script, Iterator<ShardCall> calls, Consumer<Reply> answers) {
		new PipelinedCalls((call) -> begin(script, call.shard(), call.arguments()), MAX_UNDER_WAY).run(calls, answers,
				(number, problem) -> {
					throw problem;
				});
	}

	/** As {@link #runAll}, but also if there are problems with some shards. */
	Map<Integer, StoreException> runEach(LuaScript script, Iterator<ShardCall> calls, Consumer<Reply> answers) {
		return runEach((call) -> begin(script, call.shard(), call.arguments()), calls, answers);
	}

	/** As the other one, with calls of any kind. */
	static Map<Integer, StoreException> runEach(Function<ShardCall, Supplier<Reply>> begin, Iterator<ShardCall> calls,
			Consumer<Reply> answers) {
		Map<Integer, StoreException> problems = new TreeMap<>();
		new PipelinedCalls(begin, PipelinedCalls.MAX_UNDER_WAY).run(calls, answers, problems::put);
		return problems;
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

	@SuppressWarnings("ArrayRecordComponent")
	record ShardCall(Shard shard, byte[]... arguments) {

		long bytes() {
			return Stream.of(this.arguments).mapToLong((argument) -> argument.length).sum();
		}

	}

}
