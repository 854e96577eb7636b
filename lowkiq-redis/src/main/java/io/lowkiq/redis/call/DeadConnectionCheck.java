package io.lowkiq.redis.call;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * Finds out whether a connection is dead, or Redis doesn't respond at all. Dead is one
 * that doesn't answer while a new one does; it is replaced then. While neither does,
 * there are attempts with growing pauses. Everything runs on one thread, which ends when
 * Redis answers or the connection is closed.
 */
final class DeadConnectionCheck {

	private static final Logger logger = LoggerFactory.getLogger(DeadConnectionCheck.class);

	/** How long an answer to PING may take. */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

	/** The pauses between attempts, in milliseconds, 25 % shorter or longer at random. */
	private static final ExponentialBackOff BACK_OFF = backOff();

	private final ReplaceableConnection connections;

	private final OwnConnection old;

	private final byte[] key;

	private final String address;

	DeadConnectionCheck(ReplaceableConnection connections, OwnConnection old, byte[] key, String address) {
		this.connections = connections;
		this.old = old;
		this.key = key;
		this.address = address;
	}

	void start(Runnable atEnd) {
		Thread thread = new Thread(() -> {
			try {
				run();
			}
			finally {
				atEnd.run();
			}
		}, "lowkiq-connection-check");
		thread.setDaemon(true);
		thread.start();
	}

	private void run() {
		// A broken one connects again by itself
		if (!isConnected() || answers(this.old)) {
			return;
		}
		logger.warn("Redis at {} does not reply. Opening a new connection, in case the present one is dead",
				this.address);
		BackOffExecution pauses = BACK_OFF.start();
		while (!replaced()) {
			pause(pauses.nextBackOff());
			if (this.old.isClosed()) {
				return;
			}
			if (answers(this.old)) {
				logger.info("Redis at {} replies again, on the same connection", this.address);
				return;
			}
		}
	}

	private boolean isConnected() {
		try {
			return this.old.master(this.key).isOpen();
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	/** Whether a new connection has taken the place of the old one. */
	private boolean replaced() {
		OwnConnection other;
		try {
			other = this.connections.open();
		}
		catch (RuntimeException ex) {
			logger.debug("No new connection to Redis at {}", this.address, ex);
			return false;
		}
		if (answers(other) && !answers(this.old) && this.connections.replace(this.old, other)) {
			// What was sent and not answered fails, and is not sent again
			this.old.close();
			logger.info("Redis at {} replies on a new connection. The old one was dead and is closed", this.address);
			return true;
		}
		other.close();
		return false;
	}

	/** Whether Redis answers on a connection, perhaps by an error. */
	private boolean answers(OwnConnection connection) {
		try {
			RedisFuture<String> pong = connection.master(this.key).async().ping();
			try {
				pong.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
				return true;
			}
			finally {
				pong.cancel(true);
			}
		}
		catch (ExecutionException ex) {
			return ex.getCause() instanceof RedisCommandExecutionException;
		}
		catch (TimeoutException | InterruptedException | RuntimeException ex) {
			// The thread is our own: nobody interrupts it
			return false;
		}
	}

	private static ExponentialBackOff backOff() {
		ExponentialBackOff backOff = new ExponentialBackOff(100, 2);
		backOff.setMaxInterval(3_000);
		backOff.setJitter(25);
		return backOff;
	}

	private static void pause(long millis) {
		try {
			Thread.sleep(millis);
		}
		catch (InterruptedException ex) {
			// The thread is our own: nobody interrupts it
		}
	}

}
