package io.lowkiq.autoconfigure;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.support.TransactionSynchronization;

import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;

/**
 * The payloads that one transaction enqueues, in their order. Belongs to the thread of
 * the transaction.
 */
class PendingPayloads implements TransactionSynchronization {

	private static final Logger logger = LoggerFactory.getLogger(PendingPayloads.class);

	private final ShardStore store;

	private final List<Pending> pending = new ArrayList<>();

	/** How many enqueues there were at a savepoint. */
	private final Map<Object, Integer> savepoints = new HashMap<>();

	PendingPayloads(ShardStore store) {
		this.store = store;
	}

	boolean isOf(ShardStore other) {
		return this.store == other;
	}

	void add(Shard shard, List<NewPayload> payloads) {
		this.pending.add(new Pending(shard, List.copyOf(payloads)));
	}

	@Override
	public void savepoint(Object savepoint) {
		this.savepoints.put(savepoint, this.pending.size());
	}

	@Override
	public void savepointRollback(Object savepoint) {
		// A savepoint that is older than this object is older than all its payloads
		int kept = this.savepoints.getOrDefault(savepoint, 0);
		this.pending.subList(Math.min(kept, this.pending.size()), this.pending.size()).clear();
	}

	/**
	 * Enqueues everything, even if one call fails: the first exception goes to whoever
	 * commits.
	 */
	@Override
	public void afterCommit() {
		RuntimeException failure = flushAll();
		if (failure != null) {
			throw failure;
		}
	}

	/**
	 * Enqueues what was enqueued while other synchronizations ran after the commit: for
	 * those, {@link #afterCommit()} came too early or not at all.
	 */
	@Override
	public void afterCompletion(int status) {
		if (status == STATUS_COMMITTED) {
			RuntimeException failure = flushAll();
			if (failure != null) {
				logger.error("Jobs that were enqueued after a commit are lost", failure);
			}
		}
		else if (status == STATUS_UNKNOWN && !this.pending.isEmpty()) {
			logger.warn("It is unknown whether a transaction was committed: its {} enqueues are dropped",
					this.pending.size());
		}
	}

	private @Nullable RuntimeException flushAll() {
		List<Pending> due = List.copyOf(this.pending);
		this.pending.clear();
		RuntimeException failure = null;
		for (Pending each : due) {
			try {
				this.store.enqueue(each.shard(), each.payloads());
			}
			catch (RuntimeException ex) {
				if (failure == null) {
					failure = ex;
				}
				else {
					failure.addSuppressed(ex);
				}
			}
		}
		return failure;
	}

	private record Pending(Shard shard, List<NewPayload> payloads) {
	}

}
