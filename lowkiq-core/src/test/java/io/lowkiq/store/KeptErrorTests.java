package io.lowkiq.store;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeptErrorTests {

	@Test
	void shortErrorIsKeptWhole() {
		assertThat(KeptError.of("é")).isEqualTo("é");
		assertThat(KeptError.of("x".repeat(Outcome.MAX_ERROR_BYTES))).hasSize(Outcome.MAX_ERROR_BYTES);
	}

	@Test
	void longErrorIsCutBetweenCharacters() {
		String error = "x" + "😀".repeat(Outcome.MAX_ERROR_BYTES / 4);
		String cut = "x" + "😀".repeat(Outcome.MAX_ERROR_BYTES / 4 - 1);
		assertThat(KeptError.of(error)).isEqualTo(cut);
		assertThat(new Outcome.Retry("a", 0, error).error()).isEqualTo(cut);
		assertThat(new Outcome.Hold("a", error).error()).isEqualTo(cut);
		assertThat(new Outcome.Unreadable("a", 0, error).error()).isEqualTo(cut);
		assertThat(new Outcome.Part("a", List.of(), List.of(0), error, false).error()).isEqualTo(cut);
	}

}
