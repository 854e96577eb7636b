package io.lowkiq.store.job;

import java.nio.charset.StandardCharsets;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class IdBytesTests {

	@ParameterizedTest
	@ValueSource(strings = { "", "42", "é", "€", "😀", "\uFFFD", "a\uFFFDb😀", "\u0000\u007F\u0080\u07FF\u0800\uFFFF",
			"\uDBFF\uDFFF" })
	void textIsUtf8(String id) {
		assertThat(IdBytes.encode(id)).isEqualTo(id.getBytes(StandardCharsets.UTF_8));
		assertThat(IdBytes.decode(IdBytes.encode(id))).isEqualTo(id);
	}

	@Test
	void everyTwoBytesComeBack() {
		for (int i = 0; i <= 0xFFFF; i++) {
			assertComesBack(new byte[] { (byte) (i >> 8), (byte) i });
		}
	}

	@Test
	void anyBytesComeBack() {
		Random random = new Random(42);
		byte[] leads = { (byte) 0xC0, (byte) 0xC3, (byte) 0xE0, (byte) 0xED, (byte) 0xEF, (byte) 0xF0, (byte) 0xF4,
				(byte) 0xF5, (byte) 0x80, (byte) 0x9F, (byte) 0xA0, (byte) 0xBF, 'a' };
		for (int i = 0; i < 200_000; i++) {
			byte[] bytes = new byte[1 + random.nextInt(6)];
			for (int k = 0; k < bytes.length; k++) {
				bytes[k] = leads[random.nextInt(leads.length)];
			}
			assertComesBack(bytes);
		}
	}

	@Test
	void byteThatIsNoTextIsALoneSurrogate() {
		assertThat(IdBytes.decode(new byte[] { 'a', (byte) 0xFF, (byte) 0x80 })).isEqualTo("a\uDCFF\uDC80");
	}

	private static void assertComesBack(byte[] bytes) {
		assertThat(IdBytes.encode(IdBytes.decode(bytes))).isEqualTo(bytes);
	}

}
