package io.lowkiq.redis;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.lowkiq.store.WakeUps;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;

/**
 * Keeps a subscription alive on a thread of its own: connects, waits until it is told to
 * connect anew or the subscription died, and backs off while Redis is away.
 */
final class ChannelSubscription implements WakeUps.Subscription, Runnable {

	private static final Logger logger = LoggerFactory.getLogger(ChannelSubscription.class);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

	/** How long closing waits for a connection that doesn't answer. */
	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

	/** How often it is looked whether the subscription still lives. */
	private static final Duration LOOK_INTERVAL = Duration.ofSeconds(5);

	private final RedisConnectionFactory connectionFactory;

	private final ChannelListener listener;

	private final ReentrantLock lock = new ReentrantLock();

	/** Signalled when {@link #wanted} or {@link #closed} changed. */
	private final Condition told = this.lock.newCondition();

	/** Guarded by the lock; how many connections were asked for. */
	private int wanted = 1;

	/** Guarded by the lock; set once. */
	private boolean closed;

	/** Written before the thread starts, read by {@link #close()}. */
	private volatile @Nullable Thread thread;

	ChannelSubscription(RedisConnectionFactory connectionFactory, ChannelListener listener) {
		this.connectionFactory = connectionFactory;
		this.listener = listener;
	}

	void start(String name) {
		Thread created = new Thread(this, name);
		created.setDaemon(true);
		this.thread = created;
		created.start();
	}

	@Override
	public void run() {
		Duration pause = FIRST_PAUSE;
		while (!isClosed()) {
			int connection = wanted();
			try {
				subscribeUntilTold(connection);
				pause = FIRST_PAUSE;
			}
			catch (RuntimeException ex) {
				if (isClosed()) {
					return;
				}
				logger.debug("No connection for wake-ups, next attempt in up to {}", pause, ex);
				await(connection, jittered(pause));
				pause = (pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0) ? pause.multipliedBy(2) : LONGEST_PAUSE;
			}
		}
	}

	private void subscribeUntilTold(int connectionNumber) {
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			connection.subscribe(this.listener, this.listener.channels());
			Subscription subscription = connection.getSubscription();
			while (subscription != null && subscription.isAlive() && !await(connectionNumber, LOOK_INTERVAL)) {
				subscription = connection.getSubscription();
			}
		}
	}

	@Override
	public void reconnect() {
		this.lock.lock();
		try {
			this.wanted++;
			this.told.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void close() {
		this.listener.close();
		this.lock.lock();
		try {
			this.closed = true;
			this.told.signalAll();
		}
		finally {
			this.lock.unlock();
		}
		joinThread();
	}

	private void joinThread() {
		Thread started = this.thread;
		if (started == null || started == Thread.currentThread()) {
			return;
		}
		try {
			started.join(CLOSE_TIMEOUT.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		if (started.isAlive()) {
			started.interrupt();
		}
	}

	/**
	 * Waits until the subscription is closed or another connection is wanted.
	 * @param connectionNumber the connection that is there
	 * @param time how long to wait
	 * @return whether one of these is so
	 */
	private boolean await(int connectionNumber, Duration time) {
		this.lock.lock();
		try {
			long left = time.toNanos();
			while (!this.closed && this.wanted == connectionNumber && left > 0) {
				left = this.told.awaitNanos(left);
			}
			return this.closed || this.wanted != connectionNumber;
		}
		catch (InterruptedException ex) {
			// The thread is our own: only close() interrupts it
			return isClosed();
		}
		finally {
			this.lock.unlock();
		}
	}

	private boolean isClosed() {
		this.lock.lock();
		try {
			return this.closed;
		}
		finally {
			this.lock.unlock();
		}
	}

	private int wanted() {
		this.lock.lock();
		try {
			return this.wanted;
		}
		finally {
			this.lock.unlock();
		}
	}

	private static Duration jittered(Duration pause) {
		long half = TimeUnit.NANOSECONDS.convert(pause) / 2;
		return Duration.ofNanos(half + ThreadLocalRandom.current().nextLong(half + 1));
	}

}
