package io.lowkiq.redis.call;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The connection that all calls of scripts share. It is Lowkiq's own, so it can be closed
 * when it has gone dead without a sign, as when a firewall forgets it. Lettuce would use
 * it until the operating system gives up, after a quarter of an hour. Thread-safe.
 * <p>
 * Where only the factory knows the servers, its connection is borrowed and never
 * replaced.
 */
final class ReplaceableConnection implements AutoCloseable {

	/** How many calls to a server time out in a row before its connection is checked. */
	private static final int MAX_UNANSWERED = 2;

	private final LettuceConnectionFactory factory;

	/** Held while connecting, so that one thread does. */
	private final Lock connecting = new ReentrantLock();

	/** Written under the lock, read by all callers. */
	private volatile @Nullable OwnConnection current;

	/** Timeouts since the last answer, by server. Of the threads that complete calls. */
	private final ConcurrentMap<String, Integer> unanswered = new ConcurrentHashMap<>();

	/**
	 * The check under way, or null. Written by threads that complete calls and by the
	 * check, under the monitor.
	 */
	private @Nullable DeadConnectionCheck check;

	ReplaceableConnection(LettuceConnectionFactory factory) {
		this.factory = factory;
	}

	/** The connection, if there is one; it may be about to connect again. */
	@Nullable OwnConnection present() {
		OwnConnection present = this.current;
		return (present != null && !present.isClosed()) ? present : null;
	}

	/** Connects if there is no connection. */
	OwnConnection get() {
		OwnConnection present = present();
		if (present != null) {
			return present;
		}
		this.connecting.lock();
		try {
			present = present();
			if (present == null) {
				present = OwnConnection.openOrBorrow(this.factory);
				this.current = present;
			}
			return present;
		}
		finally {
			this.connecting.unlock();
		}
	}

	/** Redis has answered a call, perhaps by an error. */
	void answered(OwnConnection connection, byte[] key) {
		if (!this.unanswered.isEmpty() && connection == this.current) {
			this.unanswered.remove(connection.server(key));
		}
	}

	void timedOut(OwnConnection connection, byte[] key) {
		if (connection != this.current || !connection.isReplaceable()) {
			return;
		}
		if (this.unanswered.merge(connection.server(key), 1, Integer::sum) >= MAX_UNANSWERED) {
			check(connection, key);
		}
	}

	private synchronized void check(OwnConnection connection, byte[] key) {
		if (this.check == null) {
			this.check = new DeadConnectionCheck(this, connection, key, RedisAddress.of(this.factory));
			this.check.start(this::endCheck);
		}
	}

	private synchronized void endCheck() {
		this.unanswered.clear();
		this.check = null;
	}

	/** Opens a connection that may become the present one. */
	OwnConnection open() {
		return OwnConnection.open(this.factory, Duration.ZERO);
	}

	boolean replace(OwnConnection old, OwnConnection other) {
		this.connecting.lock();
		try {
			if (this.current != old || old.isClosed()) {
				return false;
			}
			this.current = other;
			return true;
		}
		finally {
			this.connecting.unlock();
		}
	}

	@Override
	public void close() {
		this.connecting.lock();
		try {
			OwnConnection present = present();
			this.current = null;
			if (present != null) {
				present.close();
			}
		}
		finally {
			this.connecting.unlock();
		}
	}

}
