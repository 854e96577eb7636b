package io.lowkiq.redis.wire;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

import io.lowkiq.store.NodeInfo;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PackedNodeInfoTests {

	private static final NodeInfo OLD = new NodeInfo("node", 42, Duration.ofSeconds(15), Set.of("orders"), false);

	private static final NodeInfo INFO = new NodeInfo("node", 42, Duration.ofSeconds(15), Set.of("orders"), false,
			"shop", Map.of("orders", "com.acme.Order"));

	/** Without a name and a type, these are two lengths of 0. */
	private static final int NOTHING = 8;

	@Test
	void isReadAsItWasWritten() {
		assertThat(PackedNodeInfo.unpack(PackedNodeInfo.pack(INFO))).isEqualTo(INFO);
	}

	@Test
	void anOlderVersionSaysNothingOfItsApplication() {
		byte[] packed = PackedNodeInfo.pack(OLD);
		byte[] old = Arrays.copyOf(packed, packed.length - NOTHING);
		assertThat(PackedNodeInfo.unpack(old)).isEqualTo(OLD);
	}

	@Test
	void whatCannotBeReadOfTheApplicationIsLeftOut() {
		byte[] packed = PackedNodeInfo.pack(INFO);
		int written = PackedNodeInfo.pack(OLD).length - NOTHING;
		for (int length = written; length < packed.length; length++) {
			assertThat(PackedNodeInfo.unpack(Arrays.copyOf(packed, length))).isEqualTo(OLD);
		}
	}

}
