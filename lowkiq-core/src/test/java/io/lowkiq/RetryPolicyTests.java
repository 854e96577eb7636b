package io.lowkiq;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RetryPolicyTests {

	@ParameterizedTest
	@CsvSource({ "0, 15, 29", "1, 16, 58", "5, 640, 174", "24, 331791, 725", "-1, 15, 29" })
	void growsAsTheGemsRuleSays(int retryCount, long least, long spread) {
		for (int i = 0; i < 200; i++) {
			assertThat(RetryPolicy.standard().retryIn(retryCount)).isBetween(Duration.ofSeconds(least),
					Duration.ofSeconds(least + spread));
		}
	}

	@Test
	void exponentialIntervalsGrowUpToTheMaximum() {
		RetryPolicy policy = RetryPolicy.exponential(Duration.ofSeconds(2), 3, Duration.ofMinutes(1), Duration.ZERO);
		assertThat(IntStream.of(0, 1, 2, 3, 4, 1_000, Integer.MAX_VALUE, -1).mapToObj(policy::retryIn)).containsExactly(
				Duration.ofSeconds(2), Duration.ofSeconds(6), Duration.ofSeconds(18), Duration.ofSeconds(54),
				Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofSeconds(2));
	}

	@Test
	void jitterGrowsWithTheIntervalAndNoWaitIsLongerThanTheMaximum() {
		RetryPolicy policy = RetryPolicy.exponential(Duration.ofSeconds(10), 2, Duration.ofSeconds(45),
				Duration.ofSeconds(5));
		List<Duration> second = Stream.generate(() -> policy.retryIn(1)).limit(500).toList();
		assertThat(second)
			.allSatisfy((delay) -> assertThat(delay).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(30)));
		assertThat(second).anySatisfy((delay) -> assertThat(delay).isLessThan(Duration.ofSeconds(15)))
			.anySatisfy((delay) -> assertThat(delay).isGreaterThan(Duration.ofSeconds(25)));
		assertThat(Stream.generate(() -> policy.retryIn(9)).limit(500))
			.allSatisfy((delay) -> assertThat(delay).isBetween(Duration.ofMillis(22_500), Duration.ofSeconds(45)));
	}

	@Test
	void initialIntervalOfZeroRetriesAtOnce() {
		RetryPolicy policy = RetryPolicy.exponential(Duration.ZERO, 2, Duration.ofHours(1), Duration.ZERO);
		assertThat(policy.retryIn(5_000)).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "-1, 2, 3600, 0, initial-interval", "31536001, 2, 31536001, 0, initial-interval",
			"15, 0.9, 3600, 0, multiplier", "15, 101, 3600, 0, multiplier", "15, NaN, 3600, 0, multiplier",
			"15, 2, 14, 0, max-interval", "15, 2, 31536001, 0, max-interval", "15, 2, 3600, -1, jitter",
			"15, 2, 3600, 16, jitter" })
	void valueOutOfItsRangeIsNamed(long initial, double multiplier, long most, long jitter, String named) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RetryPolicy.exponential(Duration.ofSeconds(initial), multiplier, Duration.ofSeconds(most),
					Duration.ofSeconds(jitter)))
			.withMessageStartingWith(named + " is ");
	}

}
