package io.lowkiq.redis.call;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

import io.lowkiq.internal.DurationText;
import io.lowkiq.store.WakeUps;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;
import org.springframework.util.backoff.FixedBackOff;

/**
 * A subscription that can be renewed. A thread begins it, because Redis may be away, and
 * ends the one before. Then the thread ends, and Lettuce keeps the subscription alive.
 * Thread-safe.
 */
final class ChannelSubscription implements WakeUps.Subscription {

	private static final Logger logger = LoggerFactory.getLogger(ChannelSubscription.class);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

	/** How long closing waits for a silent connection: the heartbeat waits, too. */
	private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(200);

	private final LettuceConnectionFactory connectionFactory;

	/** Waits for an answer of Redis, or throws. */
	private final Runnable ping;

	private final Supplier<ClosableListener> listeners;

	private final String name;

	/** The listener to be subscribed; null after closing. Guarded by the monitor. */
	private @Nullable ClosableListener wanted;

	/** Subscribes or closes; null if all is as wanted. Guarded by the monitor. */
	private @Nullable Thread thread;

	/** Of the last listener. Used by one such thread after another. */
	private @Nullable RedisMessageListenerContainer container;

	ChannelSubscription(String name, LettuceConnectionFactory connectionFactory, Runnable ping,
			Supplier<ClosableListener> listeners) {
		this.name = name;
		this.connectionFactory = connectionFactory;
		this.ping = ping;
		this.listeners = listeners;
		want(listeners.get());
	}

	@Override
	public synchronized void reconnect() {
		if (this.wanted != null) {
			this.wanted.close();
			want(this.listeners.get());
		}
	}

	@Override
	public void close() {
		Thread closing;
		synchronized (this) {
			if (this.wanted != null) {
				this.wanted.close();
				want(null);
			}
			closing = this.thread;
		}
		try {
			// The connection factory may be closed afterwards
			if (closing != null) {
				closing.join(CLOSE_TIMEOUT.toMillis());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private synchronized void want(@Nullable ClosableListener listener) {
		this.wanted = listener;
		if (this.thread != null) {
			notifyAll();
			return;
		}
		Thread started = new Thread(this::work, this.name);
		started.setDaemon(true);
		started.start();
		this.thread = started;
	}

	/** Replaces the container until it is that of the wanted listener. */
	private void work() {
		ClosableListener listener;
		do {
			end(this.container);
			listener = wanted();
			this.container = (listener != null) ? begin(listener) : null;
		}
		while (!isDone(listener));
	}

	private synchronized boolean isDone(@Nullable ClosableListener listener) {
		if (this.wanted != listener) {
			return false;
		}
		this.thread = null;
		return true;
	}

	/** Returns null if another listener is wanted meanwhile. */
	private @Nullable RedisMessageListenerContainer begin(ClosableListener listener) {
		Duration pause = FIRST_PAUSE;
		while (wanted() == listener) {
			try {
				return subscribe(listener);
			}
			catch (RuntimeException ex) {
				logger.debug("No connection for wake-ups, next attempt in up to {}", DurationText.of(pause), ex);
				awaitOther(listener, pause);
				pause = (pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0) ? pause.multipliedBy(2) : LONGEST_PAUSE;
			}
		}
		return null;
	}

	private RedisMessageListenerContainer subscribe(ClosableListener listener) {
		// The container would log each attempt as an error, also if Redis takes no more
		// connections
		this.ping.run();
		OwnConnection.open(this.connectionFactory, Duration.ZERO).close();
		RedisMessageListenerContainer container = new RedisMessageListenerContainer();
		container.setConnectionFactory(this.connectionFactory);
		// Repeated here, where closing ends it
		container.setRecoveryBackoff(new FixedBackOff(0, 0));
		// On the thread of the connection
		container.setTaskExecutor(Runnable::run);
		listener.channels().forEach((channel) -> container.addMessageListener(listener, ChannelTopic.of(channel)));
		try {
			container.afterPropertiesSet();
			container.start();
			return container;
		}
		catch (RuntimeException ex) {
			end(container);
			throw ex;
		}
	}

	private static void end(@Nullable RedisMessageListenerContainer container) {
		if (container == null) {
			return;
		}
		try {
			container.destroy();
		}
		catch (Exception ex) {
			logger.debug("A connection for wake-ups could not be closed in an orderly way", ex);
		}
	}

	private synchronized @Nullable ClosableListener wanted() {
		return this.wanted;
	}

	@SuppressWarnings("WaitNotInLoop")
	private synchronized void awaitOther(ClosableListener present, Duration longest) {
		try {
			if (this.wanted == present) {
				long half = longest.toMillis() / 2;
				wait(half + ThreadLocalRandom.current().nextLong(half + 1));
			}
		}
		catch (InterruptedException ex) {
			// The thread is our own: nobody interrupts it
		}
	}

}
