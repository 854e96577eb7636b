package io.lowkiq.redis.inmemory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;

/**
 * The subscriptions, and the messages on their way. All fields are guarded by the lock of
 * the server, which is not held while a subscriber is called.
 */
final class Subscriptions {

	private final ReentrantLock lock;

	private final Set<Subscription> all = new LinkedHashSet<>();

	/** What subscribers are yet to be told, in order. */
	private final Deque<Runnable> deliveries = new ArrayDeque<>();

	/** Whether a thread delivers at this time. */
	private boolean delivering;

	Subscriptions(ReentrantLock lock) {
		this.lock = lock;
	}

	/**
	 * The subscription of a subscriber to some channels.
	 *
	 * @param channels the channels
	 * @param subscriber receives the messages
	 */
	private record Subscription(Set<LuaString> channels, Subscriber subscriber) {

		@Override
		public boolean equals(@Nullable Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			return System.identityHashCode(this);
		}

	}

	/** Adds a subscription; returns what ends it. */
	Runnable add(Set<LuaString> channels, Subscriber subscriber) {
		Subscription subscription = new Subscription(channels, subscriber);
		this.all.add(subscription);
		deliver(subscription, subscriber::subscribed);
		return () -> remove(subscription);
	}

	private void remove(Subscription subscription) {
		this.lock.lock();
		try {
			this.all.remove(subscription);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void deliver(Subscription subscription, Runnable call) {
		this.deliveries.add(() -> {
			if (isOpen(subscription)) {
				call.run();
			}
		});
	}

	private boolean isOpen(Subscription subscription) {
		this.lock.lock();
		try {
			return this.all.contains(subscription);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Sends a message; returns how many subscribers it will reach. */
	long publish(LuaString channel, LuaString message) {
		List<Subscription> receivers = this.all.stream()
			.filter((subscription) -> subscription.channels().contains(channel))
			.toList();
		for (Subscription receiver : receivers) {
			deliver(receiver,
					() -> receiver.subscriber().message(InMemoryRedis.bytes(channel), InMemoryRedis.bytes(message)));
		}
		return receivers.size();
	}

	/** Ends all subscriptions. Messages on their way to them are lost. */
	void dropAll() {
		List<Subscription> dropped = new ArrayList<>(this.all);
		this.all.clear();
		dropped.forEach((subscription) -> this.deliveries.add(subscription.subscriber()::disconnected));
	}

	/**
	 * Tells subscribers what is on its way. If another thread is doing that, it will
	 * deliver the rest too. Called without the lock.
	 */
	void deliverAll() {
		for (Runnable next = next(true); next != null; next = next(false)) {
			next.run();
		}
	}

	private @Nullable Runnable next(boolean begins) {
		this.lock.lock();
		try {
			if (begins && this.delivering) {
				return null;
			}
			Runnable next = this.deliveries.poll();
			this.delivering = next != null;
			return next;
		}
		finally {
			this.lock.unlock();
		}
	}

}
