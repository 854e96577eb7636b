package io.lowkiq.redis;

import java.util.List;
import java.util.Optional;

import io.lowkiq.redis.call.LettuceConnections;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A removal that begins while a node repairs what an earlier one has left stays in force.
 */
class RepairingQueueRegistryIntegrationTests {

	private final RedisShardFixture fixture = new RedisShardFixture();

	private final LettuceConnections connections = new LettuceConnections(this.fixture.connectionFactory, null);

	private final QueueRegistry recorded = this.fixture.store.queues();

	@BeforeEach
	void recordQueue() {
		this.recorded.register("orders", 1);
		this.fixture.own();
		this.fixture.release();
		closeShard();
	}

	@AfterEach
	void close() {
		this.connections.close();
		this.fixture.close();
	}

	private void closeShard() {
		this.fixture.store.actions().close(this.fixture.shard, null, false);
	}

	private QueueRegistry repairing(QueueRegistry registry) {
		ShardKeys keys = new ShardKeys(this.fixture.prefix);
		return new RepairingQueueRegistry(registry,
				new ShardScripts(this.connections, keys, new StoreClock(() -> this.fixture.now)));
	}

	@Test
	void closingThatIsLaterThanTheOneThatWasSeenStands() {
		QueueRegistry registry = repairing(new WhenAskedAgain(this.recorded, this::closeShard));
		registry.register("orders", 1);
		assertThatExceptionOfType(QueueClosedException.class)
			.isThrownBy(() -> this.fixture.enqueue(newPayload("a", "1")));
	}

	@Test
	void closingThatWasSeenIsUndone() {
		repairing(new WhenAskedAgain(this.recorded, () -> {
		})).register("orders", 1);
		assertThat(this.fixture.enqueue(newPayload("a", "1")).merged()).isZero();
	}

	/**
	 * A registry without repair, which does something when a queue is registered for the
	 * second time.
	 */
	private static final class WhenAskedAgain implements QueueRegistry {

		private final QueueLayout layout;

		private final Runnable action;

		private int calls;

		WhenAskedAgain(QueueRegistry recorded, Runnable action) {
			this.layout = recorded.find("orders").orElseThrow();
			this.action = action;
		}

		@Override
		public QueueLayout register(String name, int shards) {
			if (++this.calls == 2) {
				this.action.run();
			}
			return this.layout;
		}

		@Override
		public Optional<QueueLayout> find(String name) {
			return Optional.of(this.layout);
		}

		@Override
		public boolean beginRemoval(QueueLayout queue) {
			return false;
		}

		@Override
		public boolean cancelRemoval(QueueLayout queue) {
			return false;
		}

		@Override
		public boolean endRemoval(QueueLayout queue) {
			return false;
		}

		@Override
		public List<QueueLayout> all() {
			return List.of(this.layout);
		}

	}

}
