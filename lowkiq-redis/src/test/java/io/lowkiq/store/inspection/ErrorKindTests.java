package io.lowkiq.store.inspection;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link ErrorKind}. */
class ErrorKindTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '§', textBlock = """
			java.lang.IllegalStateException: order 42 is locked | java.lang.IllegalStateException | order # is locked
			java.lang.NullPointerException                      | java.lang.NullPointerException  |
			a.B$C: x: y                                         | a.B$C | x: y
			a.B: took 1,234.50 ms at 12:30:45                   | a.B | took # ms at #
			a.B: no order 123e4567-e89b-12d3-a456-426614174000. | a.B | no order #.
			a.B: at 0x7fDEad00 and 9f86d081884c7d65             | a.B | at # and #
			a.B: defaced facade                                 | a.B | defaced facade
			a.B: can't read 'x y' nor "z", don't ask `q`        | a.B | can't read '…' nor '…', don't ask '…'
			Unreadable data in Redis: an entry of 17 bytes      |     | Unreadable data in Redis: an entry of # bytes
			deadlock: detected                                  |     | deadlock: detected
			""")
	void replacesValues(String error, String type, String message) {
		ErrorKind kind = ErrorKind.of(error);
		assertThat(kind.type()).isEqualTo(type);
		assertThat(kind.message()).isEqualTo((message != null) ? message : "");
		assertThat(ErrorKind.isKey(kind.key())).isTrue();
	}

	@Test
	void looksAtTheFirstLineOnly() {
		assertThat(ErrorKind.of(" a.B: one\n\tat x.Y.z(Y.java:1)\nCaused by: c.D: 1"))
			.isEqualTo(ErrorKind.of("a.B: one\r\n\tat other"));
	}

	@Test
	void theBeginningOfAnErrorIsEnough() {
		for (String character : new String[] { "x", "ä", "€", "😀", "1", "'" }) {
			String error = "a.B: x" + character.repeat(3_000);
			byte[] bytes = error.getBytes(StandardCharsets.UTF_8);
			String beginning = new String(bytes, 0, ErrorKind.ENOUGH_BYTES, StandardCharsets.UTF_8);
			assertThat(ErrorKind.of(beginning)).isEqualTo(ErrorKind.of(error));
		}
	}

	@Test
	void aValueOfAnotherLengthInALongMessageMakesNoOtherKind() {
		String long1 = "a.B: order 1 is " + "not very ".repeat(100) + "good";
		assertThat(ErrorKind.of(long1.replace("1", "1234567890"))).isEqualTo(ErrorKind.of(long1));
	}

	@Test
	void theKeyIsThatOfTypeAndMessage() {
		String key = ErrorKind.of("a.B: order 1").key();
		// The same on every node, and in every version
		assertThat(key).isEqualTo("804e2cd0a8c218f1");
		assertThat(ErrorKind.of("a.B: order 2").key()).isEqualTo(key);
		assertThat(ErrorKind.of("a.C: order 1").key()).isNotEqualTo(key);
		assertThat(ErrorKind.of("a.B: odder 1").key()).isNotEqualTo(key);
	}

	@Test
	void isShortHoweverLongTheTextIs() {
		String long1 = "a.B: " + "'\"".repeat(50_000) + "x".repeat(50_000);
		assertThat(ErrorKind.of(long1).message()).hasSizeLessThanOrEqualTo(200);
		String emoji = "a.B: " + "😀".repeat(5_000);
		assertThat(ErrorKind.of(emoji).message()).hasSize(200);
		assertThat(ErrorKind.of("a.B: x" + "😀".repeat(5_000)).message()).hasSize(199);
		assertThat(ErrorKind.of("").message()).isEmpty();
	}

}
