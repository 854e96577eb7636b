package io.lowkiq.internal;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TimeTextTests {

	@Test
	void aTimeIsInUtc() {
		assertThat(TimeText.of(1_900_000_000_123L)).isEqualTo("2030-03-17 17:46:40 UTC");
	}

	@Test
	void anyNumberIsATime() {
		assertThat(TimeText.of(Long.MAX_VALUE)).isEqualTo("+292278994-08-17 07:12:55 UTC");
		assertThat(TimeText.of(Long.MIN_VALUE)).isEqualTo("-292275055-05-16 16:47:04 UTC");
	}

}
