package io.lowkiq;

import java.nio.ByteBuffer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Tests of {@link TraceParent}. */
class TraceParentTests {

	private static final String TEXT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

	@Test
	void isTheSameAfterHeaderAndBytes() {
		TraceParent trace = TraceParent.parse(TEXT);
		assertThat(trace).isNotNull();
		assertThat(trace.sampled()).isTrue();
		assertThat(trace).hasToString(TEXT);
		assertThat(trace.toBytes()).hasSize(TraceParent.BYTES);
		assertThat(TraceParent.read(ByteBuffer.wrap(trace.toBytes()))).isEqualTo(trace);
	}

	@Test
	void laterVersionsOfTheHeaderAreReadAsFarAsTheyAreKnown() {
		assertThat(TraceParent.parse("cc" + TEXT.substring(2, TEXT.length() - 2) + "02-what"))
			.isEqualTo(new TraceParent("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", false));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "00", "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
			"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
			"ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
			"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
			"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1" })
	void otherTextIsNoTraceParent(String text) {
		assertThat(TraceParent.parse(text)).isNull();
	}

	@Test
	void idsAreHexadecimal() {
		assertThatIllegalArgumentException().isThrownBy(() -> new TraceParent("x".repeat(32), "a".repeat(16), true));
		assertThatIllegalArgumentException().isThrownBy(() -> new TraceParent("a".repeat(16), "a".repeat(16), true));
	}

}
