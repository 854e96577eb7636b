package io.lowkiq.engine.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.lowkiq.store.WakeUps;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MessagesTests {

	private final List<String> received = new ArrayList<>();

	private final Messages messages = new Messages() {

		@Override
		public void wake(Shard woken) {
		}

		@Override
		public void released(Shard free) {
		}

		@Override
		public void changed() {
		}

		@Override
		void uncertain() {
			MessagesTests.this.received.add("uncertain");
		}

	};

	private final AtomicInteger reconnects = new AtomicInteger();

	private final AtomicInteger closed = new AtomicInteger();

	private final WakeUps wakeUps = (session, unused) -> new WakeUps.Subscription() {

		@Override
		public void reconnect() {
			MessagesTests.this.reconnects.incrementAndGet();
		}

		@Override
		public void close() {
			MessagesTests.this.closed.incrementAndGet();
		}

	};

	@Test
	void isPollingUntilItIsConnected() {
		this.messages.subscribe(this.wakeUps, "s");
		assertThat(this.messages.isPolling()).isTrue();
		this.messages.connected();
		assertThat(this.messages.isPolling()).isFalse();
		assertThat(this.received).containsExactly("uncertain");
	}

	@Test
	void reconnectsAfterTwoBeatsWithoutEchoAndTrustsOnlyAnEcho() {
		this.messages.subscribe(this.wakeUps, "s");
		this.messages.connected();
		this.messages.beat();
		this.messages.beat();
		assertThat(this.reconnects).hasValue(0);
		this.messages.beat();
		assertThat(this.reconnects).hasValue(1);
		assertThat(this.messages.isPolling()).isTrue();
		this.messages.connected();
		assertThat(this.messages.isPolling()).isTrue();
		this.messages.echo();
		assertThat(this.messages.isPolling()).isFalse();
	}

	@Test
	void aStoreWithoutMessagesIsPolledAndNotConnectedAgain() {
		this.messages.subscribe((session, unused) -> WakeUps.Subscription.NONE, "s");
		for (int i = 0; i < 10; i++) {
			this.messages.beat();
		}
		assertThat(this.messages.isPolling()).isTrue();
		assertThat(this.received).isEmpty();
	}

	@Test
	void echoesKeepTheConnection() {
		this.messages.subscribe(this.wakeUps, "s");
		for (int i = 0; i < 10; i++) {
			this.messages.beat();
			this.messages.echo();
		}
		assertThat(this.reconnects).hasValue(0);
		assertThat(this.messages.isPolling()).isFalse();
	}

	@Test
	void anotherSubscriptionEndsTheOneBefore() {
		this.messages.subscribe(this.wakeUps, "s-1");
		this.messages.connected();
		this.messages.subscribe(this.wakeUps, "s-2");
		assertThat(this.closed).hasValue(1);
		assertThat(this.messages.isPolling()).isTrue();
	}

}
