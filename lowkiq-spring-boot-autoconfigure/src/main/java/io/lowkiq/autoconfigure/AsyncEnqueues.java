package io.lowkiq.autoconfigure;

import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;

import io.lowkiq.internal.DurationText;
import io.lowkiq.client.StoreEnqueuer;

/**
 * Waits at the end for what was enqueued without waiting, while there are connections.
 */
final class AsyncEnqueues implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(AsyncEnqueues.class);

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final StoreEnqueuer enqueuer;

	private volatile boolean running;

	AsyncEnqueues(StoreEnqueuer enqueuer) {
		this.enqueuer = enqueuer;
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		if (!this.enqueuer.flush(PATIENCE)) {
			logger.warn("What was enqueued by enqueueAsync is not confirmed after {}", DurationText.of(PATIENCE));
		}
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** After all that enqueues, before Redis' connections, which are in phase 0. */
	@Override
	public int getPhase() {
		return 1;
	}

}
