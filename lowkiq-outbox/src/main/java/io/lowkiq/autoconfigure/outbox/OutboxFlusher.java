package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.dao.PessimisticLockingFailureException;

import io.lowkiq.internal.BackgroundLoop;

/** Empties the outbox after commits, and now and then for what a crash left. */
class OutboxFlusher implements SmartLifecycle, BackgroundLoop.Owner {

	/** Above the connections to Redis (0), below the server, the web and executors. */
	private static final int PHASE = 1024;

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

	/** A step waits itself until there is something to do. */
	private static final Duration BETWEEN_STEPS = Duration.ofNanos(1);

	private static final long FIRST_PAUSE = Duration.ofMillis(100).toNanos();

	private static final long LONGEST_PAUSE = Duration.ofSeconds(5).toNanos();

	private static final long STANDSTILL = Duration.ofMinutes(1).toNanos();

	private static final Logger logger = LoggerFactory.getLogger(OutboxFlusher.class);

	private final OutboxTable table;

	private final OutboxFlush flush;

	private final HandedOverJobs handedOver;

	private final long pollInterval;

	private final LongSupplier nanoTime;

	private final BackgroundLoop loop;

	/** A permit if there may be new rows. */
	private final Semaphore committed = new Semaphore(0);

	/** Written by the thread of the loop, read by all. */
	private volatile @Nullable String standstill;

	/** Written by who starts it, before the thread of the loop reads it. */
	private volatile Run run;

	OutboxFlusher(OutboxTable table, OutboxFlush flush, HandedOverJobs handedOver, Duration pollInterval,
			LongSupplier nanoTime, InstantSource clock) {
		this.table = table;
		this.flush = flush;
		this.handedOver = handedOver;
		this.pollInterval = pollInterval.toNanos();
		this.nanoTime = nanoTime;
		this.run = new Run();
		this.loop = new BackgroundLoop("outbox", "The jobs in the table lowkiq_outbox stay there until it works again",
				BETWEEN_STEPS, () -> this.run.step(), clock);
	}

	/** There may be new rows. */
	void wake() {
		if (this.committed.availablePermits() == 0) {
			this.committed.release();
		}
	}

	/** Why rows can't be sent at present; null if they can. */
	@Nullable String problem() {
		return this.loop.status().problem();
	}

	/**
	 * Why nothing could be sent for a minute, though Redis responds; null if it could.
	 */
	@Nullable String standstill() {
		return this.standstill;
	}

	@Override
	public BackgroundLoop loop() {
		return this.loop;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	@Override
	public boolean isRunning() {
		return this.loop.isRunning();
	}

	@Override
	public synchronized void start() {
		if (!this.loop.isRunning()) {
			this.run = new Run();
			this.handedOver.open();
			this.loop.start();
		}
	}

	@Override
	public synchronized void stop() {
		this.run.end();
		this.loop.stop(STOP_TIMEOUT);
		this.handedOver.close();
	}

	/**
	 * The steps from start to stop. Used by the loop's thread, but for {@link #end()}.
	 */
	private final class Run {

		private final CountDownLatch stopped = new CountDownLatch(1);

		/** Whether to look without waiting for a commit. */
		private boolean isDue = true;

		/** Nanoseconds before the next step; 0 if the last one has emptied the table. */
		private long pause;

		private @Nullable Exception problem;

		/** The number of steps of all processes when it was last read. */
		private long steps = -1;

		private long lastProgress = OutboxFlusher.this.nanoTime.getAsLong();

		/** Waits until there may be rows to send, and sends them. */
		private void step() throws Exception {
			awaitWork();
			try {
				RuntimeException unwritten = flushAll();
				if (unwritten != null) {
					throw unwritten;
				}
				this.isDue = false;
				this.pause = 0;
				this.problem = null;
				progress();
			}
			catch (PessimisticLockingFailureException ex) {
				failed(null);
				checkLock(ex);
			}
			catch (Exception ex) {
				failed(ex);
				if (ex instanceof RuntimeException problem && WaitingRows.isSilence(problem)) {
					progress();
				}
				isStandingStill("Nothing could be sent for a minute, though Redis responds: the problem says why");
				throw ex;
			}
		}

		private void awaitWork() throws Exception {
			boolean isStopping = this.stopped.getCount() == 0;
			if (this.pause > 0) {
				boolean ended = this.stopped
					.await(this.pause / 2 + ThreadLocalRandom.current().nextLong(this.pause / 2), TimeUnit.NANOSECONDS);
				if (ended && this.problem != null) {
					// Nothing is tried again during the shutdown
					throw this.problem;
				}
			}
			else if (!this.isDue) {
				this.isDue = isStopping || OutboxFlusher.this.committed.tryAcquire(
						OutboxFlusher.this.flush.untilRetry(OutboxFlusher.this.pollInterval), TimeUnit.NANOSECONDS);
			}
		}

		/**
		 * Writes handed over jobs between steps, and returns why they can't be written.
		 */
		private @Nullable RuntimeException flushAll() {
			RuntimeException unwritten;
			boolean sends = false;
			boolean isFirst = true;
			do {
				// Before the rest: what is committed or handed over after this is looked
				// at again
				sends |= OutboxFlusher.this.committed.drainPermits() > 0;
				unwritten = OutboxFlusher.this.handedOver.write();
				sends |= isFirst && (this.isDue || !OutboxFlusher.this.table.isEmpty());
				isFirst = false;
				if (sends) {
					sends = flush();
					progress();
				}
				sends |= OutboxFlusher.this.flush.ask();
			}
			while (sends || OutboxFlusher.this.flush.isDue());
			return unwritten;
		}

		private boolean flush() {
			OutboxFlusher.this.table.prepare();
			return OutboxFlusher.this.flush.step();
		}

		/** Another process is sending rows, unless it hangs. */
		private void checkLock(PessimisticLockingFailureException locked) throws Exception {
			logger.debug("Another process is emptying the outbox", locked);
			long present = OutboxFlusher.this.table.lock().taken();
			if (present != this.steps) {
				this.steps = present;
				progress();
			}
			if (isStandingStill("A session of the database holds the row of lowkiq_outbox_lock")) {
				this.problem = new IllegalStateException(
						"No process has sent rows of lowkiq_outbox for a minute, because a session of the database "
								+ "holds the row of lowkiq_outbox_lock: a process that hangs, or a database shell. "
								+ "End that session",
						locked);
				throw this.problem;
			}
		}

		private boolean isStandingStill(String reason) {
			boolean isLong = OutboxFlusher.this.nanoTime.getAsLong() - this.lastProgress > STANDSTILL;
			if (isLong) {
				OutboxFlusher.this.standstill = reason;
			}
			return isLong;
		}

		private void progress() {
			this.lastProgress = OutboxFlusher.this.nanoTime.getAsLong();
			OutboxFlusher.this.standstill = null;
		}

		private void failed(@Nullable Exception problem) {
			this.isDue = true;
			this.pause = (this.pause == 0) ? FIRST_PAUSE : Math.min(LONGEST_PAUSE, this.pause * 2);
			this.problem = problem;
		}

		private void end() {
			this.stopped.countDown();
			OutboxFlusher.this.wake();
		}

	}

}
