package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lowkiq.StoreException;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.OutboxStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The status of this application's outbox, as of a few seconds ago. Nobody waits for its
 * database, which may hang. Thread-safe.
 */
public final class OutboxReader {

	private static final Logger logger = LoggerFactory.getLogger(OutboxReader.class);

	private static final Duration MAX_AGE = Duration.ofSeconds(2);

	private final LowkiqAdmin admin;

	private final Executor executor;

	private final InstantSource clock;

	private final AtomicBoolean isReading = new AtomicBoolean();

	/** Written by who reads, read by all. */
	private volatile OutboxStatus last = OutboxStatus.EMPTY;

	/** Written by who reads, read by all. */
	private volatile Instant readAt = Instant.MIN;

	public OutboxReader(LowkiqAdmin admin, Executor executor, InstantSource clock) {
		this.admin = admin;
		this.executor = executor;
		this.clock = clock;
	}

	/** The last reading; begins the next one if that is too old. */
	OutboxStatus recent() {
		if (this.readAt.isBefore(this.clock.instant().minus(MAX_AGE)) && this.isReading.compareAndSet(false, true)) {
			try {
				this.executor.execute(this::read);
			}
			catch (RejectedExecutionException ex) {
				this.isReading.set(false);
			}
		}
		return this.last;
	}

	private void read() {
		try {
			this.last = this.admin.outbox(0);
		}
		catch (StoreException ex) {
			logger.debug("Could not read the outbox", ex);
			this.last = new OutboxStatus(String.valueOf(ex.getMessage()), Map.of(), 0, null, 0, List.of(), null);
		}
		finally {
			this.readAt = this.clock.instant();
			this.isReading.set(false);
		}
	}

}
