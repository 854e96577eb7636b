package io.lowkiq.autoconfigure.transaction;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.lowkiq.EnqueueRolledBackException;
import io.lowkiq.UnconfirmedEnqueueException;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.job.NewPayload;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The jobs that one transaction enqueues, in their order. Belongs to the thread of the
 * transaction.
 * <p>
 * With {@link #beforeCommit}, jobs become part of the transaction: those enqueued so far
 * together, and later ones, of callbacks that run during the commit, at once. Without it,
 * jobs are kept until the commit.
 */
public final class TransactionJobs implements TransactionSynchronization {

	private static final Logger logger = LoggerFactory.getLogger(TransactionJobs.class);

	private final TransactionTarget target;

	private final List<Enqueued> jobs = new ArrayList<>();

	/** How many of the first jobs are written as part of the transaction. */
	private int written;

	private final Map<Object, Savepoint> savepoints = new HashMap<>();

	private Phase phase = Phase.OPEN;

	/** Whether writing the jobs has failed, so that the commit is never tried. */
	private boolean isRefused;

	/** Whether anything was written while the transaction was being committed. */
	private boolean isLate;

	private TransactionJobs(TransactionTarget target) {
		this.target = target;
	}

	/** Whether this thread is in a transaction. */
	public static boolean isInTransaction() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive();
	}

	/** Adds jobs to the transaction of this thread. */
	public static CompletableFuture<Void> add(TransactionTarget target, String queue, List<NewPayload> payloads) {
		return of(target).add(new Enqueued(queue, List.copyOf(payloads), new CompletableFuture<>()));
	}

	/** Makes the jobs of this thread's transaction part of it. */
	public static void beforeCommit(TransactionTarget target) {
		of(target).writeJobs();
	}

	private static TransactionJobs of(TransactionTarget target) {
		for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
			if (each instanceof TransactionJobs jobs && jobs.target == target) {
				return jobs;
			}
		}
		TransactionJobs jobs = new TransactionJobs(target);
		TransactionSynchronizationManager.registerSynchronization(jobs);
		return jobs;
	}

	private CompletableFuture<Void> add(Enqueued added) {
		switch (this.phase) {
			case OPEN -> this.jobs.add(added);
			case COMMITTING -> {
				// Others are left only by a rollback to a savepoint during the commit
				List<Enqueued> unwritten = new ArrayList<>(unwritten());
				unwritten.add(added);
				this.target.write(byQueue(unwritten));
				this.jobs.add(added);
				this.written = this.jobs.size();
				this.isLate = true;
			}
			case COMMITTED -> {
				CompletableFuture<Void> end = this.target.afterCommit(added.queue(), added.payloads());
				this.target.ended();
				return end;
			}
		}
		return added.end();
	}

	private void writeJobs() {
		if (!this.jobs.isEmpty()) {
			this.isRefused = true;
			this.target.flush();
			this.target.write(byQueue(unwritten()));
			this.isRefused = false;
			this.written = this.jobs.size();
		}
		this.phase = Phase.COMMITTING;
	}

	private List<Enqueued> unwritten() {
		return this.jobs.subList(this.written, this.jobs.size());
	}

	@Override
	public void savepoint(Object savepoint) {
		this.savepoints.put(savepoint, new Savepoint(this.jobs.size(), this.written));
	}

	@Override
	public void savepointRollback(Object savepoint) {
		// A savepoint that is older than this object is older than all its jobs
		Savepoint kept = this.savepoints.getOrDefault(savepoint, Savepoint.BEFORE_ALL);
		rolledBack(this.jobs.subList(Math.min(kept.jobs(), this.jobs.size()), this.jobs.size()));
		this.written = Math.min(kept.written(), this.written);
	}

	private static void rolledBack(List<Enqueued> jobs) {
		List<Enqueued> dropped = List.copyOf(jobs);
		jobs.clear();
		dropped.forEach((each) -> each.end().completeExceptionally(new EnqueueRolledBackException()));
	}

	@Override
	public void afterCommit() {
		if (this.phase != Phase.COMMITTED) {
			boolean isPartOf = this.phase == Phase.COMMITTING;
			this.phase = Phase.COMMITTED;
			if (isPartOf) {
				committed();
			}
			if (!this.jobs.isEmpty()) {
				this.target.missed();
				enqueueKept();
			}
			this.target.ended();
		}
	}

	private void committed() {
		List<Enqueued> ofTransaction = this.jobs.subList(0, this.written);
		List<Enqueued> done = List.copyOf(ofTransaction);
		ofTransaction.clear();
		this.written = 0;
		try {
			this.target.committed(this.isLate);
			done.forEach((each) -> each.end().complete(null));
		}
		catch (RuntimeException ex) {
			logger.error(
					"A transaction was committed, but it is unknown whether the jobs are that its callbacks enqueued into {}; their ids: {}",
					done.stream().map(Enqueued::queue).distinct().toList(), ids(done), ex);
			done.forEach((each) -> each.end().completeExceptionally(ex));
		}
	}

	private static String ids(List<Enqueued> jobs) {
		return LogText
			.of(jobs.stream().flatMap((each) -> each.payloads().stream()).map(NewPayload::id).distinct().toList());
	}

	/** A commit that callbacks were not told of has ended all the same. */
	@Override
	public void afterCompletion(int status) {
		if (status == STATUS_COMMITTED) {
			afterCommit();
		}
		// Even if the rollback failed, because the connection is lost
		else if (status == STATUS_UNKNOWN && !this.isRefused) {
			if (!unwritten().isEmpty()) {
				logger.warn("Unknown whether a transaction was committed; dropping its {} enqueues",
						unwritten().size());
			}
			this.target.ended();
			this.jobs
				.forEach((each) -> each.end()
					.completeExceptionally(new UnconfirmedEnqueueException(
							"It is unknown whether the transaction was committed in which the job was enqueued",
							null)));
			this.jobs.clear();
		}
		rolledBack(this.jobs);
	}

	private void enqueueKept() {
		List<Enqueued> kept = List.copyOf(this.jobs);
		Map<String, List<NewPayload>> all = byQueue(kept);
		this.jobs.clear();
		all.forEach((queue, payloads) -> {
			List<Enqueued> ofQueue = kept.stream().filter((each) -> each.queue().equals(queue)).toList();
			try {
				CompletableFuture<Void> end = this.target.afterCommit(queue, payloads);
				var unused = end.whenComplete((done, problem) -> ofQueue.forEach((each) -> end(each, problem)));
			}
			catch (RuntimeException ex) {
				// Whoever called the method of the transaction would take an exception
				// for its failure, and run it again
				logger.error(
						"A transaction was committed, but the {} jobs that it enqueued into queue '{}' were not confirmed "
								+ "and may be lost; their ids: {}",
						payloads.size(), queue, ids(ofQueue), ex);
				ofQueue.forEach((each) -> each.end().completeExceptionally(ex));
			}
		});
	}

	private static void end(Enqueued jobs, @Nullable Throwable problem) {
		if (problem == null) {
			jobs.end().complete(null);
		}
		else {
			jobs.end().completeExceptionally(problem);
		}
	}

	private static Map<String, List<NewPayload>> byQueue(List<Enqueued> jobs) {
		Map<String, List<NewPayload>> all = new LinkedHashMap<>();
		for (Enqueued each : jobs) {
			all.computeIfAbsent(each.queue(), (queue) -> new ArrayList<>()).addAll(each.payloads());
		}
		return all;
	}

	private enum Phase {

		/** Jobs are kept. */
		OPEN,

		/** Jobs are written at once, as part of the transaction. */
		COMMITTING,

		/** Jobs go to the target at once: there is no transaction to wait for. */
		COMMITTED

	}

	/** How many enqueues there were at a savepoint, and how many of them were written. */
	private record Savepoint(int jobs, int written) {

		private static final Savepoint BEFORE_ALL = new Savepoint(0, 0);

	}

	private record Enqueued(String queue, List<NewPayload> payloads, CompletableFuture<Void> end) {
	}

}
