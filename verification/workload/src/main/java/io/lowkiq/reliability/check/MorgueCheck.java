package io.lowkiq.reliability.check;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.lowkiq.reliability.history.Event.Answer;
import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.store.ShardStore;

/**
 * Rule 8: a payload is in the morgue because a worker buried it or used up its retries,
 * or because its job was caught in more than three crashes: while it ran, or just after
 * it was fetched, perhaps by a call whose answer was lost. A node that stands still, or
 * is cut off, can't be told from one that has crashed. An outage of Redis hits all nodes,
 * and is none. Where payloads can't be read at times, nobody knows why they died.
 */
final class MorgueCheck implements Check {

	/** The faults that make one process look crashed. */
	private static final Set<FaultKind> CRASHES = Set.of(FaultKind.KILL, FaultKind.POISON, FaultKind.STOP,
			FaultKind.STALL, FaultKind.HANG, FaultKind.CUT, FaultKind.LOST_ANSWERS, FaultKind.LATENCY);

	/** A job that doesn't begin goes back by then. */
	private static final long GOES_BACK = Duration.ofSeconds(1).toNanos();

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		for (long dead : ledger.dead) {
			Enqueued enqueued = ledger.enqueued.get(dead);
			if (enqueued == null || settings.isUnreadableAtTimes(enqueued.queue)) {
				continue;
			}
			Ledger.Job job = new Ledger.Job(enqueued.queue, enqueued.id);
			List<Perform> performs = ledger.performs.getOrDefault(job, List.of());
			long crashes = performs.stream().filter((perform) -> crashed(perform, ledger)).count();
			crashes += ledger.fetches.getOrDefault(job, List.of())
				.stream()
				.filter((fetch) -> crashedBefore(fetch, performs, ledger))
				.count();
			crashes += crashesWithoutAnswer(performs, ledger);
			if (crashes <= ShardStore.MAX_CRASHES
					&& performs.stream().noneMatch((perform) -> buries(perform, dead, settings))) {
				violations.accept(new Violation(Rule.MORGUE_EXPLAINED,
						"Dead after %d crashes, and no worker buried it: %s".formatted(crashes, enqueued)));
			}
		}
	}

	private static boolean crashed(Perform perform, Ledger ledger) {
		return crashed(perform.process, perform.start, perform.end, ledger);
	}

	/** Whether a job was fetched, and its run didn't begin before a crash. */
	private static boolean crashedBefore(Ledger.Fetch fetch, List<Perform> performs, Ledger ledger) {
		boolean hasBegun = performs.stream()
			.anyMatch((perform) -> perform.process.equals(fetch.process()) && perform.fetched == fetch.called());
		return !hasBegun && crashed(fetch.process(), fetch.answered(), fetch.answered() + GOES_BACK, ledger);
	}

	/**
	 * The leases under which the job didn't run, but may have been fetched by a call
	 * whose answer was lost in a crash.
	 */
	private static long crashesWithoutAnswer(List<Perform> performs, Ledger ledger) {
		return performs.stream()
			.map((perform) -> perform.shard)
			.distinct()
			.flatMap((shard) -> ledger.calls.getOrDefault(shard, List.of()).stream())
			.filter((call) -> call.answer() == Answer.NONE
					&& crashed(call.process(), call.called().time(), call.ended(), ledger))
			.map((call) -> call.called().epoch())
			.distinct()
			.filter((epoch) -> performs.stream().noneMatch((perform) -> perform.epoch == epoch))
			.count();
	}

	private static boolean crashed(String process, long from, long to, Ledger ledger) {
		return ledger.faults.stream()
			.anyMatch((fault) -> CRASHES.contains(fault.kind()) && fault.process().equals(process)
					&& fault.touches(from, Math.min(to, ledger.gone(process))));
	}

	private static boolean buries(Perform perform, long payload, Settings settings) {
		boolean usedUp = perform.failed() && !perform.handles(payload)
				&& perform.retryCount + 1 >= settings.maxRetryCount();
		return perform.contains(payload) && (perform.buries(payload) || usedUp);
	}

}
