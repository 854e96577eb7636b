package io.lowkiq.autoconfigure;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.lowkiq.EnqueueRolledBackException;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.UnconfirmedEnqueueException;

/**
 * The jobs that one transaction enqueues, in their order. Belongs to the thread of the
 * transaction.
 */
public final class TransactionJobs implements TransactionSynchronization {

	private static final Logger logger = LoggerFactory.getLogger(TransactionJobs.class);

	private final TransactionTarget target;

	private final List<Enqueued> jobs = new ArrayList<>();

	/** What the target has taken before the commit. */
	private final List<Enqueued> taken = new ArrayList<>();

	/** How many enqueues there were at a savepoint. */
	private final Map<Object, Integer> savepoints = new HashMap<>();

	private TransactionJobs(TransactionTarget target) {
		this.target = target;
	}

	/**
	 * Whether this thread is in a transaction.
	 * @return whether it is
	 */
	public static boolean isInTransaction() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive();
	}

	/**
	 * Adds jobs to the transaction of this thread.
	 * @param target where they go in the end
	 * @param queue the queue's name
	 * @param payloads the payloads
	 * @return ends after the transaction, as enqueueing them does
	 */
	public static CompletableFuture<Void> add(TransactionTarget target, String queue, List<NewPayload> payloads) {
		Enqueued added = new Enqueued(queue, List.copyOf(payloads), new CompletableFuture<>());
		of(target).jobs.add(added);
		return added.end();
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

	@Override
	public void savepoint(Object savepoint) {
		this.savepoints.put(savepoint, this.jobs.size());
	}

	@Override
	public void savepointRollback(Object savepoint) {
		// A savepoint that is older than this object is older than all its jobs
		int kept = this.savepoints.getOrDefault(savepoint, 0);
		rolledBack(this.jobs.subList(Math.min(kept, this.jobs.size()), this.jobs.size()));
	}

	private static void rolledBack(List<Enqueued> jobs) {
		List<Enqueued> dropped = List.copyOf(jobs);
		jobs.clear();
		dropped.forEach((each) -> each.end().completeExceptionally(new EnqueueRolledBackException()));
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		if (!readOnly && !this.jobs.isEmpty() && this.target.beforeCommit(byQueue())) {
			this.taken.addAll(this.jobs);
			this.jobs.clear();
		}
	}

	@Override
	public void afterCommit() {
		enqueueCommitted();
		this.target.ended();
	}

	private void committed() {
		List<Enqueued> done = List.copyOf(this.taken);
		this.taken.clear();
		done.forEach((each) -> each.end().complete(null));
	}

	/**
	 * Takes care of what was enqueued while other synchronizations ran before or after
	 * the commit: for those, the methods above came too early or not at all.
	 */
	@Override
	public void afterCompletion(int status) {
		if (status == STATUS_COMMITTED) {
			enqueueCommitted();
		}
		else if (status == STATUS_UNKNOWN) {
			if (!this.jobs.isEmpty()) {
				logger.warn("Unknown whether a transaction was committed; dropping its {} enqueues", this.jobs.size());
			}
			this.target.ended();
			this.taken.addAll(this.jobs);
			this.jobs.clear();
			this.taken
				.forEach((each) -> each.end()
					.completeExceptionally(new UnconfirmedEnqueueException(
							"It is unknown whether the transaction was committed in which the job was enqueued",
							null)));
			this.taken.clear();
		}
		rolledBack(this.jobs);
		rolledBack(this.taken);
	}

	private void enqueueCommitted() {
		committed();
		Map<String, List<NewPayload>> all = byQueue();
		List<Enqueued> given = List.copyOf(this.jobs);
		this.jobs.clear();
		all.forEach((queue, payloads) -> {
			Stream<CompletableFuture<Void>> ends = given.stream()
				.filter((each) -> each.queue().equals(queue))
				.map(Enqueued::end);
			try {
				this.target.afterCommit(queue, payloads);
				ends.forEach((end) -> end.complete(null));
			}
			catch (RuntimeException ex) {
				logger.error(
						"A transaction was committed, but the {} jobs that it enqueued into queue '{}' were not confirmed "
								+ "and may be lost; their ids: {}",
						payloads.size(), queue, LogText.of(payloads.stream().map(NewPayload::id).distinct().toList()),
						ex);
				ends.forEach((end) -> end.completeExceptionally(ex));
			}
		});
	}

	private Map<String, List<NewPayload>> byQueue() {
		Map<String, List<NewPayload>> all = new LinkedHashMap<>();
		for (Enqueued each : this.jobs) {
			all.computeIfAbsent(each.queue(), (queue) -> new ArrayList<>()).addAll(each.payloads());
		}
		return all;
	}

	private record Enqueued(String queue, List<NewPayload> payloads, CompletableFuture<Void> end) {
	}

}
