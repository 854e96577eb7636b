package io.lowkiq.reliability.check;

import java.util.List;
import java.util.function.Consumer;

/**
 * Follow-ups take effect exactly if their job is done: none is enqueued before the
 * outcome of such a run was sent, nor if the run failed, was cut off or was refused; and
 * once the outcome was applied it is performed to success, or is in the morgue.
 */
final class FollowUpCheck implements Check {

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		Excuse excuse = new Excuse(ledger, settings);
		for (FollowUp followUp : ledger.followUps.values()) {
			List<Perform> causes = followUp.causes(ledger);
			List<Perform> performs = ledger.performs.getOrDefault(followUp.job(), List.of())
				.stream()
				.filter((perform) -> perform.contains(followUp.payload()))
				.toList();
			long done = causes.stream().mapToLong(FollowUpCheck::completed).min().orElse(Long.MAX_VALUE);
			if (begun(followUp, performs, ledger) < done) {
				violations.accept(new Violation(Rule.FOLLOW_UP_TOO_EARLY,
						"%s, after %s: %s".formatted(followUp, causes, performs)));
			}
			boolean owed = causes.stream().anyMatch((cause) -> cause.completed() && !isForgotten(cause, excuse));
			if (owed && performs.stream().noneMatch((perform) -> perform.handles(followUp.payload()))
					&& !ledger.dead.contains(followUp.payload())) {
				violations.accept(new Violation(Rule.FOLLOW_UP_LOST, "%s, after %s".formatted(followUp, causes)));
			}
		}
	}

	/** When a run's outcome was sent. */
	private static long completed(Perform perform) {
		Ledger.Call call = perform.completion;
		return (call != null) ? call.called().time() : Long.MAX_VALUE;
	}

	private static boolean isForgotten(Perform perform, Excuse excuse) {
		Ledger.Call call = perform.completion;
		return call != null && excuse.forgotten(call);
	}

	/** When it was first on its way into its queue, or performed. */
	private static long begun(FollowUp followUp, List<Perform> performs, Ledger ledger) {
		Enqueued enqueued = ledger.enqueued.get(followUp.payload());
		long performed = performs.stream().mapToLong((perform) -> perform.start).min().orElse(Long.MAX_VALUE);
		return (enqueued != null) ? Math.min(enqueued.called(), performed) : performed;
	}

}
