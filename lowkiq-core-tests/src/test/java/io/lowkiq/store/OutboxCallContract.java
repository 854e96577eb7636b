package io.lowkiq.store;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.lowkiq.store.OutboxCall.Stamp;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A shard remembers the last call of an outbox: it refuses what comes too late, and says
 * if it has forgotten some.
 */
abstract class OutboxCallContract extends StoreContract {

	private static final Shard OTHER = new Shard("orders", 1, 1);

	private final Map<Shard, Stamp> last = new HashMap<>();

	/** The calls of a holder of the lock. */
	private OutboxCall by(long number, long token) {
		return new OutboxCall("one", new Stamp(number, token), this.last, (shard) -> Stamp.NONE);
	}

	/** The same, of an outbox that keeps nothing. */
	private static OutboxCall only(String outbox, long number, long token) {
		return new OutboxCall(outbox, new Stamp(number, token));
	}

	private BatchResult enqueue(OutboxCall by, String... ids) {
		List<NewPayload> payloads = IntStream.range(0, ids.length)
			.mapToObj((i) -> NewPayload.of(ids[i], bytes("p" + i)))
			.toList();
		return this.store.shards().enqueueFenced(List.of(new ShardPayloads(SHARD, payloads)), by);
	}

	private static void thenForgotten(BatchResult result, Stamp remembered) {
		assertThat(result.problems()).containsOnlyKeys(0);
		assertThat(result.problems().get(0)).isInstanceOfSatisfying(ForgottenCallsException.class,
				(problem) -> assertThat(problem.last()).isEqualTo(remembered));
	}

	private static void thenLate(BatchResult result, long last) {
		assertThat(result.problems()).containsOnlyKeys(0);
		assertThat(result.problems().get(0)).isInstanceOfSatisfying(LateCallException.class,
				(problem) -> assertThat(problem.last()).isEqualTo(last));
	}

	@Test
	void allCallsOfAHolderHaveOneNumber() {
		assertThat(enqueue(by(5, 1), "a").problems()).isEmpty();
		assertThat(enqueue(by(5, 1), "a", "b", "a").merged()).isEqualTo(2);
		assertThat(this.last).containsExactly(Map.entry(SHARD, new Stamp(5, 1)));
		thenQueued("a").has("p0", "p2");
		thenQueued("b").has("p1");
		assertThat(enqueue(by(7, 2), "a").problems()).isEmpty();
		assertThat(this.last).containsExactly(Map.entry(SHARD, new Stamp(7, 2)));
	}

	@Test
	void largeNumbersAreExact() {
		long large = (1L << 53) - 1;
		enqueue(by(large - 1, large), "a");
		assertThat(enqueue(by(large, large - 1), "a").problems()).isEmpty();
		thenLate(enqueue(only("one", large, large), "b"), large);
	}

	@Test
	void aCallOfAnEarlierHolderIsRefusedAndChangesNothing() {
		enqueue(only("one", 5, 1), "a");
		thenLate(enqueue(only("one", 4, 2), "b"), 5);
		thenLate(enqueue(only("one", 5, 2), "b"), 5);
		thenLate(enqueue(by(4, 1), "b"), 5);
		thenCounts().queued(1);
		assertThat(enqueue(only("one", 5, 1), "b").problems()).isEmpty();
		assertThat(enqueue(only("one", 6, 2), "c").problems()).isEmpty();
		thenCounts().queued(3);
	}

	@Test
	void aShardThatHasForgottenCallsRefusesAndChangesNothing() {
		enqueue(by(5, 1), "a");
		this.last.put(SHARD, new Stamp(6, 2));
		thenForgotten(enqueue(by(7, 3), "b"), new Stamp(5, 1));
		this.last.put(SHARD, new Stamp(5, 2));
		thenForgotten(enqueue(by(7, 3), "b"), new Stamp(5, 1));
		thenCounts().queued(1);
		assertThat(this.last).containsExactly(Map.entry(SHARD, new Stamp(5, 2)));
	}

