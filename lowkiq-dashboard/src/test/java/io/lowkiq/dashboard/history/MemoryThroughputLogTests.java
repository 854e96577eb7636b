package io.lowkiq.dashboard.history;

import java.time.Instant;
import java.util.OptionalLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link MemoryThroughputLog}.
 */
class MemoryThroughputLogTests extends ThroughputLogContract {

	private Instant now = Instant.parse("2026-01-01T00:00:00Z");

	private final MemoryThroughputLog log = new MemoryThroughputLog(() -> this.now);

	@Override
	ThroughputLog log() {
		return this.log;
	}

	@Test
	void aStepIsClaimedOnce() {
		assertThat(this.log.claim(1)).hasValue(this.now.toEpochMilli());
		assertThat(this.log.claim(1)).isEqualTo(OptionalLong.empty());
		this.now = this.now.plusSeconds(10);
		assertThat(this.log.claim(1)).isPresent();
	}

	@Test
	void aStepIsClaimedSomeStepsAfterTheLastOne() {
		assertThat(this.log.claim(6)).isPresent();
		this.now = this.now.plusSeconds(50);
		assertThat(this.log.claim(6)).isEmpty();
		this.now = this.now.plusSeconds(10);
		assertThat(this.log.claim(6)).isPresent();
	}

}
