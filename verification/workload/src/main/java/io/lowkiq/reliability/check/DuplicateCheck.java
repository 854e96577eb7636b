package io.lowkiq.reliability.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.FaultKind;

/**
 * A payload that was done, discarded or buried is performed again only if a fault kept
 * the outcome of that very perform from the store; or if it may have been enqueued again
 * after it was fetched, by its producer or out of the morgue.
 */
final class DuplicateCheck implements Check {

	private static final Set<Action> RE_ENQUEUE = Set.of(Action.RE_ENQUEUE);

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		Excuse excuse = new Excuse(ledger, settings);
		duplicates(ledger, (first, again) -> {
			for (long payload : first.payloads) {
				if (first.leaves(payload) && again.contains(payload) && !enqueuedAgain(payload, first, ledger)
						&& !reEnqueued(payload, first, again, ledger) && !excuse.covers(first)) {
					violations.accept(new Violation(Rule.DUPLICATES_EXPLAINED,
							"Payload %d again without a fault: %s, then %s".formatted(payload, first, again)));
				}
			}
		});
	}

	/**
	 * Names each run that finished payloads together with the next run of one of its
	 * payloads.
	 */
	static void duplicates(Ledger ledger, BiConsumer<Perform, Perform> consumer) {
		for (List<Perform> performs : ledger.performs.values()) {
			Map<Long, Perform> succeeded = new HashMap<>();
			for (Perform perform : performs) {
				for (long payload : perform.payloads) {
					Perform first = succeeded.get(payload);
					if (first != null) {
						consumer.accept(first, perform);
						break;
					}
				}
				for (long payload : perform.payloads) {
					if (perform.leaves(payload)) {
						succeeded.put(payload, perform);
					}
				}
			}
		}
	}

	/** Whether an operator took it out of the morgue. */
	private static boolean reEnqueued(long payload, Perform first, Perform again, Ledger ledger) {
		return first.buries(payload)
				&& ledger.acted(new Ledger.Job(first.shard.queue(), first.id), RE_ENQUEUE, first.start, again.start);
	}

	/**
	 * Whether a further enqueue of the performed payload may have been applied after the
	 * fetch: by another attempt of the producer, or by its client library. What follows a
	 * job is enqueued once, however often it is sent, unless the job was done twice.
	 */
	static boolean enqueuedAgain(long payload, Perform first, Ledger ledger) {
		Enqueued enqueued = ledger.enqueued.get(payload);
		if (enqueued == null) {
			return false;
		}
		FollowUp followUp = ledger.followUps.get(payload);
		boolean another = (followUp != null) ? followUp.causes(ledger).size() > 1 : enqueued.attempts.size() > 1;
		return enqueued.attempts.stream()
			.filter((attempt) -> attempt.returned() >= first.fetched)
			.anyMatch((attempt) -> another || (followUp == null
					&& ledger.faulty(FaultKind::losesAnswers, enqueued.process, attempt.called(), attempt.returned())));
	}

}
