package io.lowkiq.reliability.check;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.reliability.history.History;

/**
 * The verdict on a history.
 *
 * @param violations each breach of a rule; empty if the promise was kept
 */
public record Verdict(List<Violation> violations, Figures figures) {

	private static final List<Check> CHECKS = List.of(new LossCheck(), new ExclusionCheck(), new OrderCheck(),
			new RetryCheck(), new FencingCheck(), new DuplicateCheck(), new RecoveryCheck(), new HealthCheck(),
			new PauseCheck(), new DelayCheck(), new UnreadableCheck(), new GatheringCheck(), new FollowUpCheck(),
			new MorgueCheck(), new LimitsCheck());

	/** Judges a history. */
	public static Verdict of(History history, Settings settings) {
		Ledger ledger = new Ledger(history);
		List<Violation> violations = new ArrayList<>();
		CHECKS.forEach((check) -> check.check(ledger, settings, violations::add));
		return new Verdict(violations, Figures.of(ledger, settings));
	}

}
