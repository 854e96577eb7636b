package io.lowkiq.engine.schedule;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;

import io.lowkiq.engine.schedule.ShardScheduler.Candidate;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ShardSchedulerTests {

	private final Candidate a0 = new Candidate(new Shard("a", 1, 0), 30);

	private final Candidate a1 = new Candidate(new Shard("a", 1, 1), 10);

	private final Candidate b0 = new Candidate(new Shard("b", 1, 0), 20);

	private final List<Candidate> due = List.of(this.a0, this.b0, this.a1);

	@Test
	void lagPicksTheOldest() {
		assertThat(new LagShardScheduler().choose(this.due, null)).isEqualTo(this.a1);
	}

	@Test
	void seqPicksInTurn() {
		SeqShardScheduler scheduler = new SeqShardScheduler();
		assertThat(scheduler.choose(this.due, null)).isEqualTo(this.a0);
		assertThat(scheduler.choose(this.due, this.a0.shard())).isEqualTo(this.a1);
		assertThat(scheduler.choose(this.due, this.a1.shard())).isEqualTo(this.b0);
		assertThat(scheduler.choose(this.due, this.b0.shard())).isEqualTo(this.a0);
		assertThat(scheduler.choose(List.of(this.b0), this.a0.shard())).isEqualTo(this.b0);
	}

	@Test
	void weightedPicksAQueueByItsWeightAndItsOldestShard() {
		Deque<Integer> draws = new ArrayDeque<>(List.of(0, 2, 3));
		WeightedShardScheduler scheduler = new WeightedShardScheduler((queue) -> Map.of("a", 3, "b", 0).get(queue),
				(bound) -> {
					assertThat(bound).isEqualTo(4);
					return draws.remove();
				});
		assertThat(scheduler.choose(this.due, null)).isEqualTo(this.a1);
		assertThat(scheduler.choose(this.due, null)).isEqualTo(this.a1);
		assertThat(scheduler.choose(this.due, null)).isEqualTo(this.b0);
	}

}
