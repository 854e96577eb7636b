package io.lowkiq.admin;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.NewerVersionException;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.testing.TestAdmin;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Actions on a queue, one shard of which a newer version has written.
 */
class NewerShardAdminTests {

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final RedisStore store = this.redis.store();

	private final QueueLayout orders = this.store.queues().register("orders", 3);

	private final LowkiqAdmin admin = TestAdmin.of(this.store);

	@BeforeEach
	void writeAsANewerVersion() {
		Shard newer = this.orders.shard(1);
		this.store.actions().pause(newer, false);
		byte[] key = bytes("lowkiq:{" + newer + "}:meta");
		byte[] meta = (byte[]) Objects.requireNonNull(this.redis.call(bytes("GET"), key).join());
		meta[1] = 4;
		this.redis.call(bytes("SET"), key, meta).join();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private List<ShardCounts> counts() {
		return this.store.inspection().counts(this.orders.allShards());
	}

	@Test
	void theOtherShardsArePausedAndTheRefusalIsThrown() {
		assertThatExceptionOfType(NewerVersionException.class).isThrownBy(() -> this.admin.pause("orders"));
		assertThat(counts()).extracting(ShardCounts::paused).containsExactly(true, false, true);
	}

	@Test
	void aQueueIsNotRemovedAndGoesOn() {
		assertThatExceptionOfType(QueueNotRemovableException.class).isThrownBy(() -> this.admin.removeQueue("orders"))
			.withMessageContaining("a newer one has written shards of it");
		assertThat(this.store.queues().register("orders", 3)).isEqualTo(this.orders);
	}

}
