package io.lowkiq.store.job;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.lowkiq.PayloadException;
import io.lowkiq.TraceParent;
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
	void everythingAboutAFollowUpIsKept() {
		TracedProducer producer = new TracedProducer(
				new TraceParent("0123456789abcdef0123456789abcdef", "0123456789abcdef", true), 255);
		for (NewPayload payload : List.of(NewPayload.of("\uD83D\uDE00\uDC80", new byte[0]),
				new NewPayload("m", bytes("mail"), -2.5, 1L << 53, 0, producer, null, NEXT.toBytes()),
				new NewPayload("m", StoredPayload.of(bytes("{}"), NEXT.toBytes()), 0.0, null, 1_500))) {
			FollowUp followUp = new FollowUp("mäils", payload);
			assertThat(FollowUp.parse(followUp.toBytes())).usingRecursiveComparison().isEqualTo(followUp);
		}
	}

	@Test
	void aFollowUpIsItsQueueAndThePackedPayload() {
		PackedBytes packed = new PackedBytes().putBytes(bytes("mails"));
		PackedPayload.put(packed, NEXT.payload(), new Remembered(7, 8));
		assertThat(NEXT.toBytes()).isEqualTo(packed.toBytes());
	}

	/** Each byte of a follow-up with everything, changed in each bit, and each length. */
	@Test
	void anythingElseIsNoFollowUp() {
		TracedProducer producer = new TracedProducer(
				new TraceParent("0123456789abcdef0123456789abcdef", "0123456789abcdef", true), 255);
		byte[] good = new FollowUp("mails",
				new NewPayload("m", bytes("mail"), Double.MAX_VALUE, 1L, 0, producer, null, NEXT.toBytes()))
			.toBytes();
		for (int bit = 0; bit < 8 * good.length; bit++) {
			byte[] other = good.clone();
			other[bit / 8] ^= (byte) (1 << (bit % 8));
			assertIsSameOrNone(other);
		}
		for (int length = 0; length < good.length; length++) {
			byte[] cut = Arrays.copyOf(good, length);
			assertThat(FollowUp.parse(cut)).isNull();
		}
		assertThat(FollowUp.parse(Arrays.copyOf(good, good.length + 1))).isNull();
	}

	@Test
	void whatCanNotBeEnqueuedIsNoFollowUp() {
		for (NewPayload payload : List.of(NewPayload.of("m", bytes("mail")).withScore(Double.NaN),
				NewPayload.of("m", bytes("mail")).withDelay(Duration.ofMillis(-1)),
				NewPayload.of("m", bytes("mail")).from(new Origin(new Shard("orders", 1, 0), 1, 1)))) {
			byte[] bytes = new FollowUp("mails", payload).toBytes();
			assertThat(FollowUp.parse(bytes)).isNull();
		}
	}

	/** Nothing is read that would be written in another way. */
	private static void assertIsSameOrNone(byte[] bytes) {
		FollowUp followUp = FollowUp.parse(bytes);
		if (followUp == null) {
			return;
		}
		NewPayload payload = followUp.payload();
		assertThat(followUp.toBytes()).isEqualTo(bytes);
		assertThat(payload.score()).isNotEqualTo(Double.NaN);
		assertThat(payload.delay()).isNotNegative();
		assertThat(payload.origin()).isNull();
	}

}
