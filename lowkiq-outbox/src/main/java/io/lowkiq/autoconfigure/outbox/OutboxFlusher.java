package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

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

	private static final Logger logger = LoggerFactory.getLogger(OutboxFlusher.class);

	private final OutboxTable table;

	private final OutboxFlush flush;

	private final long pollInterval;

	/** A permit if there may be new rows. */
	private final Semaphore committed = new Semaphore(0);

	/** Written by the thread that flushes, read by all. */
	private volatile @Nullable String problem;

	/** Guarded by the monitor. */
	private @Nullable Run run;

	OutboxFlusher(OutboxTable table, OutboxFlush flush, Duration pollInterval) {
		this.table = table;
		this.flush = flush;
		this.pollInterval = pollInterval.toNanos();
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

		private long lastSweep = System.nanoTime();

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
					due = !done || OutboxFlusher.this.committed.tryAcquire(OutboxFlusher.this.pollInterval,
							TimeUnit.NANOSECONDS);
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
				logger.debug("Another process is emptying the outbox", ex);
				return false;
			}
			catch (Exception | LinkageError | OutOfMemoryError ex) {
				fails(ex);
				return false;
			}
			works();
			return true;
		}

		private void flushAll() {
			if (System.nanoTime() - this.lastSweep > OutboxFlusher.this.pollInterval) {
				this.lastSweep = System.nanoTime();
				OutboxFlusher.this.flush.retryWaitingQueues();
			}
			boolean more = true;
			while (more) {
				// Before the table is read: a commit after this is looked at again
				OutboxFlusher.this.committed.drainPermits();
				more = OutboxFlusher.this.flush.step();
			}
			OutboxFlusher.this.flush.end();
		}

		private void works() {
			this.pause = FIRST_PAUSE;
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
