package io.lowkiq.autoconfigure.redis;

import java.time.Duration;
import java.util.List;
import java.util.Properties;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.lowkiq.internal.PrintableThrowable;
import io.lowkiq.redis.EvictionPolicy;

/** Says at start what Redis tells of itself, and if it may evict jobs. Thread-safe. */
public class EvictionPolicyCheck {

	private static final Logger logger = LoggerFactory.getLogger(EvictionPolicyCheck.class);

	private static final Duration BETWEEN_ATTEMPTS = Duration.ofSeconds(10);

	private final RedisConnectionFactory connectionFactory;

	/** Written and read by the threads that start and stop, under the lock. */
	private @Nullable Thread thread;

	public EvictionPolicyCheck(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	/** Asks in the background. */
	public synchronized void start() {
		Thread started = new Thread(this::run, "lowkiq-eviction-policy-check");
		started.setDaemon(true);
		this.thread = started;
		started.start();
	}

	/** Stops asking. */
	public synchronized void stop() {
		if (this.thread != null) {
			this.thread.interrupt();
			this.thread = null;
		}
	}

	private void run() {
		try {
			while (!check()) {
				Thread.sleep(BETWEEN_ATTEMPTS.toMillis());
			}
		}
		catch (InterruptedException ex) {
			// Stopped
		}
	}

	/** Asks once. */
	boolean check() {
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			Properties info = connection.serverCommands().info();
			report(new RedisSummary((info != null) ? info : new Properties()));
			return true;
		}
		catch (RedisConnectionFailureException | QueryTimeoutException ex) {
			return false;
		}
		catch (RuntimeException ex) {
			warnOfUnknownPolicy(PrintableThrowable.describe(ex));
			return true;
		}
	}

	private static void report(RedisSummary summary) {
		logger.info("Redis tells of itself: {}", summary);
		List<String> policies = summary.evictionPolicies();
		if (policies.isEmpty()) {
			warnOfUnknownPolicy("INFO doesn't tell it");
		}
		policies.stream()
			.filter(EvictionPolicy::mayEvictJobs)
			.findFirst()
			.ifPresent((policy) -> logger
				.warn("The maxmemory-policy of Redis is '{}': it may evict jobs when its memory is full. "
						+ "Set it to 'noeviction'", policy));
	}

	private static void warnOfUnknownPolicy(String reason) {
		logger.warn("The maxmemory-policy of Redis can't be read, so it is not known whether Redis may evict jobs: {}",
				reason);
	}

}
