package io.lowkiq;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;

import io.lowkiq.FailurePolicy.Treatment;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FailurePolicyTests {

	private final FailurePolicy policy = new FailurePolicy(Set.of(IllegalArgumentException.class),
			Set.of(IOException.class), RetriesExhausted.BURY_OLDEST);

	@Test
	void causesDecideIfTheErrorDoesNot() {
		assertThat(this.policy.treatmentOf(new IllegalStateException())).isEqualTo(Treatment.RETRY);
		assertThat(this.policy.treatmentOf(new NumberFormatException())).isEqualTo(Treatment.BURY);
		assertThat(
				this.policy.treatmentOf(new IllegalStateException(new RuntimeException(new NumberFormatException()))))
			.isEqualTo(Treatment.BURY);
		assertThat(this.policy.treatmentOf(new IllegalStateException(new IOException()))).isEqualTo(Treatment.DISCARD);
		assertThat(this.policy.treatmentOf(new IllegalStateException(new BuryException("dead"))))
			.isEqualTo(Treatment.BURY);
	}

	@Test
	void errorItselfComesFirst() {
		assertThat(this.policy.treatmentOf(new IllegalArgumentException(new IOException()))).isEqualTo(Treatment.BURY);
		assertThat(this.policy.treatmentOf(new IOException(new IllegalArgumentException())))
			.isEqualTo(Treatment.DISCARD);
	}

	@Test
	void whatATimeoutInterruptedDoesNotDecide() {
		assertThat(this.policy.treatmentOf(new PerformTimeoutException(Duration.ofSeconds(1), new IOException())))
			.isEqualTo(Treatment.RETRY);
	}

	@Test
	void circleOfCausesIsARetry() {
		IllegalStateException one = new IllegalStateException();
		one.initCause(new IllegalStateException(one));
		assertThat(this.policy.treatmentOf(one)).isEqualTo(Treatment.RETRY);
	}

}
