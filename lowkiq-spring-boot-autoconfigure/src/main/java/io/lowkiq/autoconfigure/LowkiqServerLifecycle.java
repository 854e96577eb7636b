package io.lowkiq.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.Ordered;

import io.lowkiq.StoreException;
import io.lowkiq.autoconfigure.redis.EvictionPolicyCheck;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.internal.DurationText;

/**
 * Starts and stops the server with the application context. As soon as the context begins
 * to close, no more jobs are fetched; the running performs end while HTTP requests do,
 * and are waited for after these, while the connections to Redis are still there.
 */
class LowkiqServerLifecycle
		implements SmartLifecycle, SmartInitializingSingleton, ApplicationListener<ContextClosedEvent>, Ordered {

	/** Below the web server ({@code Integer.MAX_VALUE - 2048}), far above Redis (0). */
	static final int PHASE = Integer.MAX_VALUE - 4096;

	private static final Logger logger = LoggerFactory.getLogger(LowkiqServerLifecycle.class);

	private final LowkiqServer server;

	private final ServedWorkers workers;

	private final ApplicationContext context;

	private final Settings settings;

	private final @Nullable EvictionPolicyCheck evictionPolicyCheck;

	private final QueueWatch queueWatch;

	private final StartUpLog startUpLog;

	/** Written by the threads that start and stop the context, read by all. */
	private volatile boolean running;

	LowkiqServerLifecycle(LowkiqServer server, ServedWorkers workers, ApplicationContext context, Settings settings,
			@Nullable EvictionPolicyCheck evictionPolicyCheck, QueueWatch queueWatch, StartUpLog startUpLog) {
		this.server = server;
		this.workers = workers;
		this.context = context;
		this.settings = settings;
		this.evictionPolicyCheck = evictionPolicyCheck;
		this.queueWatch = queueWatch;
		this.startUpLog = startUpLog;
	}

	/** An application that only enqueues says where its jobs go. */
	@Override
	public void afterSingletonsInstantiated() {
		if (!this.settings.autoStartup()) {
			this.startUpLog.writeStore();
		}
	}

	@Override
	public boolean isAutoStartup() {
		return this.settings.autoStartup();
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public void start() {
		if (this.running) {
			return;
		}
		if (this.workers.registry().all().isEmpty()) {
			if (this.workers.serverProblem() != null) {
				logger.warn(
						"{}, so this node performs nothing. Correct include and exclude, or set lowkiq.server.enabled=false",
						this.workers.serverProblem());
			}
			else {
				logger.info("No bean is annotated with @LowkiqWorker, so the server is not started");
			}
			this.startUpLog.writeStore();
			return;
		}
		warnOfShortPhase();
		try {
			this.server.registerQueues();
		}
		catch (StoreException ex) {
			logger.warn("The store can't be reached; jobs will be performed as soon as it responds: {}",
					ex.getMessage());
		}
		this.server.start();
		this.running = true;
		this.startUpLog.write();
		if (this.evictionPolicyCheck != null) {
			this.evictionPolicyCheck.start();
		}
		this.queueWatch.loop().start(Duration.ofSeconds(1));
	}

	/** Before the other listeners of the application, which may take their time. */
	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		if (event.getApplicationContext() == this.context && this.running) {
			this.server.quiet();
		}
	}

	@Override
	public void stop(Runnable callback) {
		if (!this.running || this.server.isPerforming()) {
			// A worker that closes the context is known by its thread, and not waited for
			stopAndCall(callback);
			return;
		}
		new Thread(() -> stopAndCall(callback), "lowkiq-stop").start();
	}

	private void stopAndCall(Runnable callback) {
		try {
			stop();
		}
		finally {
			callback.run();
		}
	}

	@Override
	public void stop() {
		if (!this.running) {
			return;
		}
		try {
			if (this.evictionPolicyCheck != null) {
				this.evictionPolicyCheck.stop();
			}
			this.queueWatch.loop().close();
			if (!this.server.stop(this.settings.shutdownTimeout())) {
				logger.warn(
						"Jobs were still being performed after lowkiq.server.shutdown-timeout ({}); they will be performed again",
						DurationText.of(this.settings.shutdownTimeout()));
			}
		}
		finally {
			this.running = false;
		}
	}

	private void warnOfShortPhase() {
		if (this.settings.shutdownTimeout().compareTo(this.settings.phaseTimeout()) >= 0) {
			logger
				.warn("lowkiq.server.shutdown-timeout ({}) is not below spring.lifecycle.timeout-per-shutdown-phase ({}): "
						+ "the connections to Redis may close while jobs are being performed, and those jobs will be performed again",
						DurationText.of(this.settings.shutdownTimeout()),
						DurationText.of(this.settings.phaseTimeout()));
		}
	}

	record Settings(boolean autoStartup, Duration shutdownTimeout, Duration phaseTimeout) {
	}

}
