package io.lowkiq.engine;

import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.lowkiq.LowkiqClient;
import io.lowkiq.Worker;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.Faults;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.WakeUps;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.lowkiq.engine.ServerFixture.BRIEF_LEASE;
import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A failover may forget that a shard was released: then a node holds it without knowing,
 * and no other node gets it. With many shards, looking at one after the other takes too
 * long.
 */
class FailoverTests {

	private static final int SHARDS = 40;

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final RedisStore store = this.redis.store();

	private final Set<String> performed = ConcurrentHashMap.newKeySet();

	@AutoClose
	private ServerFixture fixture = new ServerFixture(this.store);

	private LowkiqServer start() {
		return this.fixture.started((builder) -> builder.settings(BRIEF_LEASE));
	}

	private void worker() {
		this.fixture.worker("orders", settings(SHARDS, 1, 5),
				(Worker<Integer>) (id, payloads) -> this.performed.add(id));
	}

	private void awaitAJobOfEachShardPerformed() {
		LowkiqClient client = this.fixture.client();
		QueueLayout layout = this.fixture.queues.find("orders").orElseThrow();
		for (Shard shard : layout.allShards()) {
			client.enqueue("orders", ServerFixture.idIn(layout, shard.index()), 1);
		}
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.performed).hasSize(SHARDS));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void shardsWhoseReleaseAFailoverForgotGoToTheirNewOwnerAtOnce(boolean messagesArrive) {
		// The registry is on another master
		RedisStore registry = InMemoryRedis.newStore(InstantSource.system());
		this.store.queues().register("orders", SHARDS);
		WakeUps messages = messagesArrive ? both(registry.wakeUps(), this.store.wakeUps()) : new Mute();
		this.fixture = new ServerFixture(registry, this.store.shards(), messages);
		worker();
		LowkiqServer first = start();
		ServerFixture.awaitHeld(SHARDS, first);
		Faults.Snapshot replica = this.redis.faults().snapshot();
		LowkiqServer second = start();
		ServerFixture.awaitHeld(SHARDS / 2, first, second);
		this.redis.faults().promote(replica);
		ServerFixture.awaitHeld(SHARDS / 2, first, second);
		awaitAJobOfEachShardPerformed();
	}

	/**
	 * As the master of a cluster that has the queues, and not the nodes. If a process
	 * without any knowledge is the first to record the queue, that has another
	 * generation.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aQueueThatIsForgottenWithItsShardsIsServedAgain(boolean hasOtherGeneration) {
		Faults.Snapshot empty = this.redis.faults().snapshot();
		QueueRegistry queues = this.store.queues();
		QueueLayout removed = queues.register("orders", SHARDS);
		queues.beginRemoval(removed);
		queues.endRemoval(removed);
		worker();
		LowkiqServer server = this.fixture.server((builder) -> builder.settings(BRIEF_LEASE),
				InMemoryRedis.newStore(InstantSource.system()).nodes());
		server.start();
		ServerFixture.awaitHeld(SHARDS, server);
		this.redis.faults().promote(empty);
		if (hasOtherGeneration) {
			this.redis.store().queues().register("orders", SHARDS);
		}
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(queues.find("orders")).map(QueueLayout::generation)
				.contains(hasOtherGeneration ? 1 : 2));
		awaitAJobOfEachShardPerformed();
	}

	/** As that of one master of a cluster, to which neither node listens. */
	@Test
	void aFailoverThatBreaksNoConnectionLeavesNoShardWithoutAnOwner() {
		worker();
		LowkiqServer first = start();
		LowkiqServer second = start();
		ServerFixture.awaitHeld(SHARDS / 2, first, second);
		String session = String.valueOf(first.status().session());
		String other = String.valueOf(second.status().session());
		for (Shard shard : ServerFixture.held(second)) {
			assertThat(this.store.shards().acquire(shard, LeaseRequest.afterLapse(session, other)).join())
				.isInstanceOf(Acquisition.Acquired.class);
		}
		awaitAJobOfEachShardPerformed();
		ServerFixture.awaitHeld(SHARDS / 2, first, second);
	}

	/** Messages from two masters. */
	static WakeUps both(WakeUps one, WakeUps other) {
		return (session, listener) -> {
			WakeUps.Subscription first = one.subscribe(session, listener);
			WakeUps.Subscription second = other.subscribe(session, listener);
			return new WakeUps.Subscription() {

				@Override
				public void reconnect() {
					first.reconnect();
					second.reconnect();
				}

				@Override
				public void close() {
					first.close();
					second.close();
				}

			};
		};
	}

	/** Messages that never arrive, as with a user who may not subscribe. */
	private static final class Mute implements WakeUps {

		@Override
		public Subscription subscribe(String session, Listener listener) {
			return new Subscription() {

				@Override
				public void reconnect() {
					// There is no connection
				}

				@Override
				public void close() {
					// There is no connection
				}

			};
		}

	}

}
