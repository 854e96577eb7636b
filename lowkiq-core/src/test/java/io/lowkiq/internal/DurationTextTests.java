package io.lowkiq.internal;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class DurationTextTests {

	@ParameterizedTest
	@CsvSource({ "PT0S, 0 s", "PT1M, 1 min", "PT1M30S, 1 min 30 s", "PT0.25S, 250 ms", "PT1.5S, 1 s 500 ms",
			"PT26H5M7S, 1 d 2 h", "PT-5S, -5 s", "PT0.0001S, less than 1 ms" })
	void namesTheTwoLargestUnits(Duration duration, String text) {
		assertThat(DurationText.of(duration)).isEqualTo(text);
	}

}
