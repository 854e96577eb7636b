package io.lowkiq;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class RetryPolicyTests {

	@ParameterizedTest
	@CsvSource({ "0, 15, 29", "1, 16, 58", "5, 640, 174", "24, 331791, 725", "-1, 15, 29" })
	void growsAsTheGemsRuleSays(int retryCount, long least, long spread) {
		for (int i = 0; i < 200; i++) {
			assertThat(RetryPolicy.standard().retryIn(retryCount)).isBetween(Duration.ofSeconds(least),
					Duration.ofSeconds(least + spread));
		}
	}

}
