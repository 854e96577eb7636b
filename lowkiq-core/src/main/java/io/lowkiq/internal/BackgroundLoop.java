package io.lowkiq.internal;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A step that runs again and again, a period after it has ended. It has a daemon thread
 * of its own while it runs, so that no loop holds up another, and none while it waits. A
 * step that throws never ends the loop: the first failure in a row is logged at WARN, the
 * others at DEBUG, and the next success at INFO. Thread-safe.
 */
public final class BackgroundLoop implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(BackgroundLoop.class);

	/** How long {@link #close()} waits for a step to end. */
	private static final Duration LONGEST_END = Duration.ofSeconds(2);

	/** How long a thread waits for the next step before it ends. */
	private static final Duration KEEP_THREAD = Duration.ofSeconds(1);

	private final String name;

	private final String consequence;

	private final Duration period;

	private final Step step;

	private final InstantSource clock;

	/** The loops that warn once together. Written before the start, read by all steps. */
	private volatile List<BackgroundLoop> siblings = List.of(this);

	/** Guarded by the monitor. */
	private @Nullable Steps steps;

	/** Written under the monitor, read by all. */
	private volatile Status status;

	/** A step that waits itself needs no period of more than 1 ns. */
	public BackgroundLoop(String name, String consequence, Duration period, Step step, InstantSource clock) {
		this.name = name;
		this.consequence = consequence;
		this.period = period;
		this.step = step;
		this.clock = clock;
		this.status = new Status(name, false, clock.instant(), null);
	}

	/** Lets the first of several loops that fail for one reason warn of it. */
	public static void warnOnce(List<BackgroundLoop> loops) {
		loops.forEach((loop) -> loop.siblings = loops);
	}

	/** Starts the loop with a first step at once. */
	public void start() {
		start(Duration.ZERO);
	}

	public synchronized void start(Duration delay) {
		if (this.steps == null) {
			this.status = new Status(this.name, true, this.clock.instant(), null);
			this.steps = new Steps();
			this.steps.next(delay);
		}
	}

	/** Without a thread of its own: its owner calls {@link #runOnce(Step)}. */
	public synchronized void begin() {
		this.status = new Status(this.name, true, this.clock.instant(), null);
	}

	/** Interrupts a running step, and waits a moment for its end. */
	@Override
	public void close() {
		stop(Duration.ZERO);
	}

	/** After a running step, and a last one unless the previous one failed. */
	public void stop(Duration longest) {
		Steps ended;
		boolean works;
		synchronized (this) {
			ended = this.steps;
			works = this.status.problem() == null;
			this.steps = null;
			this.status = this.status.stopped();
		}
		if (ended != null) {
			ended.end(longest, works);
		}
	}

	/** Whether the loop runs. */
	public boolean isRunning() {
		return this.status.running();
	}

	/** How the loop is doing. */
	public Status status() {
		return this.status;
	}

	/** Runs the step once, on the calling thread, and notes what came of it. */
	public void runOnce() {
		runOnce(this.step);
	}

	/** Runs another step once, as {@link #runOnce()} does. */
	public void runOnce(Step once) {
		try {
			once.run();
			if (note(null) != null) {
				logger.info("Background task '{}' works again", this.name);
			}
		}
		catch (Throwable ex) {
			if (ex instanceof InterruptedException || Thread.currentThread().isInterrupted()) {
				return;
			}
			failed(ex);
		}
	}

	private void failed(Throwable problem) {
		String text = PrintableThrowable.of(problem).toString();
		boolean isNews;
		synchronized (BackgroundLoop.class) {
			boolean isKnown = this.siblings.stream().anyMatch((loop) -> text.equals(loop.status.problem()));
			isNews = note(text) == null && !isKnown;
		}
		if (isNews) {
			logger.warn("Background task '{}' fails, and will be tried again{}. {}", this.name, every(this.period),
					this.consequence, problem);
		}
		else {
			logger.debug("Background task '{}' still fails", this.name, problem);
		}
	}

	/** Returns the problem of the step before; null if there was none. */
	private synchronized @Nullable String note(@Nullable String problem) {
		Status before = this.status;
		Instant success = (problem == null) ? this.clock.instant() : before.lastSuccess();
		this.status = new Status(this.name, before.running(), success, problem);
		return before.problem();
	}

	private static String every(Duration duration) {
		if (duration.toMillis() == 0) {
			return "";
		}
		return " every " + ((duration.toSeconds() > 0) ? duration.toSeconds() + " s" : duration.toMillis() + " ms");
	}

	/** The steps from a start to the next stop. The wait for a step needs no thread. */
	private final class Steps {

		private final ThreadPoolExecutor executor = new ThreadPoolExecutor(0, 1, KEEP_THREAD.toMillis(),
				TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), this::thread);

		/** Of whoever started the loop: a later thread is created by any thread. */
		private final @Nullable ClassLoader classLoader = Thread.currentThread().getContextClassLoader();

		/** Whether the step is due when its time has come. Guarded by the monitor. */
		private CompletableFuture<Boolean> due = CompletableFuture.completedFuture(false);

		/** Guarded by the monitor. */
		private boolean ended;

		private Thread thread(Runnable steps) {
			Thread thread = new Thread(null, steps, "lowkiq-" + BackgroundLoop.this.name, 0, false);
			thread.setContextClassLoader(this.classLoader);
			thread.setDaemon(true);
			return thread;
		}

		private synchronized void next(Duration delay) {
			if (this.ended) {
				return;
			}
			if (delay.toMillis() == 0) {
				begin();
				return;
			}
			this.due = new CompletableFuture<Boolean>().completeOnTimeout(true, delay.toNanos(), TimeUnit.NANOSECONDS);
			var unused = this.due.thenAccept((isDue) -> {
				if (isDue) {
					begin();
				}
			});
		}

		private void begin() {
			try {
				this.executor.execute(this::run);
			}
			catch (RejectedExecutionException ex) {
				// The loop was stopped meanwhile
			}
			catch (Throwable ex) {
				// There is no thread for it
				this.executor.getQueue().clear();
				try {
					failed(ex);
				}
				finally {
					next(BackgroundLoop.this.period.plus(KEEP_THREAD));
				}
			}
		}

		private void run() {
			try {
				runOnce();
			}
			finally {
				// The failure of a step may not be possible to log
				next(BackgroundLoop.this.period);
			}
		}

		private void end(Duration longest, boolean withLastStep) {
			synchronized (this) {
				this.ended = true;
				this.due.complete(false);
			}
			try {
				if (!longest.isZero()) {
					if (withLastStep) {
						this.executor.execute(BackgroundLoop.this::runOnce);
					}
					this.executor.shutdown();
					if (this.executor.awaitTermination(longest.toMillis(), TimeUnit.MILLISECONDS)) {
						return;
					}
				}
				this.executor.shutdownNow();
				if (!this.executor.awaitTermination(LONGEST_END.toMillis(), TimeUnit.MILLISECONDS)) {
					logger.debug("Background task '{}' ignores the interrupt", BackgroundLoop.this.name);
				}
			}
			catch (InterruptedException ex) {
				this.executor.shutdownNow();
				Thread.currentThread().interrupt();
			}
		}

	}

	@FunctionalInterface
	public interface Step {

		/** Does it once. If that throws, the next step is made all the same. */
		void run() throws Exception;

	}

	/** The owner of a loop, for health and metrics. */
	public interface Owner {

		BackgroundLoop loop();

	}

	/** The problem is why the last step failed; null if it didn't. */
	public record Status(String name, boolean running, Instant lastSuccess, @Nullable String problem) {

		private Status stopped() {
			return new Status(this.name, false, this.lastSuccess, null);
		}

	}

}
