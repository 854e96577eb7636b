package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.lowkiq.PayloadException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ChainedPayloadTests {

	private static final FollowUp NEXT = new FollowUp("mails", NewPayload.of("m", bytes("mail")));

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.ISO_8859_1);
	}

	@Test
	void aPayloadThatNothingFollowsIsKeptAsItIs() {
		byte[] payload = bytes("{}");
		assertThat(new ChainedPayload(payload, null).toBytes()).isSameAs(payload);
		assertThat(ChainedPayload.parse(payload).payload()).isSameAs(payload);
		assertThat(ChainedPayload.parse(payload).next()).isNull();
	}

	@Test
	void whatFollowsIsKept() {
		ChainedPayload read = ChainedPayload.parse(new ChainedPayload(bytes("{}"), NEXT).toBytes());
		assertThat(read.payload()).isEqualTo(bytes("{}"));
		assertThat(read.next()).usingRecursiveComparison().isEqualTo(NEXT);
	}

	@Test
	void aPayloadMayBeginLikeOneThatSomethingFollows() {
		byte[] alike = new ChainedPayload(bytes("{}"), NEXT).toBytes();
		ChainedPayload read = ChainedPayload.parse(new ChainedPayload(alike, null).toBytes());
		assertThat(read.payload()).isEqualTo(alike);
		assertThat(read.next()).isNull();
	}

	@ParameterizedTest
	@ValueSource(ints = { 8, 9, 12, 20, 30 })
	void whatIsCutOffCanNotBeRead(int length) {
		byte[] whole = new ChainedPayload(bytes("{}"), NEXT).toBytes();
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> ChainedPayload.parse(Arrays.copyOf(whole, length)));
	}

	@Test
	void anythingElseIsNoFollowUp() {
		byte[] good = NEXT.toBytes();
		byte[] flags = good.clone();
		flags[0] = 64;
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> FollowUp.parse(flags));
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> FollowUp.parse(Arrays.copyOf(good, good.length + 1)));
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> FollowUp.parse(new byte[0]));
	}

}
