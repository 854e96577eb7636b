package io.lowkiq.store;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A shard counts the calls of an outbox, and says if it has forgotten some.
 */
abstract class CountedCallsContract extends StoreContract {

	private static final Shard OTHER = new Shard("orders", 1, 1);

	private final Map<Shard, Long> last = new HashMap<>();

	private final CallCounter counter = new CallCounter("one", 100, this.last, (shard) -> 0L);

	private BatchResult enqueueCounted(CallCounter by, String... ids) {
		List<NewPayload> payloads = IntStream.range(0, ids.length)
			.mapToObj((i) -> NewPayload.of(ids[i], bytes("p" + i)))
			.toList();
		return this.store.shards().enqueueCounted(List.of(new ShardPayloads(SHARD, payloads)), by);
	}

	private void thenForgotten(BatchResult result, long remembered) {
		assertThat(result.problems()).containsOnlyKeys(0);
		assertThat(result.problems().get(0)).isInstanceOfSatisfying(ForgottenCallsException.class,
				(problem) -> assertThat(problem.last()).isEqualTo(remembered));
	}

	@Test
	void callsHaveNumbersThatGrow() {
		assertThat(enqueueCounted(this.counter, "a").problems()).isEmpty();
		assertThat(this.last).containsExactly(Map.entry(SHARD, 100L));
		assertThat(enqueueCounted(this.counter, "a", "b", "a").merged()).isEqualTo(2);
		assertThat(this.last).containsExactly(Map.entry(SHARD, 101L));
		thenQueued("a").has("p0", "p2");
		thenQueued("b").has("p1");
		// However small the least number is, after a clock went back
		assertThat(enqueueCounted(new CallCounter("one", 5, this.last, (shard) -> 0L), "a").problems()).isEmpty();
		assertThat(this.last).containsExactly(Map.entry(SHARD, 102L));
	}

	@Test
	void largeNumbersAreExact() {
		long large = (1L << 53) - 10;
		enqueueCounted(new CallCounter("one", large, this.last, (shard) -> 0L), "a");
		assertThat(enqueueCounted(this.counter, "a").problems()).isEmpty();
		assertThat(this.last).containsExactly(Map.entry(SHARD, large + 1));
	}

	@Test
	void aShardThatHasForgottenCallsRefusesAndChangesNothing() {
		enqueueCounted(this.counter, "a");
		this.last.put(SHARD, 101L);
		thenForgotten(enqueueCounted(this.counter, "b"), 100);
		thenForgotten(enqueueCounted(this.counter, "b"), 100);
		thenCounts().queued(1);
		assertThat(this.last).containsExactly(Map.entry(SHARD, 101L));
	}

	@Test
	void aShardThatHasForgottenEverythingRefuses() {
		this.last.put(SHARD, 7L);
		thenForgotten(enqueueCounted(this.counter, "a"), 0);
	}

	@Test
	void callsWithoutAConfirmationAreNoReasonToRefuse() {
		enqueueCounted(new CallCounter("one", 200, new HashMap<>(), (shard) -> 0L), "a");
		enqueueCounted(this.counter, "b");
		assertThat(this.last).containsExactly(Map.entry(SHARD, 201L));
		thenCounts().queued(2);
	}

	@Test
	void askingChangesNothing() {
		assertThat(enqueueCounted(this.counter).problems()).isEmpty();
		enqueueCounted(this.counter, "a");
		assertThat(enqueueCounted(this.counter).problems()).isEmpty();
		assertThat(this.last).containsExactly(Map.entry(SHARD, 100L));
		this.last.put(SHARD, 102L);
		thenForgotten(enqueueCounted(this.counter), 100);
	}

	@Test
	void eachOutboxHasItsOwnCallsAndDirectOnesAreNotCounted() {
		enqueueCounted(this.counter, "a");
		enqueue("a", "direct");
		enqueueCounted(new CallCounter("two", 500, new HashMap<>(), (shard) -> 0L), "a");
		enqueueCounted(this.counter, "a");
		assertThat(this.last).containsExactly(Map.entry(SHARD, 101L));
	}

	@Test
	void aShardThatHasForgottenCallsHoldsUpNoOther() {
		this.last.put(SHARD, 7L);
		NewPayload payload = NewPayload.of("a", bytes("p"));
		BatchResult result = this.store.shards()
			.enqueueCounted(List.of(new ShardPayloads(SHARD, List.of(payload)),
					new ShardPayloads(OTHER, List.of(payload)), new ShardPayloads(OTHER, List.of(payload))),
					this.counter);
		thenForgotten(result, 0);
		assertThat(this.last).containsEntry(OTHER, 101L);
	}

	@Test
	void eachCallNamesTheNumberOfTheOneBefore() {
		// As if the calls of another process had larger numbers
		enqueueCounted(new CallCounter("one", 1_000, new HashMap<>(), (shard) -> 0L), "a");
		byte[] large = new byte[1_200_000];
		BatchResult result = this.store.shards()
			.enqueueCounted(List.of(new ShardPayloads(SHARD,
					List.of(NewPayload.of("b", large), NewPayload.of("c", large), NewPayload.of("d", bytes("p"))))),
					this.counter);
		assertThat(result.problems()).isEmpty();
		assertThat(this.last).containsExactly(Map.entry(SHARD, 1_003L));
	}

	/** It answers with the epoch of its closing. */
	@Test
	void aClosedShardSaysNothingOfItsCalls() {
		actions().close(SHARD, null, false);
		assertThat(enqueueCounted(this.counter, "a").problems().get(0)).isInstanceOf(QueueClosedException.class);
		assertThat(this.last).containsExactly(Map.entry(SHARD, 0L));
	}

	@Test
	void aShardThatIsEmptiedForgetsItsCalls() {
		enqueueCounted(this.counter, "a");
		actions().close(SHARD, null, false);
		assertThat(enqueueCounted(this.counter, "a").problems().get(0)).isInstanceOf(QueueClosedException.class);
		while (actions().empty(SHARD, 10).more()) {
			// The next step
		}
		this.store.queues().register("orders", 2);
		// Opened again, because the record still names it
		thenForgotten(enqueueCounted(this.counter), 0);
		assertThat(this.store.inspection().list(SHARD, JobQuery.first(JobList.QUEUED, 9)).jobs()).isEmpty();
	}

}
