package io.lowkiq.dashboard;

import java.time.Duration;
import java.time.Instant;

import io.lowkiq.dashboard.WhyNotPerformed.Answer;
import io.lowkiq.dashboard.WhyNotPerformed.Reason;
import io.lowkiq.memory.InMemoryStore;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Shard;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link WhyNotPerformed}.
 */
class WhyNotPerformedTests {

	private Duration ahead = Duration.ZERO;

	private final InMemoryStore store = new InMemoryStore(() -> Instant.now().plus(this.ahead));

	private final TestQueue queue = new TestQueue(this.store.shardStore(), this.store.queues(), this.store.nodes(),
			"orders", 1);

	@Test
	void isBeingPerformed() {
		this.queue.busy("42").node("node-a", "42");
		Answer answer = explain("42");
		assertThat(answer.reason()).isEqualTo(Reason.PERFORMED);
		assertThat(answer.sentence())
			.isEqualTo("It is being performed for 3 min by thread lowkiq-shards-0 of node node-a.");
	}

	@Test
	void wasFetchedAndWaitsForItsThread() {
		this.queue.busy("41", "42").node("node-a", "41");
		assertThat(explain("42").reason()).isEqualTo(Reason.FETCHED);
	}

	@Test
	void wasBusyOnANodeThatHasGone() {
		this.queue.busy("42");
		assertThat(explain("42").reason()).isEqualTo(Reason.NODE_GONE);
	}

	@Test
	void waitsForItsRetry() {
		this.queue.fail("42").node("node-a");
		this.ahead = Duration.ofSeconds(1);
		Answer answer = explain("42");
		assertThat(answer.reason()).isEqualTo(Reason.RETRY);
		assertThat(answer.sentence()).startsWith("It failed and waits for its retry 1 at 2").contains("(in 5 min)");
	}

	@Test
	void waitsForItsTime() {
		Instant at = Instant.parse("2999-01-02T03:04:05Z");
		this.queue.push((id) -> new NewPayload(id, TestQueue.payload(id), null, at.toEpochMilli(), 0), "42").node("node-a");
		Answer answer = explain("42");
		assertThat(answer.reason()).isEqualTo(Reason.SCHEDULED);
		assertThat(answer.sentence()).startsWith("It waits for its time, 2999-01-02 03:04:05 UTC");
	}

	@Test
	void isInAPausedQueue() {
		this.queue.push("42").node("node-a");
		this.store.actions().pause(this.queue.layout().shard(0), true);
		Answer answer = explain("42");
		assertThat(answer.reason()).isEqualTo(Reason.PAUSED);
		assertThat(answer.sentence()).startsWith("The queue is paused");
	}

	@Test
	void isInAShardWithoutOwner() {
		this.queue.push("42");
		assertThat(explain("42")).isEqualTo(
				new Answer(Reason.NO_OWNER, "Shard 0 has no owner: no running node serves this queue.", null, null, 0));
	}

	@Test
	void isInAShardWhoseOwnerHasGone() {
		this.queue.node("node-a").push("42");
		this.store.nodes().leave(this.queue.session());
		assertThat(explain("42").reason()).isEqualTo(Reason.OWNER_GONE);
	}

	@Test
	void hasOthersBeforeIt() {
		this.queue.node("node-a").push(TestQueue.ids("other-", 14));
		this.ahead = Duration.ofSeconds(1);
		this.queue.push("42");
		Answer answer = explain("42");
		assertThat(answer.reason()).isEqualTo(Reason.OTHERS_BEFORE);
		assertThat(answer.sentence()).isEqualTo("14 jobs of shard 0 are before it; node node-a works on them.");
	}

	@Test
	void hasMoreThanAThousandBeforeIt() {
		this.queue.node("node-a").push(TestQueue.ids("other-", 1_200));
		this.ahead = Duration.ofSeconds(1);
		this.queue.push("42");
		assertThat(explain("42").sentence()).startsWith("More than 1000 jobs of shard 0 are before it");
	}

	@Test
	void isTheNextOne() {
		this.queue.node("node-a").push("42");
		assertThat(explain("42").reason()).isEqualTo(Reason.NEXT);
	}

	@Test
	void isDead() {
		this.queue.bury("42");
		assertThat(explain("42").reason()).isEqualTo(Reason.DEAD);
	}

	@Test
	void isUnknown() {
		assertThat(explain("42").reason()).isEqualTo(Reason.UNKNOWN);
	}

	private Answer explain(String id) {
		Shard shard = this.queue.layout().shardOf(id);
		return new WhyNotPerformed(this.store.inspection()).explain(shard,
				new QueueInspection(this.store.inspection()).find(this.queue.layout(), id, 1),
				this.store.inspection().counts(shard), this.store.nodes().members());
	}

}
