package io.lowkiq.redis.wire;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

import io.lowkiq.store.node.Build;
import io.lowkiq.store.node.NodeInfo;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PackedNodeInfoTests {

	private static final NodeInfo OLD = new NodeInfo("node", 42, Duration.ofSeconds(15), Set.of("orders"), false);

	private static final NodeInfo INFO = new NodeInfo("node", 42, Duration.ofSeconds(15), Set.of("orders"), false,
			"shop", Map.of("orders", "com.acme.Order"), new Build("1.2.3", Set.of(1, 2)), Set.of("mails"),
			Set.of("orders"));

	/**
	 * Without a name, a type, a version, a format, a foreign and a shared queue, these
	 * are six lengths of 0.
	 */
	private static final int NOTHING = 24;

	/** The length of one foreign and one shared queue. */
	private static final int QUEUES = 4 + 4 + 5 + 4 + 4 + 6;

	/** The length of a version of 5 characters, and of two formats, and what follows. */
	private static final int BUILD = 4 + 5 + 4 + 8 + QUEUES;

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
			NodeInfo read = PackedNodeInfo.unpack(Arrays.copyOf(packed, length));
			assertThat(read.build()).isEqualTo((length < packed.length - QUEUES) ? Build.UNKNOWN : INFO.build());
			assertThat(read.sharedQueues()).isEmpty();
			assertThat(read.application()).isEqualTo((length < packed.length - BUILD) ? "" : "shop");
			assertThat(read.queues()).isEqualTo(OLD.queues());
		}
	}

	@Test
	void whatALaterVersionAddsIsPassedOver() {
		byte[] packed = PackedNodeInfo.pack(INFO);
		assertThat(PackedNodeInfo.unpack(Arrays.copyOf(packed, packed.length + 9))).isEqualTo(INFO);
	}

}
