package io.lowkiq.autoconfigure.transaction;

import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Schedulers;

/**
 * Reactor forbids them to block, and binds no reactive transaction to one. Thread-safe.
 */
public final class NonBlockingThreads {

	private static final Logger logger = LoggerFactory.getLogger(NonBlockingThreads.class);

	private final AtomicBoolean warned = new AtomicBoolean();

	/** Warns, once, if this thread is one. */
	public void check() {
		if (Schedulers.isInNonBlockingThread() && this.warned.compareAndSet(false, true)) {
			logger.warn(
					"A job was enqueued on the thread '{}', on which Reactor forbids blocking: others wait for it meanwhile, "
							+ "and if there is a reactive transaction, the job is not part of it. "
							+ "Enqueue after the transaction, by enqueueAsync or on another thread",
					Thread.currentThread().getName());
		}
	}

}
