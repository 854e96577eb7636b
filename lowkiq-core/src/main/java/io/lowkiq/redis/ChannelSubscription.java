package io.lowkiq.redis;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lowkiq.store.WakeUps;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.Subscription;

/**
 * Keeps a subscription alive on a thread of its own: connects, waits until it is closed
 * or the connection is lost, and backs off while Redis is away.
 * <p>
 * Lettuce subscribes and returns, and tells messages on threads of its own. Jedis
 * subscribes and reads, on the thread that asked, until another one unsubscribes; or for
 * ever, if Redis has gone without a word. A thread that is caught so is left behind when
 * it was closed: its listener is told nothing any more.
 * <p>
 * Jedis' connection goes back to a pool afterwards, if it is not one of
 * {@link JedisMessageConnections}, so nothing may be left in it to read: it is told to
 * unsubscribe once, and that has ended before anything else is done to it.
 */
final class ChannelSubscription implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(ChannelSubscription.class);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

	/** How long closing waits for a connection that doesn't answer. */
	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

	/** How often closing asks a connection that reads to stop. */
	private static final Duration CLOSE_INTERVAL = Duration.ofMillis(20);

	/** How often it is looked whether the subscription still lives. */
	private static final Duration LOOK_INTERVAL = Duration.ofSeconds(5);

	private final Supplier<RedisConnection> connections;

	private final ChannelListener listener;

	private final Thread thread;

	/** Read and cleared by the thread. */
	private @Nullable ChannelSubscription predecessor;

	private final CountDownLatch closed = new CountDownLatch(1);

	/**
	 * The connection in which the thread subscribes, or reads if it is one that blocks.
	 * Written by the thread under the monitor.
	 */
	private volatile @Nullable RedisConnection subscribing;

	/**
	 * A subscription that isn't started.
	 * @param name of its thread
	 * @param connections makes a connection to Redis
	 * @param ownChannel the channel of the session
	 * @param commonChannel the channel of all
	 * @param listener told what comes
	 * @param predecessor closed before this one connects; may be null
	 */
	ChannelSubscription(String name, Supplier<RedisConnection> connections, byte[] ownChannel, byte[] commonChannel,
			WakeUps.Listener listener, @Nullable ChannelSubscription predecessor) {
		this.connections = connections;
		this.listener = new ChannelListener(ownChannel, commonChannel, listener, this::connectedTooLate);
		this.predecessor = predecessor;
		this.thread = new Thread(this, name);
		this.thread.setDaemon(true);
	}

	void start() {
		this.thread.start();
	}

	@Override
	public void run() {
		if (this.predecessor != null) {
			this.predecessor.close();
			this.predecessor = null;
		}
		Duration pause = FIRST_PAUSE;
		while (!isClosed()) {
			try {
				subscribe();
				pause = FIRST_PAUSE;
			}
			catch (RuntimeException ex) {
				if (isClosed()) {
					return;
				}
				logger.debug("No connection for wake-ups, next attempt in up to {}", pause, ex);
				awaitClosed(jittered(pause));
				pause = (pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0) ? pause.multipliedBy(2) : LONGEST_PAUSE;
			}
		}
	}

	/** Returns when it is closed, or the connection lost. */
	private void subscribe() {
		try (RedisConnection connection = this.connections.get()) {
			this.listener.connecting();
			subscribing(connection);
			try {
				if (!isClosed()) {
					connection.subscribe(this.listener, this.listener.channels());
				}
			}
			finally {
				subscribing(null);
			}
			Subscription subscription = connection.getSubscription();
			while (subscription != null && subscription.isAlive() && !awaitClosed(LOOK_INTERVAL)) {
				subscription = connection.getSubscription();
			}
		}
	}

	private synchronized void subscribing(@Nullable RedisConnection connection) {
		this.subscribing = connection;
	}

	/** The listener is told nothing any more. */
	void silence() {
		this.listener.close();
	}

	/**
	 * Ends the subscription. Waits until the connection is closed, or a second if it
	 * doesn't answer.
	 */
	void close() {
		silence();
		this.closed.countDown();
		if (Thread.currentThread() == this.thread) {
			return;
		}
		try {
			long end = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
			while (this.thread.isAlive() && end - System.nanoTime() > 0) {
				unsubscribe();
				this.thread.join(CLOSE_INTERVAL.toMillis());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		// Jedis would stop reading in the midst of an answer, which the next user of its
		// connection would then get; and does not subscribe any more if it has not yet
		if (this.thread.isAlive() && this.subscribing == null) {
			this.thread.interrupt();
		}
	}

	/**
	 * Has a thread that reads come back from it. Not before the server has answered:
	 * until then the thread itself may be writing to the connection.
	 */
	private synchronized void unsubscribe() {
		RedisConnection connection = this.subscribing;
		Subscription subscription = (connection != null) ? connection.getSubscription() : null;
		if (subscription == null || !this.listener.isConnected()) {
			return;
		}
		try {
			subscription.unsubscribe();
		}
		catch (RuntimeException ex) {
			logger.debug("The connection for wake-ups can't be told to stop yet", ex);
		}
	}

	/** Who closed it may have given up waiting before. */
	private void connectedTooLate() {
		if (Thread.currentThread() == this.thread) {
			unsubscribe();
		}
	}

	private boolean isClosed() {
		return this.closed.getCount() == 0;
	}

	private boolean awaitClosed(Duration time) {
		try {
			return this.closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			// The thread is our own: only close() interrupts it
			return isClosed();
		}
	}

	private static Duration jittered(Duration pause) {
		long half = TimeUnit.NANOSECONDS.convert(pause) / 2;
		return Duration.ofNanos(half + ThreadLocalRandom.current().nextLong(half + 1));
	}

}
