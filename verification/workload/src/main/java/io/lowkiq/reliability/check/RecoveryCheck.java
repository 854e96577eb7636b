package io.lowkiq.reliability.check;

import java.util.function.Consumer;

/**
 * I7: after a node died or stood still, all its shards have a new owner within the lease
 * duration and the margin. A recovery during which another fault came is only asked to
 * come to an end.
 */
final class RecoveryCheck implements Check {

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		long limit = settings.lease().plus(settings.recoveryMargin()).toNanos();
		for (Recovery recovery : Recovery.all(ledger)) {
			boolean never = recovery.nanos() == Long.MAX_VALUE;
			if (never || (recovery.clean() && recovery.nanos() > limit)) {
				violations.accept(new Violation(Rule.RECOVERY,
						"%d shards, the last one %s: %s".formatted(recovery.shards(),
								never ? "never taken over" : recovery.nanos() / 1_000_000 + " ms later",
								recovery.fault())));
			}
		}
	}

}
