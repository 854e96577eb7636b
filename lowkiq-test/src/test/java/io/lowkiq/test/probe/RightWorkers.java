package io.lowkiq.test.probe;

import java.util.function.BiFunction;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.PerformContext;
import io.lowkiq.QueueWorker;
import io.lowkiq.test.probe.Accounts.Change;

/** Workers without a fault. */
enum RightWorkers {

	/** An older version never overwrites a newer one. */
	COMPARES_VERSION((accounts, context) -> FaultyWorkers
		.worker((id, changes) -> accounts.writeIfNewer(id, FaultyWorkers.last(changes)))),

	/** An older owner never overwrites a newer one. */
	COMPARES_TOKEN((accounts, context) -> FaultyWorkers.worker((id, changes) -> {
		if (!accounts.writeUnder(id, FaultyWorkers.last(changes), context.fencingToken())) {
			throw new IllegalStateException("Another node owns " + id);
		}
	})),

	/** Each payload is entered once, by a key of its own. */
	ENTERS_BY_KEY((accounts, context) -> FaultyWorkers
		.worker((id, changes) -> changes.forEach((change) -> accounts.enter(id, "change " + change.version())))),

	/** Looks first, and writes under its token, as the sample does. */
	LOOKS_AND_COMPARES_TOKEN((accounts, context) -> FaultyWorkers.worker((id, changes) -> {
		Change newest = FaultyWorkers.last(changes);
		if (accounts.version(id).orElse(-1) > newest.version()) {
			return;
		}
		if (!accounts.writeUnder(id, newest, context.fencingToken())) {
			throw new IllegalStateException("Another node owns " + id);
		}
	})),

	/** What is written is reported as completed. */
	COMPLETES_AFTER_WRITE((accounts, context) -> FaultyWorkers.worker((id, changes) -> {
		for (int i = 0; i < changes.size(); i++) {
			accounts.writeIfNewer(id, changes.get(i));
			context.completed(i + 1);
		}
	})),

	/** A batch, each job of which may fail by itself. */
	MARKS_JOBS_OF_BATCH((accounts, context) -> batchWorker((batch) -> {
		for (Batch.Job<Change> job : batch) {
			try {
				for (Change change : job.payloads()) {
					accounts.enter(job.id(), "change " + change.version());
					accounts.writeIfNewer(job.id(), change);
				}
				job.done();
			}
			catch (RuntimeException ex) {
				job.fail(ex);
			}
		}
	}));

	private final BiFunction<Accounts, PerformContext, QueueWorker<Change>> factory;

	RightWorkers(BiFunction<Accounts, PerformContext, QueueWorker<Change>> factory) {
		this.factory = factory;
	}

	QueueWorker<Change> create(Accounts accounts, PerformContext context) {
		return this.factory.apply(accounts, context);
	}

	private static BatchWorker<Change> batchWorker(BatchWorker<Change> worker) {
		return worker;
	}

}
