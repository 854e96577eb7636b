package io.lowkiq.internal;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link LogText}. */
class LogTextTests {

	@Test
	void nothingBreaksOutOfALineOfTheLog() {
		assertThat(LogText.of("anna")).isEqualTo("anna");
		assertThat(LogText.of("a\r\nb\u001B[31m\u202E\u2028c\t")).isEqualTo("a\\r\\nb\\u001B[31m\\u202E\\u2028c\\t");
		assertThat(LogText.of("\uD800")).isEqualTo("\\uD800");
		assertThat(LogText.of("x".repeat(5_000))).hasSize(201);
		assertThat(LogText.of("x" + "😀".repeat(200))).isEqualTo("x" + "😀".repeat(99) + "…");
	}

	@Test
	void noWordIsCutUnlessItIsLong() {
		assertThat(LogText.of("the key lowkiq", 12)).isEqualTo("the key…");
		assertThat(LogText.of("the key lowkiq", 7)).isEqualTo("the key…");
		assertThat(LogText.of("the key " + "x".repeat(100), 70)).isEqualTo("the key " + "x".repeat(62) + "…");
		assertThat(LogText.of("lowkiq", 3)).isEqualTo("low…");
	}

	@Test
	void onlySomeIdsAreNamed() {
		assertThat(LogText.of(List.of("1", "2"))).isEqualTo("'1', '2'");
		assertThat(LogText.of(IntStream.range(0, 25).mapToObj(Integer::toString).toList())).endsWith("'19' and 5 more");
	}

}
