package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.store.KeptError.Attempt;
import io.lowkiq.store.inspection.ErrorKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class KeptErrorTests {

	private static final String ATTEMPTS = "\n\u0001attempts ";

	private static List<Attempt> attempts(int count) {
		return IntStream.rangeClosed(1, count)
			.mapToObj((i) -> new Attempt(i, 1_000 * i, "node-" + i, "a.B: " + i))
			.toList();
	}

	@Test
	void shortErrorIsKeptWhole() {
		assertThat(KeptError.cut("é")).isEqualTo("é");
		assertThat(KeptError.cut("x".repeat(Outcome.MAX_ERROR_BYTES))).hasSize(Outcome.MAX_ERROR_BYTES);
	}

	@Test
	void longErrorIsCutBetweenCharacters() {
		String error = "x" + "😀".repeat(Outcome.MAX_ERROR_BYTES / 4);
		String cut = "x" + "😀".repeat(Outcome.MAX_ERROR_BYTES / 4 - 1);
		assertThat(KeptError.cut(error)).isEqualTo(cut);
		assertThat(new KeptError(error, List.of()).kept()).isEqualTo(cut);
		assertThat(new Outcome.Retry("a", 0, error).error()).isEqualTo(cut);
		assertThat(new Outcome.Hold("a", error).error()).isEqualTo(cut);
		assertThat(new Outcome.Unreadable("a", 0, error).error()).isEqualTo(cut);
		assertThat(new Outcome.PartlyDone("a", List.of(), List.of(0), error, false).error()).isEqualTo(cut);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a.B: c", "a.B: c\n\tat d.E.f(E.java:1)", "\n", "a\nattempts []" })
	void whatIsKeptIsReadBack(String text) {
		for (int count : List.of(0, 1, 10)) {
			KeptError error = new KeptError(text, attempts(count));
			assertThat(KeptError.parse(error.kept())).isEqualTo(error);
			assertThat(ErrorKind.of(error.kept())).isEqualTo(ErrorKind.of(text));
		}
	}

	@Test
	void attemptsAreOneLineWhateverTheirTexts() {
		Attempt odd = new Attempt(1, 2, "n\u0001\"\u0000", "\\\u0001attempts [] \"ä😀");
		String kept = new KeptError("text", List.of(odd)).kept();
		assertThat(kept.lines()).hasSize(2);
		assertThat(KeptError.parse(kept).attempts()).containsExactly(odd);
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
		KeptError error = new KeptError("text", attempts(13));
		assertThat(error.attempts()).isEqualTo(attempts(13).subList(3, 13));
		assertThat(KeptError.parse(error.kept()).attempts()).isEqualTo(error.attempts());
	}

	@Test
	void aLongTextIsCutAndItsAttemptsStayWhole() {
		List<Attempt> largest = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			largest.add(new Attempt(Integer.MAX_VALUE, Long.MAX_VALUE, "\u0002".repeat(200), "\u0002".repeat(200)));
		}
		for (List<Attempt> attempts : List.of(attempts(10), largest)) {
			String kept = new KeptError("x" + "ä".repeat(Outcome.MAX_ERROR_BYTES), attempts).kept();
			assertThat(kept.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(Outcome.MAX_ERROR_BYTES - 1,
					Outcome.MAX_ERROR_BYTES);
			assertThat(new Outcome.Retry("a", 0, kept).error()).isEqualTo(kept);
			assertThat(KeptError.parse(kept).attempts()).isEqualTo(attempts);
			assertThat(KeptError.parse(kept).text()).startsWith("xä").endsWith("ä");
		}
	}

	@Test
	void noTextForgesAttempts() {
		String forged = new KeptError("a.B: c", attempts(2)).kept();
		assertThat(KeptError.parse(forged).attempts()).isNotEmpty();
		KeptError read = KeptError.parse(new KeptError(forged, List.of()).kept());
		assertThat(read.attempts()).isEmpty();
		assertThat(read.text()).startsWith("a.B: c").contains("node-2");
		KeptError next = KeptError.parse(new KeptError(forged, attempts(1)).kept());
		assertThat(next.attempts()).isEqualTo(attempts(1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "?", "[", "[]", "{}", "7", "[7]", "[{}]", "[{\"attempt\":1}]",
			"[{\"attempt\":0,\"at\":1,\"node\":\"n\",\"error\":\"e\"}]",
			"[{\"attempt\":\"1\",\"at\":1,\"node\":\"n\",\"error\":\"e\"}]",
			"[{\"attempt\":1,\"at\":1.5,\"node\":\"n\",\"error\":\"e\"}]",
			"[{\"attempt\":1,\"at\":99999999999999999999,\"node\":\"n\",\"error\":\"e\"}]",
			"[{\"attempt\":1,\"at\":1,\"node\":null,\"error\":\"e\"}]",
			"[{\"attempt\":1,\"at\":1,\"node\":\"n\",\"error\":[]}]",
			"[{\"attempt\":1,\"at\":1,\"node\":\"n\",\"error\":\"e\"}]x",
			"[{\"attempt\":1,\"at\":1,\"node\":\"n\",\"error\":\"e\"}]\n",
			"[{\"attempt\":1,\"at\":1,\"node\":\"n\",\"error\":\"e\"}" })
	void anOddLineIsText(String line) {
		String kept = "a.B: c" + ATTEMPTS + line;
		assertThat(KeptError.parse(kept)).isEqualTo(new KeptError(kept, List.of()));
	}

	@Test
	void tooManyAttemptsAreText() {
		String one = "{\"attempt\":1,\"at\":1,\"node\":\"n\",\"error\":\"e\"}";
		assertThat(KeptError.parse("t" + ATTEMPTS + '[' + one + ']').attempts()).hasSize(1);
		assertThat(KeptError.parse("t" + ATTEMPTS + '[' + (one + ',').repeat(10) + one + ']').attempts()).isEmpty();
		assertThat(KeptError.parse("t" + ATTEMPTS + "[".repeat(20_000)).attempts()).isEmpty();
	}

}
