package io.lowkiq.redis.inmemory;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Numbers as C reads and writes them.
 */
class NumbersTests {

	@ParameterizedTest
	@CsvSource({ "0, 0", "-0.0, -0", "0.1, 0.10000000000000001", "1e17, 1e+17",
			"123456789012345678, 1.2345678901234568e+17", "9007199254740993, 9007199254740992",
			"1e-5, 1.0000000000000001e-05", "0.0001, 0.0001", "1e300, 1.0000000000000001e+300", "Infinity, inf",
			"-Infinity, -inf", "NaN, nan", "1e15, 1000000000000000", "-2.5, -2.5",
			"4.9e-324, 4.9406564584124654e-324" })
	void seventeenDigits(double number, String text) {
		assertThat(Numbers.general(number, 17)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource({ "100000000000000, 1e+14", "99999999999999, 99999999999999", "0.1, 0.1",
			"1758000000000123, 1.7580000000001e+15", "3.14159265358979, 3.1415926535898", "1e-7, 1e-07" })
	void fourteenDigits(double number, String text) {
		assertThat(Numbers.general(number, 14)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource({ "0.5, 0, 0", "1.5, 0, 2", "2.5, 0, 2", "-0.4, 0, -0", "1.005, 2, 1.00",
			"1e20, 0, 100000000000000000000" })
	void decimals(double number, int decimals, String text) {
		assertThat(Numbers.fixed(number, decimals)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource({ "1, 1", "-1.5, -1.5", ".5, 0.5", "5., 5", "1e3, 1000", "inf, Infinity", "-INF, -Infinity",
			"+infinity, Infinity", "0x10, 16", "1e999, Infinity" })
	void textIsNumber(String text, double number) {
		assertThat(Numbers.parse(text)).isEqualTo(number);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "x", "1d", "1f", "1 ", " 1", "1_0", "0x", "NaN", "1e", "--1" })
	void textIsNoNumber(String text) {
		assertThat(Numbers.parse(text)).isNaN();
	}

	@ParameterizedTest
	@ValueSource(strings = { "1e999", "-1e999", "1e-999" })
	void scoreIsOutOfRange(String text) {
		assertThat(Numbers.parseScore(text)).isNaN();
	}

	@ParameterizedTest
	@ValueSource(strings = { "01", "+1", "-0", "1.0", "", " 1", "9223372036854775808" })
	void textIsNoInteger(String text) {
		assertThat(Numbers.parseInteger(text)).isNull();
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE })
	void textIsInteger(long number) {
		assertThat(Numbers.parseInteger(Long.toString(number))).isEqualTo(number);
	}

}
