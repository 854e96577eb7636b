package io.lowkiq.reliability.check;

import io.lowkiq.reliability.history.FaultKind;

/**
 * A fault with its end.
 *
 * @param process the process it hits; {@code *} for all
 */
record Fault(FaultKind kind, String process, long begun, long over) {

	/** How far back a failover forgets at most, in nanoseconds. */
	static final long FORGETS = 1_000_000_000L;

	/** Whether a call that had ended by then may be forgotten. */
	boolean forgets(long ended) {
		return switch (this.kind) {
			case EMPTY -> true;
			case LAST_CALL -> ended >= this.begun;
			default -> ended >= this.begun - FORGETS;
		};
	}

	boolean hits(String someProcess) {
		return this.process.equals("*") || this.process.equals(someProcess);
	}

	boolean touches(long from, long to) {
		return this.begun <= to && this.over >= from;
	}

}
