package io.lowkiq.redis;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.lowkiq.StoreTimeoutException;
import io.lowkiq.redis.call.ChannelListener;
import io.lowkiq.redis.call.LettuceConnections;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.RedisConnections;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.WakeUps;
import io.lowkiq.store.job.ShardPayloads;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A shard that a canceled removal has left closed is needed while another removal begins.
 */
class ClosedShardsIntegrationTests {

	private volatile Instant now = Instant.now();

	private final RedisConnectionFactory factory = TestRedis.shared().connectionFactory();

	private final WatchedConnections connections = new WatchedConnections(new LettuceConnections(this.factory, null));

	private final RedisStore store = new RedisStore(this.connections, TestRedis.uniquePrefix(), () -> this.now);

	private final QueueLayout queue = this.store.queues().register("orders", 1);

	@AfterEach
	void close() {
		this.store.close();
		TestRedis.destroy(this.factory);
	}

	private void closeShard() {
		this.store.actions().close(this.queue.shard(0), null, false);
	}

	private void remove() {
		this.store.queues().beginRemoval(this.queue);
		closeShard();
	}

	private void enqueue() {
		this.store.shards().enqueue(this.queue.shard(0), List.of(newPayload("a", "1")));
	}

	private long queued() {
		return this.store.inspection().counts(this.queue.shard(0)).queued();
	}

	@Test
	void theClosingThatWasSeenIsUndone() {
		closeShard();
		enqueue();
		assertThat(queued()).isEqualTo(1);
	}

	@Test
	void aRemovalThatBeginsBeforeTheRecordIsReadStands() {
		closeShard();
		this.connections.before("look up a queue", this::remove);
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(this::enqueue);
		assertThat(queued()).isZero();
	}

	@Test
	void aRemovalThatBeginsBeforeTheShardIsOpenedStands() {
		closeShard();
		this.connections.before("open a shard", this::remove);
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(this::enqueue);
		assertThat(queued()).isZero();
	}

	@Test
	void aShardThatIsNotKnownIsOpenedOnlySoonAfterItsRefusal() {
		this.connections.before("look up a queue", () -> this.now = this.now.plusMillis(30_001));
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(this::enqueue)
			.matches(QueueClosedException::isUnknown);
		assertThat(queued()).isZero();
		this.connections.before("look up a queue", () -> this.now = this.now.plusMillis(29_999));
		enqueue();
		assertThat(queued()).isEqualTo(1);
	}

	@Test
	void theRefusalStandsIfTheRecordCanNotBeRead() {
		closeShard();
		this.connections.before("look up a queue", () -> {
			throw new StoreTimeoutException("no reply", null);
		});
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(this::enqueue)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasOnlyElementsOfType(StoreTimeoutException.class));
		enqueue();
		assertThat(queued()).isEqualTo(1);
	}

	@Test
	void aShardThatIsNotKnownIsNoRefusalIfTheRecordCanNotBeRead() {
		Runnable noReply = () -> {
			throw new StoreTimeoutException("no reply", null);
		};
		this.connections.before("look up a queue", noReply);
		assertThatExceptionOfType(StoreTimeoutException.class).isThrownBy(this::enqueue);
		this.connections.before("look up a queue", noReply);
		ShardPayloads call = new ShardPayloads(this.queue.shard(0), List.of(newPayload("a", "1")));
		assertThat(this.store.shards().enqueueAll(List.of(call, call)).problems().values()).hasSize(2)
			.hasOnlyElementsOfType(StoreTimeoutException.class);
		enqueue();
		assertThat(queued()).isEqualTo(1);
	}

	/** Connections that do something before a script is started for the next time. */
	private static final class WatchedConnections implements RedisConnections {

		private final RedisConnections connections;

		private final Map<String, Runnable> before = new ConcurrentHashMap<>();

		WatchedConnections(RedisConnections connections) {
			this.connections = connections;
		}

		void before(String task, Runnable action) {
			this.before.put(task, action);
		}

		@Override
		public CompletableFuture<Reply> start(LuaScript script, byte[][] keys, byte[][] arguments) {
			Runnable action = this.before.remove(script.task());
			if (action == null) {
				return this.connections.start(script, keys, arguments);
			}
			// The thread of the connection must not wait
			return CompletableFuture.runAsync(action)
				.thenCompose((done) -> this.connections.start(script, keys, arguments));
		}

		@Override
		public CompletableFuture<Reply> startOnce(LuaScript script, byte[][] keys, byte[][] arguments) {
			return this.connections.startOnce(script, keys, arguments);
		}

		@Override
		public WakeUps.Subscription subscribe(String name, Set<String> channels, ChannelListener listener) {
			return this.connections.subscribe(name, channels, listener);
		}

		@Override
		public String address() {
			return this.connections.address();
		}

		@Override
		public void close() {
			this.connections.close();
		}

	}

}
