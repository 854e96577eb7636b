package io.lowkiq.test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.lowkiq.store.inspection.JobView.State;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AssertionMessageTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	private final StoredJob failed = new StoredJob("42", State.QUEUED, NOW.plusSeconds(90_061), 0,
			"java.lang.IllegalStateException: no\n\tat …", List.of("a", "b"), List.of(1.0, 2.0));

	private final StoredJob busy = new StoredJob("43", State.BUSY, NOW, -1, null, List.of("c"), List.of(3.0));

	private final QueueJobs queue = new QueueJobs("orders", List.of(this.failed, this.busy), NOW, Duration.ZERO);

	private final MorgueJobs morgue = new MorgueJobs("orders",
			List.of(new StoredJob("44", State.DEAD, NOW.minusMillis(1_500), -1, "no", List.of("d"), List.of(4.0))),
			NOW);

	@Test
	void whatIsThereIsPrinted() {
		assertThat(this.queue).hasToString("""
				Queue 'orders' at 2026-01-01T00:00:00Z:
				    '42' due in 1d 1h 1min 1s, attempt 2, payloads [a, b]
				      java.lang.IllegalStateException: no
				    '43' is being performed, payloads [c]""");
		assertThat(this.morgue).hasToString("""
				Morgue of queue 'orders' at 2026-01-01T00:00:00Z:
				    '44' dead for 1.500s, payloads [d]
				      no""");
		assertThat(new QueueJobs("orders", List.of(), NOW, Duration.ZERO))
			.hasToString("Queue 'orders' at 2026-01-01T00:00:00Z is empty");
	}

	@Test
	void everyFailurePrintsWhatIsThere() {
		fails(() -> assertThat(this.queue).isEmpty(), "Expected no jobs, but found 2.");
		fails(() -> assertThat(this.queue).hasSize(3), "Expected ids: 3, but found 2.");
		fails(() -> assertThat(this.queue).hasOnlyJobs("42"),
				"Expected only jobs of the ids [42], but found [42, 43].");
		fails(() -> assertThat(this.queue).hasNoJob("42"), "Expected no job '42', but there is one.");
		fails(() -> assertThat(this.queue).hasJob("1"), "Expected a job '1', but there is none.");
		fails(() -> assertThat(this.queue).hasJob("42").withPayloads("a"),
				"Expected job '42' to have payloads [a], but found [a, b].");
		fails(() -> assertThat(this.queue).hasJob("42").withScores(1),
				"Expected job '42' to have scores [1.0], but found [1.0, 2.0].");
		fails(() -> assertThat(this.queue).hasJob("42").withRetryCount(1),
				"Expected job '42' to have retryCount 1, but found 0.");
		fails(() -> assertThat(this.queue).hasJob("42").withErrorContaining("yes"),
				"Expected job '42' to have an error containing \"yes\", but found java.lang.IllegalStateException");
		fails(() -> assertThat(this.queue).hasJob("43").withErrorContaining("yes"), "but found no error.");
		fails(() -> assertThat(this.queue).hasJob("42").isDue(), "Expected job '42' to have become due");
		fails(() -> assertThat(this.queue).hasJob("43").isDue(), "Expected job '43' to have become due");
		fails(() -> assertThat(this.queue).hasJob("42").isBeingPerformed(), "Expected job '42' to have started");
		fails(() -> assertThat(this.queue).hasJob("42").dueIn(Duration.ofDays(1)),
				"Expected job '42' to have 1d to wait, but found '42' due in 1d 1h 1min 1s");
		fails(() -> assertThat(this.queue).hasJob("42").dueIn(Duration.ofDays(2), Duration.ofDays(3)),
				"Expected job '42' to have 2d to 3d to wait");
		fails(() -> assertThat(this.queue).hasJob("43").dueIn(Duration.ZERO), "Expected job '43' to have 0s to wait");
		fails(() -> assertThat(this.queue).hasJob("42").dueAt(NOW),
				"Expected job '42' to have performAt 2026-01-01T00:00:00Z, but found 2026-01-02T01:01:01Z");
		fails(() -> assertThat(this.morgue).isEmpty(), "Expected no jobs, but found 1.", this.morgue);
		fails(() -> assertThat(this.morgue).hasJob("44").withPayloads("x"),
				"Expected job '44' to have payloads [x], but found [d].", this.morgue);
	}

	@Test
	void payloadsOfOtherTypesThatLookTheSameAreToldApart() {
		fails(() -> assertThat(this.queue).hasJob("43").withPayloads(new StringBuilder("c")),
				"payloads [c (java.lang.StringBuilder)], but found [c (java.lang.String)]");
	}

	@Test
	void whatIsTrueDoesNotFail() {
		assertThat(this.queue).hasSize(2)
			.hasNoJob("44")
			.hasOnlyJobs("43", "42")
			.hasJob("42")
			.withPayloads("a", "b")
			.withScores(1, 2)
			.withRetryCount(0)
			.withErrorContaining("IllegalState")
			.dueIn(Duration.ofSeconds(90_061))
			.dueIn(Duration.ofDays(1), Duration.ofDays(2))
			.dueAt(NOW.plusSeconds(90_061))
			.and()
			.hasJob("43")
			.isBeingPerformed();
		assertThat(this.morgue).hasJob("44").withPayloads("d").and().hasOnlyJobs("44");
		assertThat(this.queue.payloads("42", String.class)).containsExactly("a", "b");
		assertThat(this.queue.payloads("1", String.class)).isEmpty();
	}

	@Test
	void timeThatTheTestItselfTookIsAllowedFor() {
		QueueJobs later = new QueueJobs("orders", List.of(this.failed), NOW.plusSeconds(3), Duration.ofSeconds(3));
		assertThat(later).hasJob("42").dueIn(Duration.ofSeconds(90_061)).dueIn(Duration.ofSeconds(90_058));
		fails(() -> assertThat(later).hasJob("42").dueIn(Duration.ofSeconds(90_062)), "to wait", later);
		fails(() -> assertThat(later).hasJob("42").dueIn(Duration.ofSeconds(90_057)), "to wait", later);
	}

	private void fails(ThrowingCallable assertion, String message) {
		fails(assertion, message, this.queue);
	}

	private static void fails(ThrowingCallable assertion, String message, Object contents) {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(assertion)
			.withMessageContaining(message)
			.withMessageContaining(contents.toString());
	}

}
