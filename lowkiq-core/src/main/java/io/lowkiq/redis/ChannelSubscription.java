package io.lowkiq.redis;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

import io.lowkiq.store.WakeUps;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;

/**
 * A subscription that can be renewed. A thread of its own begins it, because Redis may be
 * away, and ends the one before; then Lettuce keeps it alive. Thread-safe.
 */
final class ChannelSubscription implements WakeUps.Subscription {

	private static final Logger logger = LoggerFactory.getLogger(ChannelSubscription.class);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

	private final LettuceConnectionFactory connectionFactory;

	private final Supplier<ChannelListener> listeners;

	/** Guarded by this object's monitor, as the next two: what is wanted. */
	private @Nullable ChannelListener wanted;

	private boolean closed;

	ChannelSubscription(String name, LettuceConnectionFactory connectionFactory, Supplier<ChannelListener> listeners) {
		this.connectionFactory = connectionFactory;
		this.listeners = listeners;
		this.wanted = listeners.get();
		Thread thread = new Thread(this::keep, name);
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public synchronized void reconnect() {
		if (!this.closed) {
			if (this.wanted != null) {
				this.wanted.close();
			}
			this.wanted = this.listeners.get();
			notifyAll();
		}
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		if (this.wanted != null) {
			this.wanted.close();
			this.wanted = null;
		}
		notifyAll();
	}

	/** Keeps a container for the wanted listener until there is none. */
	private void keep() {
		ChannelListener present = null;
		RedisMessageListenerContainer container = null;
		Duration pause = FIRST_PAUSE;
		while (true) {
			ChannelListener next = awaitOther(present);
			if (next != present) {
				end(container);
				container = null;
				present = next;
				if (present == null) {
					return;
				}
			}
			try {
				container = begin(present);
				pause = FIRST_PAUSE;
			}
			catch (RuntimeException ex) {
				logger.debug("No connection for wake-ups, next attempt in up to {}", pause, ex);
				pause(pause, present);
				pause = (pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0) ? pause.multipliedBy(2) : LONGEST_PAUSE;
				present = null;
			}
		}
	}

	private RedisMessageListenerContainer begin(ChannelListener listener) {
		RedisMessageListenerContainer container = new RedisMessageListenerContainer();
		container.setConnectionFactory(this.connectionFactory);
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

	/** Waits until another listener is wanted than the present one. */
	private synchronized @Nullable ChannelListener awaitOther(@Nullable ChannelListener present) {
		while (this.wanted == present && present != null) {
			try {
				wait();
			}
			catch (InterruptedException ex) {
				// The thread is our own: nobody interrupts it
			}
		}
		return this.wanted;
	}

	private synchronized void pause(Duration pause, ChannelListener present) {
		long half = pause.toMillis() / 2;
		try {
			if (this.wanted == present) {
				wait(half + ThreadLocalRandom.current().nextLong(half + 1));
			}
		}
		catch (InterruptedException ex) {
			// The thread is our own: nobody interrupts it
		}
	}

}
