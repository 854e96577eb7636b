package io.lowkiq.admin.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.lowkiq.admin.FollowUpQueue;
import io.lowkiq.admin.FollowUpQueues;
import io.lowkiq.admin.JobStatus;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.Outbox;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.ShardInspection;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/** What is read to say which follow-ups wait, and where. */
class WaitingFollowUpsTests {

	private Instant now = Instant.EPOCH;

	private final RedisStore memory = InMemoryRedis.newStore(() -> this.now);

	private final ShardInspection inspection = mock(ShardInspection.class, delegatesTo(this.memory.inspection()));

	private final QueueLayout sources = this.memory.queues().register("sources", 3);

	private final LowkiqAdmin admin = new StoreAdmin(countingStore(), new JacksonPayloadCodec(), () -> null,
			(event) -> {
			}, () -> Outbox.NONE, () -> null, () -> null, () -> this.now);

	private RedisStore countingStore() {
		RedisStore counting = mock(RedisStore.class, delegatesTo(this.memory));
		given(counting.inspection()).willReturn(this.inspection);
		return counting;
	}

	/** Completes a job that many others follow, with the ids 1, 2 and so on. */
	private void follow(int shard, String queue, int count) {
		Shard source = this.sources.shard(shard);
		this.memory.shards().enqueue(source, List.of(NewPayload.of("s", new byte[] { '1' })));
		Lease lease = ((Acquisition.Acquired) this.memory.shards()
			.acquire(source, LeaseRequest.forFreeShard("gone"))
			.join()).lease();
		this.memory.shards().completeAndFetch(lease, 1, 0, List.of(), new Fetch(1, 10, false)).join();
		List<Outcome> outcomes = LongStream.rangeClosed(1, count)
			.<Outcome>mapToObj((i) -> new Outcome.FollowUp("s", i,
					new FollowUp(queue, NewPayload.of(String.valueOf(i), new byte[] { '1' }))))
			.toList();
		this.memory.shards().completeAndFetch(lease, 2, 1, outcomes, Fetch.NONE).join();
	}

	private void verifyCounts(int readings) {
		verify(this.inspection, times(readings)).counts(anyList());
	}

	@Test
	void allWhoAskForAMissingIdShareAReading() {
		follow(1, "po", 1);
		this.memory.queues().register("po", 1);
		for (int i = 0; i < 10; i++) {
			assertThat(this.admin.as("user" + i).status("po", "1")).contains("waits in shard sources:1:1");
			assertThat(this.admin.status("po", "2")).startsWith("No job with this id");
			this.now = this.now.plusMillis(499);
		}
		verifyCounts(1);
		verify(this.inspection, times(2)).followUps(any(), anyLong(), anyInt());
		follow(2, "po", 2);
		this.now = this.now.plus(Duration.ofSeconds(1));
		assertThat(this.admin.status("po", "2")).contains("waits in shard sources:1:2");
		verifyCounts(2);
	}

	@Test
	void aMissingIdThatWasNotReadMayWait() {
		this.memory.queues().register("po", 1);
		follow(0, "po", 1_000);
		assertThat(this.admin.status("po", "1000")).contains("waits in shard");
		assertThat(this.admin.status("po", "1001"))
			.isEqualTo("No job with this id is queued, being performed, or dead. Done jobs leave no trace in Redis; "
					+ "the log io.lowkiq.runs of the nodes has their runs.");
		follow(1, "po", 1_001);
		this.now = this.now.plusSeconds(5);
		assertThat(this.admin.find("po", "1001").status()).satisfies((status) -> {
			assertThat(status.reason()).isEqualTo(JobStatus.Reason.UNKNOWN);
			assertThat(status.sentence()).contains("More than 1,000 payloads that follow other jobs wait",
					"it may be one of them");
		});
		verify(this.inspection, never()).followUps(eq(this.sources.shard(1)), eq(100L), anyInt());
	}

	@Test
	void nothingIsReadAfterEnoughWasFound() {
		IntStream.range(0, 3).forEach((shard) -> follow(shard, "po", 150));
		assertThat(this.admin.followUps("po", 200)).hasSize(200);
		verify(this.inspection, times(3)).followUps(eq(this.sources.shard(0)), anyLong(), anyInt());
		verify(this.inspection, times(1)).followUps(eq(this.sources.shard(1)), anyLong(), anyInt());
		verify(this.inspection, never()).followUps(eq(this.sources.shard(2)), anyLong(), anyInt());
		Mockito.clearInvocations(this.inspection);
		assertThat(this.admin.followUps("po", 1_000)).hasSize(450);
	}

	@Test
	void ofAShardInWhichManyWaitSomeAreNotCounted() {
		follow(0, "po", 1_000);
		follow(1, "mails", 1_000);
		assertThat(this.admin.followUpQueues().complete()).isTrue();
		follow(2, "po", 1_001);
		assertThat(this.admin.followUpQueues())
			.isEqualTo(new FollowUpQueues(List.of(new FollowUpQueue("mails", false, 1_000, List.of("sources")),
					new FollowUpQueue("po", false, 2_000, List.of("sources"))), false));
	}

}
