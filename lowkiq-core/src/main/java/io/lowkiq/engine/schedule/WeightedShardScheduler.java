package io.lowkiq.engine.schedule;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntUnaryOperator;
import java.util.function.ToIntFunction;

import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Picks at random, each queue that has due shards by its weight, then the shard of that
 * queue whose oldest due job has waited longest.
 */
public final class WeightedShardScheduler implements ShardScheduler {

	private final ToIntFunction<String> weightOfQueue;

	private final IntUnaryOperator random;

	public WeightedShardScheduler(ToIntFunction<String> weightOfQueue) {
		this(weightOfQueue, (bound) -> ThreadLocalRandom.current().nextInt(bound));
	}

	public WeightedShardScheduler(ToIntFunction<String> weightOfQueue, IntUnaryOperator random) {
		this.weightOfQueue = weightOfQueue;
		this.random = random;
	}

	@Override
	public Candidate choose(List<Candidate> due, @Nullable Shard last) {
		List<String> queues = due.stream().map((candidate) -> candidate.shard().queue()).distinct().toList();
		int drawn = this.random.applyAsInt(queues.stream().mapToInt(this::weight).sum());
		int place = 0;
		while (place < queues.size() - 1 && drawn >= weight(queues.get(place))) {
			drawn -= weight(queues.get(place++));
		}
		String queue = queues.get(place);
		return due.stream()
			.filter((candidate) -> candidate.shard().queue().equals(queue))
			.min(Comparator.comparingLong(Candidate::oldest))
			.orElseThrow();
	}

	private int weight(String queue) {
		return Math.max(1, this.weightOfQueue.applyAsInt(queue));
	}

}
