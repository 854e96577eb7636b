package io.lowkiq.test.probe;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

import io.lowkiq.PerformContext;
import io.lowkiq.QueueWorker;
import io.lowkiq.Worker;
import io.lowkiq.test.probe.Accounts.Change;

/** Workers with a fault each, as they are written every day. */
enum FaultyWorkers {

	/** A counter. */
	ADDS_AMOUNTS(Fault.NOT_IDEMPOTENT,
			(accounts, context) -> worker(
					(id, changes) -> changes.forEach((change) -> accounts.add(id, change.amount())))),

	/** The last write wins, whoever makes it. */
	WRITES_WITHOUT_VERSION(Fault.IGNORES_TOKEN,
			(accounts, context) -> worker((id, changes) -> accounts.write(id, last(changes), 0))),

	/** The effect comes before the check whether it is needed. */
	SENDS_BEFORE_CHECK(Fault.NOT_IDEMPOTENT, (accounts, context) -> worker((id, changes) -> {
		for (Change change : changes) {
			accounts.send(id, "version " + change.version());
			if (accounts.enter(id, "sent " + change.version())) {
				accounts.writeIfNewer(id, change);
			}
		}
	})),

	/** The token is written down, and never compared. */
	STORES_TOKEN_ONLY(Fault.IGNORES_TOKEN,
			(accounts, context) -> worker((id, changes) -> accounts.write(id, last(changes), context.fencingToken()))),

	/** Each payload counts, and only the last one is looked at. */
	SKIPS_ALL_BUT_LAST(Fault.DEPENDS_ON_MERGING,
			(accounts, context) -> worker((id, changes) -> accounts.enter(id, "change " + last(changes).version()))),

	/** What is merged shows in the result. */
	NUMBERS_DELIVERIES(Fault.DEPENDS_ON_MERGING, (accounts, context) -> worker((id, changes) -> {
		for (int i = 0; i < changes.size(); i++) {
			accounts.enter(id, "line %d: %s".formatted(i, changes.get(i)));
		}
	})),

	/** What was done is remembered, but only by this process. */
	REMEMBERS_IN_MEMORY(Fault.NOT_IDEMPOTENT, (accounts, context) -> {
		Set<Long> done = new HashSet<>();
		return worker((id, changes) -> {
			for (Change change : changes) {
				if (done.add(change.version())) {
					accounts.add(id, change.amount());
				}
			}
		});
	}),

	/** The lease is looked at, and may be lost right after. */
	ASKS_FOR_LEASE(Fault.IGNORES_TOKEN, (accounts, context) -> worker((id, changes) -> {
		if (context.isLeaseLost()) {
			throw new IllegalStateException("Another node owns " + id);
		}
		accounts.write(id, last(changes), 0);
	})),

	/** A failure is caught, and nobody tries again. */
	CATCHES_EXCEPTIONS(Fault.HIDES_FAILURES, (accounts, context) -> worker((id, changes) -> {
		try {
			accounts.writeIfNewer(id, last(changes));
		}
		catch (RuntimeException ex) {
			// As if nothing had happened
		}
	})),

	/** Done, says the worker, and then does it. */
	COMPLETES_BEFORE_WRITE(Fault.COMPLETES_TOO_EARLY, (accounts, context) -> worker((id, changes) -> {
		for (int i = 0; i < changes.size(); i++) {
			context.completed(i + 1);
			accounts.writeIfNewer(id, changes.get(i));
		}
	})),

	/** It is noted as done before it is. */
	MARKS_BEFORE_WORK(Fault.NOT_IDEMPOTENT, (accounts, context) -> worker((id, changes) -> {
		for (Change change : changes) {
			if (accounts.enter(id, "done " + change.version())) {
				accounts.add(id, change.amount());
			}
		}
	}));

	final Fault fault;

	private final BiFunction<Accounts, PerformContext, QueueWorker<Change>> factory;

	FaultyWorkers(Fault fault, BiFunction<Accounts, PerformContext, QueueWorker<Change>> factory) {
		this.fault = fault;
		this.factory = factory;
	}

	QueueWorker<Change> create(Accounts accounts, PerformContext context) {
		return this.factory.apply(accounts, context);
	}

	static Change last(List<Change> changes) {
		return changes.get(changes.size() - 1);
	}

	static Worker<Change> worker(Worker<Change> worker) {
		return worker;
	}

}
