package io.lowkiq.store.job;

import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.store.job.Failure.Attempt;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FailureTests {

	private static List<Attempt> attempts(int count) {
		return IntStream.rangeClosed(1, count)
			.mapToObj((i) -> new Attempt(i, 1_000 * i, "node-" + i, "a.B: " + i))
			.toList();
	}

	@Test
	void aShortTextIsKeptWhole() {
		assertThat(new Failure("é").text()).isEqualTo("é");
		assertThat(new Failure("x".repeat(Outcome.MAX_ERROR_BYTES)).text()).hasSize(Outcome.MAX_ERROR_BYTES);
	}

	@Test
	void aLongTextIsCutBetweenCharacters() {
		String text = "x" + "😀".repeat(Outcome.MAX_ERROR_BYTES / 4);
		assertThat(new Failure(text).text()).isEqualTo("x" + "😀".repeat(Outcome.MAX_ERROR_BYTES / 4 - 1));
	}

	@Test
	void attemptHasTheFirstLineOfItsFailure() {
		assertThat(new Attempt(1, 2, "n", "a.B: c\r\n\tat x").error()).isEqualTo("a.B: c");
		assertThat(new Attempt(1, 2, "n".repeat(300), "x".repeat(300)))
			.isEqualTo(new Attempt(1, 2, "n".repeat(200), "x".repeat(200)));
		assertThat(new Attempt(1, 2, "n", "x" + "😀".repeat(300)).error()).isEqualTo("x" + "😀".repeat(99));
	}

	@Test
	void theLastTenAttemptsAreKept() {
		assertThat(new Failure("text", attempts(13)).attempts()).isEqualTo(attempts(13).subList(3, 13));
	}

}
