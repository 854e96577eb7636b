package io.lowkiq.engine;

import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** A clock that differs from that of Redis is known, and said once. */
@ExtendWith(OutputCaptureExtension.class)
class ClockDifferenceTests {

	private static final Instant NOW = Instant.parse("2030-01-01T10:00:00Z");

	private final ClockDifference difference = new ClockDifference();

	private void compare(Instant before, Instant after) {
		this.difference.compare(before, NOW, after);
	}

	private void compare(long aheadMillis) {
		compare(NOW.plusMillis(aheadMillis), NOW.plusMillis(aheadMillis));
	}

	@Test
	void aDifferenceIsSaidOnceUntilTheClocksAgreeAgain(CapturedOutput output) {
		compare(40_000);
		compare(39_000);
		assertThat(this.difference.text()).isEqualTo("39 s ahead of Redis");
		assertThat(output).containsOnlyOnce("The clock of this node is 40 s ahead of that of Redis")
			.doesNotContain("39 s ahead");
		compare(0);
		assertThat(this.difference.text()).isNull();
		assertThat(output).containsOnlyOnce("agrees with that of Redis again");
		compare(-2_500);
		assertThat(this.difference.text()).isEqualTo("2 s 500 ms behind Redis");
		assertThat(output).containsOnlyOnce("The clock of this node is 2 s 500 ms behind that of Redis");
	}

	@Test
	void aDifferenceOfASecondIsNone() {
		compare(1_000);
		compare(-1_000);
		assertThat(this.difference.text()).isNull();
	}

	@Test
	void aDifferenceAboutAsLargeAsTheToleranceIsSaidOnce(CapturedOutput output) {
		for (int i = 0; i < 10; i++) {
			compare(1_001);
			compare(999);
		}
		assertThat(output).containsOnlyOnce("The clock of this node");
	}

	@Test
	void aCallThatTakesLongIsNoDifference() {
		compare(NOW.minusSeconds(30), NOW.plusSeconds(30));
		assertThat(this.difference.text()).isNull();
		compare(NOW.plusSeconds(10), NOW.plusSeconds(50));
		assertThat(this.difference.text()).isEqualTo("10 s ahead of Redis");
		compare(NOW.minusSeconds(50), NOW.minusSeconds(10));
		assertThat(this.difference.text()).isEqualTo("10 s behind Redis");
	}

}
