package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
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

/**
 * Empties the outbox: when this application has committed something, and now and then,
 * for what a crash left. Every application with an outbox does so, also one that performs
 * no jobs. It stops after what may still enqueue, and before the connections to Redis.
 * Can be started again.
 */
class OutboxFlusher implements SmartLifecycle {

	/** Above the connections to Redis (0), below the server, the web and executors. */
	private static final int PHASE = 1024;

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

	private static final long FIRST_PAUSE = Duration.ofMillis(100).toNanos();

	private static final long LONGEST_PAUSE = Duration.ofSeconds(5).toNanos();

	private static final long STANDSTILL = Duration.ofMinutes(1).toNanos();

	private static final Logger logger = LoggerFactory.getLogger(OutboxFlusher.class);

	private final OutboxTable table;

	private final OutboxFlush flush;

	private final long pollInterval;

	/** A permit if there may be new rows. */
	private final Semaphore committed = new Semaphore(0);

	/** Written by the thread that flushes, read by all. */
	private volatile @Nullable String problem;

	/** Written by the thread that flushes, read by all. */
	private volatile boolean isStandingStill;

	private final LongSupplier nanoTime;

	/** Guarded by the monitor. */
	private @Nullable Run run;

	OutboxFlusher(OutboxTable table, OutboxFlush flush, Duration pollInterval, LongSupplier nanoTime) {
		this.table = table;
		this.flush = flush;
		this.pollInterval = pollInterval.toNanos();
		this.nanoTime = nanoTime;
	}

	/** There may be new rows. */
	void wake() {
		if (this.committed.availablePermits() == 0) {
			this.committed.release();
		}
	}

	/** Why rows can't be sent at present; null if they can. */
	@Nullable String problem() {
		return this.problem;
	}

	/** Whether no process has been able to send rows for a minute. */
	boolean isStandingStill() {
		return this.isStandingStill;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	@Override
	public synchronized boolean isRunning() {
		return this.run != null;
	}

	@Override
	public synchronized void start() {
		if (this.run == null) {
			this.run = new Run();
			this.run.start();
		}
	}

	@Override
	public synchronized void stop() {
		if (this.run != null) {
			this.run.end();
			this.run = null;
		}
	}

	/**
	 * The thread between a start and the next stop.
	 */
	private final class Run extends Thread {

		private final CountDownLatch stopped = new CountDownLatch(1);

		private long pause = FIRST_PAUSE;

		/** The number of steps of all processes when it was last read. */
		private long steps = -1;

		private long lastProgress = OutboxFlusher.this.nanoTime.getAsLong();

		Run() {
			super("lowkiq-outbox");
			setDaemon(true);
		}

		@Override
		public void run() {
			try {
				boolean due = true;
				while (!isStopped()) {
					boolean done = flush(due);
					due = !done || OutboxFlusher.this.committed.tryAcquire(
							OutboxFlusher.this.flush.untilRetry(OutboxFlusher.this.pollInterval), TimeUnit.NANOSECONDS);
				}
				if (OutboxFlusher.this.problem == null) {
					flush(true);
				}
			}
			catch (InterruptedException ex) {
				// The end took too long
			}
		}

		/** Returns whether the table has been emptied. */
		private boolean flush(boolean due) throws InterruptedException {
			try {
				if (due || !OutboxFlusher.this.table.isEmpty()) {
					flushAll();
				}
			}
			catch (PessimisticLockingFailureException ex) {
				return isLocked(ex);
			}
			catch (Exception | LinkageError | OutOfMemoryError ex) {
				fails(ex);
				return false;
			}
			works();
			return true;
		}

		private void flushAll() {
			boolean more = true;
			while (more) {
				// Before the table is read: a commit after this is looked at again
				OutboxFlusher.this.committed.drainPermits();
				more = OutboxFlusher.this.flush.step();
			}
		}

		/** Another process is sending rows, unless it hangs. */
		private boolean isLocked(PessimisticLockingFailureException problem) throws InterruptedException {
			logger.debug("Another process is emptying the outbox", problem);
			try {
				long present = OutboxFlusher.this.table.steps();
				if (present != this.steps) {
					this.steps = present;
					progress();
				}
			}
			catch (Exception ex) {
				fails(ex);
				return false;
			}
			if (OutboxFlusher.this.nanoTime.getAsLong() - this.lastProgress > STANDSTILL
					&& !OutboxFlusher.this.isStandingStill) {
				OutboxFlusher.this.isStandingStill = true;
				logger.warn("No process has sent rows of lowkiq_outbox for a minute, because a session of the database "
						+ "holds the row of lowkiq_outbox_lock: a process that hangs, or a database shell. End that session");
			}
			pause();
			return false;
		}

		private void progress() {
			this.lastProgress = OutboxFlusher.this.nanoTime.getAsLong();
			OutboxFlusher.this.isStandingStill = false;
		}

		private void works() {
			this.pause = FIRST_PAUSE;
			progress();
			if (OutboxFlusher.this.problem != null) {
				OutboxFlusher.this.problem = null;
				logger.info("The jobs in the table lowkiq_outbox are being sent again");
			}
		}

		private void fails(Throwable problem) throws InterruptedException {
			if (OutboxFlusher.this.problem == null) {
				logger.warn("Can't send the jobs in the table lowkiq_outbox; they stay there until it works again",
						problem);
			}
			OutboxFlusher.this.problem = String.valueOf(problem.getMessage());
			pause();
		}

		private void pause() throws InterruptedException {
			boolean ended = this.stopped.await(this.pause / 2 + ThreadLocalRandom.current().nextLong(this.pause / 2),
					TimeUnit.NANOSECONDS);
			this.pause = ended ? FIRST_PAUSE : Math.min(LONGEST_PAUSE, this.pause * 2);
		}

		private boolean isStopped() {
			return this.stopped.getCount() == 0;
		}

		private void end() {
			this.stopped.countDown();
			OutboxFlusher.this.wake();
			try {
				join(STOP_TIMEOUT.toMillis());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			if (isAlive()) {
				interrupt();
			}
		}

	}

}
