package io.lowkiq.reliability.check;

import java.util.function.Consumer;

/** Judges by one rule or a few that belong together. */
@FunctionalInterface
interface Check {

	void check(Ledger ledger, Settings settings, Consumer<Violation> violations);

}
