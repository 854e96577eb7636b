package io.lowkiq.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.lowkiq.store.HandOver;
import io.lowkiq.store.Shard;
import io.lowkiq.store.FetchResult;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Of a message only what can be read counts.
 */
class WakeUpMessageTests {

	private static final Shard SHARD = new Shard("orders", 1, 0);

	private static final int PLAIN = 1;

	private static final int MULTI = 3;

	private static byte[] message(double next, int idLength, byte[] entry) {
		byte[] name = SHARD.toString().getBytes(StandardCharsets.UTF_8);
		ByteBuffer message = ByteBuffer.allocate(name.length + 1 + 5 * 8 + 4 + 2 + entry.length);
		message.put(name).put((byte) 0).putDouble(7).putDouble(3).putDouble(1e15).putDouble(1000).putDouble(next);
		return message.putInt(idLength).put((byte) 'i').put((byte) 'd').put(entry).array();
	}

	private static byte[] entry(int kind, int bytes) {
		return ByteBuffer.allocate(17 + bytes).put((byte) kind).putDouble(1000).putDouble(1000.5).array();
	}

	private static void assertOnlyWakes(byte[] message) {
		assertThat(WakeUpMessage.shard(message)).contains(SHARD);
		assertThat(WakeUpMessage.handOver(message)).isEmpty();
	}

	@Test
	void jobIsRead() {
		HandOver handOver = WakeUpMessage.handOver(message(2000, 2, entry(PLAIN, 3))).orElseThrow();
		assertThat(handOver.epoch()).isEqualTo(7);
		assertThat(handOver.after()).isEqualTo(3);
		assertThat(handOver.sequence()).isEqualTo(1_000_000_000_000_000L);
		assertThat(handOver.now()).isEqualTo(1000);
		assertThat(handOver.next()).isEqualTo(2000);
		assertThat(handOver.job().id()).isEqualTo("id");
		assertThat(handOver.job().performAt()).isEqualTo(1000);
		assertThat(handOver.job().payloads()).singleElement()
			.satisfies((payload) -> assertThat(payload.bytes()).hasSize(3));
	}

	@Test
	void noNextJobIsNothing() {
		assertThat(WakeUpMessage.handOver(message(Double.POSITIVE_INFINITY, 2, entry(PLAIN, 0))).orElseThrow().next())
			.isEqualTo(FetchResult.NOTHING);
	}

	@Test
	void nameAloneWakes() {
		assertOnlyWakes(SHARD.toString().getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void messageThatEndsTooEarlyWakes() {
		byte[] whole = message(2000, 2, entry(PLAIN, 0));
		for (int length = SHARD.toString().length() + 1; length < whole.length; length++) {
			assertOnlyWakes(Arrays.copyOf(whole, length));
		}
	}

	@Test
	void messageThatCanNotBeTrueWakes() {
		assertOnlyWakes(message(2000, -1, entry(PLAIN, 0)));
		assertOnlyWakes(message(2000, Integer.MAX_VALUE, entry(PLAIN, 0)));
		assertOnlyWakes(message(2000, 2, entry(9, 0)));
		assertOnlyWakes(message(2000, 2, entry(MULTI, 13)));
	}

	@Test
	void messageOfNoShardIsNone() {
		assertThat(WakeUpMessage.shard(new byte[] { 0, 1, 2 })).isEmpty();
		assertThat(WakeUpMessage.shard(new byte[0])).isEmpty();
	}

}
