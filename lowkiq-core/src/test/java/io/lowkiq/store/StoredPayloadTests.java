package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.lowkiq.PayloadException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class StoredPayloadTests {

	private static final FollowUp NEXT = new FollowUp("mails", NewPayload.of("m", bytes("mail")));

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.ISO_8859_1);
	}

	private static Payload stored(byte[] payload, byte[] next) {
		return StoredPayload.read(StoredPayload.of(payload, next), 7);
	}

	@Test
	void aPayloadThatNothingFollowsIsKeptAsItIs() {
		byte[] payload = bytes("{}");
		assertThat(StoredPayload.of(payload, null)).isSameAs(payload);
		assertThat(StoredPayload.read(payload, 7)).isEqualTo(new Payload(payload, 7));
	}

	@Test
	void whatFollowsIsKept() {
		Payload read = stored(bytes("{}"), NEXT.toBytes());
		assertThat(read).isEqualTo(new Payload(bytes("{}"), 7, NEXT.toBytes()));
		assertThat(read.followUp()).usingRecursiveComparison().isEqualTo(NEXT);
	}

	@Test
	void allStepsAreKept() {
		FollowUp first = new FollowUp("orders", NewPayload.of("o", bytes("order")).followedBy(NEXT.toBytes()));
		assertThat(stored(bytes("{}"), first.toBytes()).steps()).extracting(FollowUp::queue)
			.containsExactly("orders", "mails");
	}

	@Test
	void aPayloadMayBeginLikeOneThatSomethingFollows() {
		byte[] alike = StoredPayload.of(bytes("{}"), NEXT.toBytes());
		assertThat(StoredPayload.read(StoredPayload.of(alike, null), 7)).isEqualTo(new Payload(alike, 7));
	}

	@ParameterizedTest
	@ValueSource(ints = { 8, 9, 12, 20, 30 })
	void whatIsCutOffCanNotBeRead(int length) {
		byte[] cut = Arrays.copyOf(StoredPayload.of(bytes("{}"), NEXT.toBytes()), length);
		Payload read = StoredPayload.read(cut, 7);
		assertThat(read.bytes()).isEqualTo(cut);
		assertThat(read.steps()).isEmpty();
		assertThatExceptionOfType(PayloadException.class).isThrownBy(read::followUp);
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
