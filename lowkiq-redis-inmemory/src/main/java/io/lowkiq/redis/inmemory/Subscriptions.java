package io.lowkiq.redis.inmemory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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

	private final List<Subscription> all = new ArrayList<>();

	private final Deque<Runnable> deliveries = new ArrayDeque<>();

	private boolean delivering;

	Subscriptions(ReentrantLock lock) {
		this.lock = lock;
	}

	private static final class Subscription {

		final Set<LuaString> channels;

		final Subscriber subscriber;

		/** Written by the subscriber, or under the lock; read by who delivers. */
		volatile boolean ended;

		Subscription(Set<LuaString> channels, Subscriber subscriber) {
			this.channels = channels;
			this.subscriber = subscriber;
		}

	}

	/** Adds a subscription; returns what ends it. */
	Runnable add(Set<LuaString> channels, Subscriber subscriber) {
		Subscription subscription = new Subscription(channels, subscriber);
		this.all.add(subscription);
		deliver(subscription, subscriber::subscribed);
		return () -> subscription.ended = true;
	}

	private void deliver(Subscription subscription, Runnable call) {
		this.deliveries.add(() -> {
			if (!subscription.ended) {
				call.run();
			}
		});
	}

	/** Sends a message; returns how many subscribers it will reach. */
	long publish(LuaString channel, LuaString message) {
		this.all.removeIf((subscription) -> subscription.ended);
		long receivers = 0;
		for (Subscription subscription : this.all) {
			if (subscription.channels.contains(channel)) {
				deliver(subscription, () -> subscription.subscriber.message(InMemoryRedis.bytes(channel),
						InMemoryRedis.bytes(message)));
				receivers++;
			}
		}
		return receivers;
	}

	/** Ends all subscriptions. Messages on their way to them are lost. */
	void dropAll() {
		for (Subscription subscription : this.all) {
			if (!subscription.ended) {
				subscription.ended = true;
				this.deliveries.add(subscription.subscriber::disconnected);
			}
		}
		this.all.clear();
	}

	/**
	 * Without the lock. If another thread is doing that, it will deliver the rest, too.
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
