package io.lowkiq.dashboard;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link LogText}.
 */
class LogTextTests {

	@Test
	void keepsTextOnOneLineAndShort() {
		assertThat(LogText.of("anna")).isEqualTo("anna");
		assertThat(LogText.of("a\r\nb\u001B[31m\u202E\u2028c")).isEqualTo("a\uFFFD\uFFFDb\uFFFD[31m\uFFFD\uFFFDc");
		assertThat(LogText.of("x".repeat(5_000))).hasSize(201);
	}

	@Test
	void namesTheFirstIds() {
		assertThat(LogText.of(List.of("1", "2"))).isEqualTo("'1', '2'");
		assertThat(LogText.of(List.of(TestQueue.ids("", 25)))).endsWith("'19' and 5 more");
	}

}
