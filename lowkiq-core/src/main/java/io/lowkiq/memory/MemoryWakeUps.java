package io.lowkiq.memory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.lowkiq.store.Shard;
import io.lowkiq.store.WakeUps;

/**
 * Messages to waiting nodes, delivered on the sender's thread.
 */
final class MemoryWakeUps implements WakeUps {

	private final List<MemorySubscription> subscriptions = new CopyOnWriteArrayList<>();

	@Override
	public Subscription subscribe(String session, Listener listener) {
		MemorySubscription subscription = new MemorySubscription(session, listener);
		this.subscriptions.add(subscription);
		listener.connected();
		return subscription;
	}

	void wake(String session, Shard shard) {
		send(session, (listener) -> listener.wake(shard));
	}

	void echo(String session) {
		send(session, Listener::echo);
	}

	void released(Shard shard) {
		this.subscriptions.forEach((subscription) -> subscription.listener.released(shard));
	}

	void changed() {
		this.subscriptions.forEach((subscription) -> subscription.listener.changed());
	}

	private void send(String session, Consumer<Listener> message) {
		this.subscriptions.stream()
			.filter((subscription) -> subscription.session.equals(session))
			.forEach((subscription) -> message.accept(subscription.listener));
	}

	/**
	 * One listener; removed from the list when it is closed.
	 */
	private final class MemorySubscription implements Subscription {

		private final String session;

		private final Listener listener;

		MemorySubscription(String session, Listener listener) {
			this.session = session;
			this.listener = listener;
		}

		@Override
		public void reconnect() {
			if (MemoryWakeUps.this.subscriptions.contains(this)) {
				this.listener.connected();
			}
		}

		@Override
		public void close() {
			MemoryWakeUps.this.subscriptions.remove(this);
		}

	}

}
