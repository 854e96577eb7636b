package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;

import io.lowkiq.store.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeptErrorTests {

	@Test
	void shortErrorIsKeptWhole() {
		assertThat(KeptError.encode("é")).isEqualTo("é".getBytes(StandardCharsets.UTF_8));
		assertThat(KeptError.encode("x".repeat(Outcome.MAX_ERROR_BYTES))).hasSize(Outcome.MAX_ERROR_BYTES);
	}

	@Test
	void longErrorIsCutBetweenCharacters() {
		String error = "x" + "😀".repeat(Outcome.MAX_ERROR_BYTES / 4);
		assertThat(new String(KeptError.encode(error), StandardCharsets.UTF_8))
			.isEqualTo("x" + "😀".repeat(Outcome.MAX_ERROR_BYTES / 4 - 1));
	}

}
