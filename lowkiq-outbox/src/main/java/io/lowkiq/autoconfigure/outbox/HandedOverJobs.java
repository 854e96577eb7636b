package io.lowkiq.autoconfigure.outbox;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lowkiq.StoreException;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.job.NewPayload;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataIntegrityViolationException;

/**
 * Jobs of threads that must not take a connection, because their transaction may hold a
 * connection for which others wait. The thread of the outbox writes them to the table, in
 * their order; until then they are only in memory. Thread-safe.
 */
final class HandedOverJobs {

	private static final Logger logger = LoggerFactory.getLogger(HandedOverJobs.class);

	/** The memory that all jobs may need together, in bytes. */
	private static final long MAX_BYTES = 64 << 20;

	/** The memory that a job needs besides its payload, in bytes. */
	private static final long JOB_BYTES = 400;

	private final OutboxDatabase database;

	private final OutboxWriter writer;

	/** Guarded by the monitor. */
	private final Deque<Jobs> jobs = new ArrayDeque<>();

	/** Guarded by the monitor. */
	private long bytes;

	/** Guarded by the monitor. */
	private boolean isClosed;

	HandedOverJobs(OutboxDatabase database, OutboxWriter writer) {
		this.database = database;
		this.writer = writer;
	}

	/**
	 * @throws StoreException if there are too many, or nobody writes them any more
	 */
	synchronized CompletableFuture<Void> add(String queue, List<NewPayload> payloads) {
		Jobs added = new Jobs(queue, payloads, new CompletableFuture<>());
		if (this.isClosed) {
			throw new StoreException("The jobs can't be written to lowkiq_outbox, because the application stops", null);
		}
		if (!this.jobs.isEmpty() && this.bytes + added.bytes() > MAX_BYTES) {
			throw new StoreException("The jobs can't be written to lowkiq_outbox, because too many wait for that",
					null);
		}
		this.jobs.add(added);
		this.bytes += added.bytes();
		return added.end();
	}

	/**
	 * Writes the jobs that are there by now: others may come as fast as they are written.
	 * Called by one thread. Returns why some can't be written at present, or null.
	 */
	@Nullable RuntimeException write() {
		try {
			this.database.readUrl();
			Jobs first = first();
			for (int left = count(); left > 0 && first != null; left--) {
				write(first);
				first = first();
			}
			return null;
		}
		catch (RuntimeException ex) {
			return new StoreException("Jobs of transactions that don't belong to the database with the table "
					+ "lowkiq_outbox can't be written to it: " + ex.getMessage(), ex);
		}
	}

	private synchronized @Nullable Jobs first() {
		return this.jobs.peek();
	}

	private synchronized int count() {
		return this.jobs.size();
	}

	private void write(Jobs some) {
		try {
			this.writer.writeAndCommit(this.database.dataSource(), some.queue(), some.payloads());
			remove(some);
			some.end().complete(null);
		}
		catch (DataIntegrityViolationException ex) {
			// It is refused again whenever it is tried
			remove(some);
			lose(some, ex);
		}
	}

	private synchronized void remove(Jobs some) {
		if (this.jobs.remove(some)) {
			this.bytes -= some.bytes();
		}
	}

	private static void lose(Jobs some, RuntimeException reason) {
		logger.error(
				"{} jobs for queue '{}' were enqueued in a transaction that does not belong to the database with the table "
						+ "lowkiq_outbox, and are lost; their ids: {}",
				some.payloads().size(), some.queue(),
				LogText.of(some.payloads().stream().map(NewPayload::id).distinct().toList()), reason);
		some.end().completeExceptionally(reason);
	}

	/** Takes jobs from now on. */
	synchronized void open() {
		this.isClosed = false;
	}

	/** Gives up unwritten jobs, and takes no others. */
	void close() {
		List<Jobs> lost;
		synchronized (this) {
			this.isClosed = true;
			lost = List.copyOf(this.jobs);
			this.jobs.clear();
			this.bytes = 0;
		}
		lost.forEach((some) -> lose(some,
				new StoreException("The application stopped before the jobs were written to lowkiq_outbox", null)));
	}

	private record Jobs(String queue, List<NewPayload> payloads, CompletableFuture<Void> end) {

		private long bytes() {
			return this.payloads.stream().mapToLong((payload) -> payload.payload().length + JOB_BYTES).sum();
		}

	}

}
