package io.lowkiq.engine.lease;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.engine.runtime.SystemRuntime;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.node.Membership;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class HeartbeatTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final long TAKES = Duration.ofSeconds(2).toNanos();

	private final AtomicLong nanos = new AtomicLong();

	private final NodeRegistry registry = InMemoryRedis.newStore(InstantSource.system()).nodes();

	private final AtomicBoolean outOfMemory = new AtomicBoolean();

	private final List<String> heard = new CopyOnWriteArrayList<>();

	private final Heartbeat heartbeat = new Heartbeat(this.registry, "node", LEASE, new SystemRuntime(this.nanos::get),
			this::info, new StoreAvailability(new StateLock(new SystemRuntime(System::nanoTime)), () -> {
			}), new Listener());

	@AfterEach
	void end() {
		this.heartbeat.loop().end();
		this.heartbeat.loop().awaitEnd(PATIENCE.toNanos());
	}

	/** What comes between the begin and the end of a heartbeat takes time. */
	private NodeInfo info() {
		if (this.outOfMemory.getAndSet(false)) {
			throw new OutOfMemoryError("pretended");
		}
		this.nanos.addAndGet(TAKES);
		return new NodeInfo("node", 0, LEASE, Set.of(), false);
	}

	/**
	 * A failover may forget the last answered heartbeat, so that another node sees none
	 * since the one before.
	 */
	@Test
	void aLeaseCountsFromBeforeTheLastHeartbeatButOneWasSent() {
		this.heartbeat.loop().start((message, error) -> this.heard.add(message));
		await().atMost(PATIENCE).until(() -> this.heard.contains("began"));
		Session session = this.heartbeat.session();
		assertThat(session).isNotNull();
		assertThat(session.nanosLeft()).isEqualTo(LEASE.toNanos() - TAKES);
		beat(1);
		assertThat(session.nanosLeft()).isEqualTo(LEASE.toNanos() - 2 * TAKES);
		beat(2);
		assertThat(session.nanosLeft()).isEqualTo(LEASE.toNanos() - 2 * TAKES);
	}

	private void beat(int number) {
		this.heartbeat.beatNow();
		await().atMost(PATIENCE).until(() -> Collections.frequency(this.heard, "beat") == number);
	}

	@Test
	void anAnswerThatComesAfterTheLeaseHasRunOutDoesNotProlongIt() {
		this.heartbeat.loop().start((message, error) -> this.heard.add(message));
		await().atMost(PATIENCE).until(() -> this.heard.contains("began"));
		Session session = this.heartbeat.session();
		assertThat(session).isNotNull();
		this.nanos.addAndGet(session.nanosLeft() - 1);
		assertThat(session.isValid()).isTrue();
		this.heartbeat.beatNow();
		await().atMost(PATIENCE).until(() -> this.heard.contains("lapsed"));
		assertThat(session.isValid()).isFalse();
		await().atMost(PATIENCE).until(() -> this.heartbeat.session() != null);
		assertThat(this.heartbeat.session()).isNotSameAs(session);
		assertThat(Session.family(session.id())).isEqualTo("node");
	}

	@Test
	void anOutOfMemoryErrorDoesNotEndTheHeartbeat() {
		this.heartbeat.loop().start((message, error) -> this.heard.add(message));
		await().atMost(PATIENCE).until(() -> this.heard.contains("began"));
		this.outOfMemory.set(true);
		this.heartbeat.beatNow();
		await().atMost(PATIENCE).until(() -> this.heard.contains("beat"));
		assertThat(this.heard).doesNotContain("lapsed");
	}

	private final class Listener implements Heartbeat.Listener {

		@Override
		public void joined() {
		}

		@Override
		public void joining() {
		}

		@Override
		public void began(Session session, Membership membership) {
			HeartbeatTests.this.heard.add("began");
		}

		@Override
		public void beating() {
		}

		@Override
		public void beat(Session session, Membership membership) {
			HeartbeatTests.this.heard.add("beat");
		}

		@Override
		public void lapsed(Session session) {
			HeartbeatTests.this.heard.add("lapsed");
		}

	}

}