	@Test
	void aShardThatHasForgottenEverythingRefuses() {
		this.last.put(SHARD, new Stamp(7, 1));
		thenForgotten(enqueue(by(8, 2), "a"), Stamp.NONE);
	}

	@Test
	void callsWithoutAConfirmationAreNoReasonToRefuse() {
		enqueue(only("one", 5, 1), "a");
		assertThat(enqueue(by(6, 2), "b").problems()).isEmpty();
		assertThat(this.last).containsExactly(Map.entry(SHARD, new Stamp(6, 2)));
	}

	@Test
	void aShardIsAskedWithoutAChange() {
		enqueue(by(5, 1), "a");
		assertThat(enqueue(by(4, 2)).problems()).isEmpty();
		assertThat(this.last).containsExactly(Map.entry(SHARD, new Stamp(5, 1)));
		this.last.put(SHARD, new Stamp(6, 2));
		thenForgotten(enqueue(by(7, 3)), new Stamp(5, 1));
	}

	@Test
	void eachOutboxHasItsOwnCallsAndDirectOnesAreNotCounted() {
		enqueue(by(5, 1), "a");
		enqueue("a", "direct");
		enqueue(only("two", 500, 2), "a");
		assertThat(enqueue(by(5, 1), "a").problems()).isEmpty();
	}

	@Test
	void anOutboxThatCalledLastLongAgoIsForgottenWhenAnotherOneCallsFirst() {
		enqueue(only("old", 5, 1), "a");
		this.clock.advance(Duration.ofDays(8));
		enqueue(only("two", 1, 1), "a");
		thenLate(enqueue(only("old", 4, 1), "b"), 5);
		this.clock.advance(Duration.ofMillis(1));
		enqueue(only("three", 1, 1), "a");
		assertThat(enqueue(only("old", 4, 1), "b").problems()).isEmpty();
		thenLate(enqueue(only("two", 1, 2), "b"), 1);
	}

	@Test
	void aShardThatHasForgottenCallsHoldsUpNoOther() {
		this.last.put(SHARD, new Stamp(7, 1));
		NewPayload payload = NewPayload.of("a", bytes("p"));
		BatchResult result = this.store.shards()
			.enqueueFenced(List.of(new ShardPayloads(SHARD, List.of(payload)),
					new ShardPayloads(OTHER, List.of(payload)), new ShardPayloads(OTHER, List.of(payload))), by(8, 2));
		thenForgotten(result, Stamp.NONE);
		assertThat(this.last).containsEntry(OTHER, new Stamp(8, 2));
	}

	@Test
	void theCallsOfALargeBatchFollowOneAnother() {
		byte[] large = new byte[1_200_000];
		BatchResult result = this.store.shards()
			.enqueueFenced(List.of(new ShardPayloads(SHARD,
					List.of(NewPayload.of("b", large), NewPayload.of("c", large), NewPayload.of("d", bytes("p"))))),
					by(5, 1));
		assertThat(result.problems()).isEmpty();
		thenCounts().queued(3);
	}

	/** It answers with the epoch of its closing. */
	@Test
	void aClosedShardSaysNothingOfItsCalls() {
		actions().close(SHARD, null, false);
		assertThat(enqueue(by(5, 1), "a").problems().get(0)).isInstanceOf(QueueClosedException.class);
		assertThat(this.last).containsExactly(Map.entry(SHARD, Stamp.NONE));
	}

	@Test
	void aShardThatIsEmptiedForgetsItsCalls() {
		enqueue(by(5, 1), "a");
		actions().close(SHARD, null, false);
		assertThat(enqueue(by(5, 1), "a").problems().get(0)).isInstanceOf(QueueClosedException.class);
		while (actions().empty(SHARD, 10).more()) {
			// The next step
		}
		this.store.queues().register("orders", 2);
		// Opened again, because the record still names it
		thenForgotten(enqueue(by(5, 1)), Stamp.NONE);
		assertThat(this.store.inspection().list(SHARD, JobQuery.first(JobList.QUEUED, 9)).jobs()).isEmpty();
	}

}
