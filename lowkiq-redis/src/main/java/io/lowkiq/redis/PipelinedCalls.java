package io.lowkiq.redis;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lowkiq.StoreException;
import io.lowkiq.redis.ShardScripts.ShardCall;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/** Calls a script for many shards at once, for one shard in order. For one thread. */
final class PipelinedCalls {

	static final int MAX_UNDER_WAY = 1_000;

	/** Bounds the memory of calls that were sent and not answered. */
	private static final long MAX_BYTES = 16 << 20;

	private final Function<ShardCall, Supplier<Reply>> begin;

	private final int maxUnderWay;

	private final Map<Shard, UnderWay> underWay = new LinkedHashMap<>();

	private final Map<Shard, StoreException> failed = new HashMap<>();

	private long bytes;

	PipelinedCalls(Function<ShardCall, Supplier<Reply>> begin, int maxUnderWay) {
		this.begin = begin;
		this.maxUnderWay = maxUnderWay;
	}

	/** Problems get the number of the call, from 0 on; if they throw, the run ends. */
	void run(Iterator<ShardCall> calls, Consumer<Reply> answers, BiConsumer<Integer, StoreException> problems) {
		for (int number = 0; calls.hasNext(); number++) {
			ShardCall call = calls.next();
			settle(this.underWay.remove(call.shard()), answers, problems);
			StoreException problem = this.failed.get(call.shard());
			if (problem != null) {
				problems.accept(number, problem);
				continue;
			}
			while (isFull(call)) {
				settle(this.underWay.remove(this.underWay.keySet().iterator().next()), answers, problems);
			}
			this.underWay.put(call.shard(), new UnderWay(number, call, this.begin.apply(call)));
			this.bytes += call.bytes();
		}
		this.underWay.values().forEach((each) -> settle(each, answers, problems));
	}

	private boolean isFull(ShardCall next) {
		return !this.underWay.isEmpty()
				&& (this.underWay.size() >= this.maxUnderWay || this.bytes + next.bytes() > MAX_BYTES);
	}

	private void settle(@Nullable UnderWay each, Consumer<Reply> answers,
			BiConsumer<Integer, StoreException> problems) {
		if (each == null) {
			return;
		}
		this.bytes -= each.call().bytes();
		try {
			answers.accept(each.reply().get());
		}
		catch (StoreException ex) {
			this.failed.put(each.call().shard(), ex);
			problems.accept(each.number(), ex);
		}
	}

	private record UnderWay(int number, ShardCall call, Supplier<Reply> reply) {
	}

}
