package io.lowkiq.engine;

import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.store.Shard;
import io.lowkiq.store.WakeUps;

import static org.assertj.core.api.Assertions.assertThat;

class WakeUpListenerTests {

	private final Shard shard = new Shard("orders", 1, 0);

	private final ShardSlot slot = new ShardSlot(this.shard, new ServedQueue(new RegisteredWorker("orders",
			Worker.class, Object.class, RegisteredWorker.Settings.DEFAULTS, () -> (Worker<Object>) (id, payloads) -> {
			}), ServerSettings.DEFAULTS), Instant.EPOCH);

	private final AtomicInteger reconnects = new AtomicInteger();

	private final AtomicInteger looks = new AtomicInteger();

	private final WakeUpListener listener = new WakeUpListener(Map.of(this.shard, this.slot),
			this.looks::incrementAndGet, () -> {
			});

	private final WakeUps wakeUps = (session, unused) -> new WakeUps.Subscription() {

		@Override
		public void reconnect() {
			WakeUpListenerTests.this.reconnects.incrementAndGet();
		}

		@Override
		public void close() {
		}

	};

	@Test
	void isDeafUntilItIsConnected() {
		this.listener.subscribe(this.wakeUps, "s");
		assertThat(this.listener.isDeaf()).isTrue();
		this.listener.connected();
		assertThat(this.listener.isDeaf()).isFalse();
	}

	@Test
	void connectsAnewAfterTwoBeatsWithoutEchoAndTrustsOnlyAnEcho() {
		this.listener.subscribe(this.wakeUps, "s");
		this.listener.connected();
		this.listener.beat();
		this.listener.beat();
		assertThat(this.reconnects).hasValue(0);
		this.listener.beat();
		assertThat(this.reconnects).hasValue(1);
		assertThat(this.listener.isDeaf()).isTrue();
		this.listener.connected();
		assertThat(this.listener.isDeaf()).isTrue();
		this.listener.echo();
		assertThat(this.listener.isDeaf()).isFalse();
	}

	@Test
	void echoesKeepTheConnection() {
		this.listener.subscribe(this.wakeUps, "s");
		for (int i = 0; i < 10; i++) {
			this.listener.beat();
			this.listener.echo();
		}
		assertThat(this.reconnects).hasValue(0);
		assertThat(this.listener.isDeaf()).isFalse();
	}

	@Test
	void aReleasedShardMayBeFree() {
		this.slot.maybeFree(false);
		this.listener.released(this.shard);
		assertThat(this.slot.isMaybeFree()).isTrue();
		assertThat(this.looks).hasValue(1);
	}

}
