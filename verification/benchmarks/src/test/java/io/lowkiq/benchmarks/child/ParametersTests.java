package io.lowkiq.benchmarks.child;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A parameter can be overridden.
 */
class ParametersTests {

	@Test
	void lastOfTheSameNameHolds() {
		assertThat(Parameters.of("jobs=10", "shards=2", "jobs=20").jobs()).isEqualTo(20);
	}

}
