package io.lowkiq.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Dead jobs that are too old or too many are deleted, the longest dead first. */
class MorgueRetentionTests {

	private static final Shard SHARD = new Shard("orders", 1, 0);

	private Instant now = Instant.parse("2026-01-01T00:00:00Z");

	private final RedisStore store = InMemoryRedis.newStore(() -> this.now);

	/** Buries the jobs 0, 1, …, one per second. */
	private void bury(int jobs) {
		this.store.queues().register(SHARD.queue(), 1);
		var lease = ((Acquisition.Acquired) this.store.shards().acquire(SHARD, LeaseRequest.forFreeShard("s")).join())
			.lease();
		for (int i = 0; i < jobs; i++) {
			String id = String.valueOf(i);
			this.store.shards().enqueue(SHARD, List.of(NewPayload.of(id, "p".getBytes(StandardCharsets.UTF_8))));
			this.store.shards().completeAndFetch(lease, 2 * i + 1, 0, List.of(), new Fetch(1, 1, false)).join();
			this.store.shards()
				.completeAndFetch(lease, 2 * i + 2, 1,
						List.of(new Outcome.PartlyDone(id, List.of(), List.of(0), "dead", true)), Fetch.NONE)
				.join();
			this.now = this.now.plusSeconds(1);
		}
	}

	private List<String> deadAfterTrim(@Nullable Duration maxAge, @Nullable Integer maxJobs) {
		LowkiqServer server = new LowkiqServer(new ServerOptions(new WorkerRegistry(List.of()), this.store));
		new MorgueRetention(server, this.store, maxAge, maxJobs).trim(SHARD);
		return this.store.inspection()
			.list(SHARD, JobQuery.first(JobList.DEAD, 1_000))
			.jobs()
			.stream()
			.map(JobView::id)
			.toList();
	}

	@Test
	void oldJobsAreDeleted() {
		bury(5);
		assertThat(deadAfterTrim(Duration.ofSeconds(2), null)).containsExactly("3", "4");
	}

	@Test
	void surplusJobsAreDeletedInSteps() {
		bury(900);
		assertThat(deadAfterTrim(null, 2)).containsExactly("898", "899");
	}

	@Test
	void nothingIsDeletedUnlessAsked() {
		bury(5);
		assertThat(deadAfterTrim(null, null)).hasSize(5);
		assertThat(deadAfterTrim(Duration.ofDays(1), 5)).hasSize(5);
	}

}
