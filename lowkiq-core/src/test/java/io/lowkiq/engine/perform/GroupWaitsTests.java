package io.lowkiq.engine.perform;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GroupWaitsTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private final GroupWaits waits = new GroupWaits();

	/** Asks for a second, and waits for it. */
	private boolean ask(String id, long second) {
		return this.waits.ask("a", id, second * SECOND, SECOND);
	}

	@Test
	void jobThatAsksAgainFailsIfAnotherOneOfItsGroupHasSucceeded() {
		assertThat(ask("a:1", 0)).isFalse();
		assertThat(ask("a:1", 1)).isFalse();
		this.waits.ended("b", "b:1", true);
		this.waits.ended("a", "a:2", false);
		assertThat(ask("a:1", 2)).isFalse();
		this.waits.ended("a", "a:2", true);
		assertThat(ask("a:1", 3)).isTrue();
		assertThat(ask("a:1", 4)).isFalse();
	}

	@Test
	void jobThatAsksForTheTenthTimeInARowFails() {
		for (int i = 1; i < 10; i++) {
			assertThat(ask("a:1", i)).isFalse();
		}
		assertThat(ask("a:1", 10)).isTrue();
		this.waits.ended("a", "a:1", false);
		assertThat(ask("a:1", 11)).isFalse();
	}

	@Test
	void groupWaitsUntilTheTimeAndThenForItsProbe() {
		ask("a:1", 0);
		this.waits.begin("a", "a:2", SECOND - 1);
		assertThat(this.waits.until(SECOND)).containsEntry("a", SECOND);
		this.waits.begin("a", "a:3", SECOND);
		assertThat(this.waits.until(SECOND)).containsEntry("a", 2 * SECOND);
		this.waits.ended("a", "a:2", true);
		assertThat(this.waits.until(SECOND)).containsKey("a");
		this.waits.ended("a", "a:3", true);
		assertThat(this.waits.until(SECOND)).isEmpty();
	}

	@Test
	void othersWaitForAProbeForASecondOnly() {
		ask("a:1", 0);
		this.waits.begin("a", "a:2", SECOND);
		assertThat(this.waits.until(2 * SECOND - 1)).containsKey("a");
		assertThat(this.waits.until(2 * SECOND)).isEmpty();
	}

	@Test
	void laterTimeWinsUnlessAProbeAsks() {
		ask("a:1", 1);
		ask("a:2", 0);
		assertThat(this.waits.until(0)).containsEntry("a", 2 * SECOND);
		this.waits.begin("a", "a:3", 2 * SECOND);
		this.waits.ask("a", "a:3", 2 * SECOND, SECOND / 2);
		assertThat(this.waits.until(2 * SECOND)).containsEntry("a", 2 * SECOND + SECOND / 2);
	}

	@Test
	void groupWithoutAJobForAMinuteNeedsNoProbe() {
		ask("a:1", 0);
		assertThat(this.waits.until(61 * SECOND)).containsKey("a");
		assertThat(this.waits.until(61 * SECOND + 1)).isEmpty();
	}

}
