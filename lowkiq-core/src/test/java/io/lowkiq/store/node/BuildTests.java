package io.lowkiq.store.node;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BuildTests {

	@Test
	void theVersionIsFilledInByTheBuild() {
		assertThat(Build.THIS.version()).matches("\\d+\\.\\d+\\.\\d+.*");
		assertThat(Build.THIS.formats()).containsExactly(1);
	}

}
