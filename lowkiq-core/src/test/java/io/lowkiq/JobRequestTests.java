package io.lowkiq;

import java.util.List;
import java.util.ArrayList;
import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class JobRequestTests {

	@ParameterizedTest
	@NullAndEmptySource
	void anIdIsNeeded(String id) {
		assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> JobRequest.of(id, "payload"))
			.withMessageContaining("null or empty");
	}

	@Test
	void anIdIsAtMost1024BytesLongInUtf8() {
		assertThat(JobRequest.of("ä".repeat(512), "payload").id()).hasSize(512);
		assertThat(JobRequest.of("\uD83D\uDE00".repeat(256), "payload").id()).hasSize(512);
		assertThatExceptionOfType(InvalidJobException.class)
			.isThrownBy(() -> JobRequest.of("ä".repeat(512) + "a", "payload"))
			.withMessageContaining("1025 bytes");
		assertThatExceptionOfType(InvalidJobException.class)
			.isThrownBy(() -> JobRequest.of("\u20AC".repeat(342), "payload"))
			.withMessageContaining("1026 bytes");
	}

	@ParameterizedTest
	@ValueSource(strings = { "a\uD83D", "\uDE00a", "\uD83D\uD83D\uDE00" })
	void halfASurrogatePairIsRefused(String id) {
		assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> JobRequest.of(id, "payload"))
			.withMessageContaining("surrogate");
	}

	@Test
	@SuppressWarnings("NullAway")
	void aPayloadIsNeeded() {
		assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> JobRequest.of("42", null))
			.withMessageContaining("'42' is null");
	}

	@ParameterizedTest
	@ValueSource(doubles = { Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1.1e300, -1.1e300 })
	void aScoreIsFiniteAndBounded(double score) {
		assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> JobRequest.of("42", "p").score(score))
			.withMessageContaining("score");
	}

	@ParameterizedTest
	@ValueSource(doubles = { 0, -7, 1e300, -1e300, Double.MIN_VALUE })
	void anyOtherScoreIsTaken(double score) {
		assertThat(JobRequest.of("42", "p").score(score).score()).isEqualTo(score);
	}

	@Test
	void aTimeLiesBetween1970And9999() {
		JobRequest<String> request = JobRequest.of("42", "p");
		assertThat(request.performAt(Instant.EPOCH).performAt()).isEqualTo(Instant.EPOCH);
		for (Instant time : new Instant[] { Instant.EPOCH.minusNanos(1), Instant.MAX, Instant.MIN }) {
			assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> request.performAt(time))
				.withMessageContaining("performAt");
		}
	}

	@Test
	void aDelayIsNotNegativeAndAtMostAHundredYears() {
		JobRequest<String> request = JobRequest.of("42", "p");
		assertThat(request.performIn(Duration.ZERO).performIn()).isZero();
		for (Duration delay : new Duration[] { Duration.ofNanos(-1), Duration.ofDays(36526),
				Duration.ofSeconds(Long.MAX_VALUE) }) {
			assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> request.performIn(delay))
				.withMessageContaining("performIn");
		}
	}

	@Test
	void theLastOfTimeAndDelayCounts() {
		JobRequest<String> request = JobRequest.of("42", "p").performIn(Duration.ofMinutes(1)).performAt(Instant.EPOCH);
		assertThat(request.performIn()).isNull();
		assertThat(request.performIn(Duration.ZERO).performAt()).isNull();
		assertThatExceptionOfType(InvalidJobException.class)
			.isThrownBy(() -> new JobRequest<>("42", "p", null, Instant.EPOCH, Duration.ZERO, null))
			.withMessageContaining("both");
	}

	@Test
	void eachThenAddsAStepAtTheEnd() {
		JobRequest<String> request = JobRequest.of("1", "a")
			.then("mails", JobRequest.of("2", "b").then("prints", JobRequest.of("3", "c")))
			.then("archive", JobRequest.of("4", "d"))
			.score(3);
		List<String> steps = new ArrayList<>();
		for (JobRequest.Step step = request.next(); step != null; step = step.request().next()) {
			steps.add(step.queue() + " " + step.request().payload());
		}
		assertThat(steps).containsExactly("mails b", "prints c", "archive d");
	}

	@Test
	void aChainHasAnEnd() {
		JobRequest<Integer> longest = JobRequest.of("1", 1);
		for (int i = 2; i <= JobRequest.MAX_STEPS; i++) {
			longest = longest.then("orders", JobRequest.of("1", i));
		}
		JobRequest<Integer> full = longest;
		assertThatExceptionOfType(InvalidJobException.class)
			.isThrownBy(() -> full.then("orders", JobRequest.of("1", 0)))
			.withMessageContaining("more than 100 steps");
	}

	@Test
	void theQueueOfAStepNeedsAName() {
		assertThatExceptionOfType(InvalidQueueException.class)
			.isThrownBy(() -> JobRequest.of("1", 1).then("a b", JobRequest.of("1", 2)));
	}

	@ParameterizedTest
	@ValueSource(longs = { 9_007_199_254_740_993L, 9_007_199_254_740_994L, -9_007_199_254_740_993L, Long.MAX_VALUE,
			Long.MIN_VALUE })
	void wholeScoreThatADoubleMayNotTellApartIsRefused(long score) {
		assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> JobRequest.of("42", "p").score(score))
			.withMessageContaining("The score of job '42' is " + score + ";")
			.withMessageContaining("score((double) …)");
		assertThat(JobRequest.of("42", "p").score((double) score).score()).isEqualTo((double) score);
	}

	@ParameterizedTest
	@ValueSource(longs = { 9_007_199_254_740_992L, -9_007_199_254_740_992L, 0, 1_700_000_000_000L })
	void wholeScoreIsKept(long score) {
		assertThat(JobRequest.of("42", "p").score(score).score()).isEqualTo((double) score);
	}

}
