package io.lowkiq.redis;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lowkiq.StoreException;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/** Calls a script for many shards at once, for one shard in order. For one thread. */
final class PipelinedCalls {

	static final int MAX_UNDER_WAY = 1_000;

	/** Bounds the memory of calls that were sent and not answered. */
	private static final long MAX_BYTES = 16 << 20;

	private final BiFunction<Shard, byte[][], Supplier<Reply>> begin;

	private final int maxUnderWay;

	private final Consumer<Reply> answers;

	private final BiConsumer<Integer, StoreException> problems;

	private final Map<Shard, UnderWay> underWay = new LinkedHashMap<>();

	private final Map<Shard, StoreException> failed = new HashMap<>();

	private int count;

	private long bytes;

	/** Problems get the number of the call, from 0 on; if they throw, nothing follows. */
	PipelinedCalls(BiFunction<Shard, byte[][], Supplier<Reply>> begin, int maxUnderWay, Consumer<Reply> answers,
			BiConsumer<Integer, StoreException> problems) {
		this.begin = begin;
		this.maxUnderWay = maxUnderWay;
		this.answers = answers;
		this.problems = problems;
	}

	/** Makes the next call, unless one for its shard has failed. */
	void add(Shard shard, byte[]... arguments) {
		int number = this.count++;
		settle(this.underWay.remove(shard));
		StoreException problem = this.failed.get(shard);
		if (problem != null) {
			this.problems.accept(number, problem);
			return;
		}
		long size = 0;
		for (byte[] argument : arguments) {
			size += argument.length;
		}
		while (!this.underWay.isEmpty()
				&& (this.underWay.size() >= this.maxUnderWay || this.bytes + size > MAX_BYTES)) {
			settle(this.underWay.remove(this.underWay.keySet().iterator().next()));
		}
		this.underWay.put(shard, new UnderWay(number, shard, size, this.begin.apply(shard, arguments)));
		this.bytes += size;
	}

	/** Waits for the calls that are under way. */
	void end() {
		this.underWay.values().forEach(this::settle);
	}

	private void settle(@Nullable UnderWay call) {
		if (call == null) {
			return;
		}
		this.bytes -= call.size();
		try {
			this.answers.accept(call.reply().get());
		}
		catch (StoreException ex) {
			this.failed.put(call.shard(), ex);
			this.problems.accept(call.number(), ex);
		}
	}

	private record UnderWay(int number, Shard shard, long size, Supplier<Reply> reply) {
	}

}
