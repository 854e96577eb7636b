package io.lowkiq.reliability.check;

import java.util.List;
import java.util.Set;

import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.Event.Answer;
import io.lowkiq.reliability.history.FaultKind;
import org.jspecify.annotations.Nullable;

/**
 * A payload to enqueue when a job is done: by its worker, or as the next step of a chain.
 *
 * @param perform the perform whose worker enqueued it; null if a producer named it
 * @param before the payload after which it comes, if a producer named it
 */
record FollowUp(long payload, Ledger.Job job, @Nullable Perform perform, long before) {

	private static final Set<Action> RE_ENQUEUE = Set.of(Action.RE_ENQUEUE);

	/** The runs that have caused it, or may have. */
	List<Perform> causes(Ledger ledger) {
		if (this.perform != null) {
			return (this.perform.isFollowedBy(this.payload) && mayBeDone(this.perform, ledger)) ? List.of(this.perform)
					: List.of();
		}
		Enqueued first = ledger.enqueued.get(this.before);
		return (first == null) ? List.of()
				: ledger.performs.getOrDefault(new Ledger.Job(first.queue, first.id), List.of())
					.stream()
					.filter((perform) -> perform.contains(this.before) && perform.handles(this.before))
					.filter((perform) -> mayBeDone(perform, ledger))
					.toList();
	}

	/**
	 * Whether the store may have applied the outcome of a run. It has not if it refused
	 * it, or if the job came back.
	 */
	private static boolean mayBeDone(Perform perform, Ledger ledger) {
		Ledger.Call call = perform.completion;
		if (call == null || call.applied()) {
			return call != null;
		}
		boolean refused = call.answer() == Answer.REFUSED
				&& !ledger.faulty(FaultKind::losesAnswers, call.process(), call.called().time(), call.ended());
		return !refused && !cameBack(perform, ledger);
	}

	private static boolean cameBack(Perform perform, Ledger ledger) {
		Ledger.Job job = new Ledger.Job(perform.shard.queue(), perform.id);
		List<Perform> all = ledger.performs.getOrDefault(job, List.of());
		return all.subList(all.indexOf(perform) + 1, all.size()).stream().anyMatch((next) -> {
			boolean again = false;
			for (long payload : perform.payloads) {
				again = again || (perform.leaves(payload) && next.contains(payload)
						&& !DuplicateCheck.enqueuedAgain(payload, perform, ledger));
			}
			return again && !ledger.acted(job, RE_ENQUEUE, perform.start, next.start)
					&& !ledger.faulty(FaultKind::forgets, "*", perform.fetched, next.start);
		});
	}

}
