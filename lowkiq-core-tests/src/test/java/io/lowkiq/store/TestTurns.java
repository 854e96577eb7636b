package io.lowkiq.store;

import java.util.List;

import io.lowkiq.store.GroupTurns.Use;

/** Turns of groups of which each job costs {@value #CHARGE}. */
public final class TestTurns {

	static final int CHARGE = 1_000;

	private TestTurns() {
	}

	/** Turns of all groups. */
	public static GroupTurns of(String separator, Use... uses) {
		return of(separator, true, Integer.MAX_VALUE, 0, uses);
	}

	static GroupTurns of(String separator, boolean others, int share, double smallest, Use... uses) {
		return new GroupTurns(separator, others, share, smallest, smallest, CHARGE, 9, List.of(uses));
	}

	/** A group that has used as much as its running jobs cost. */
	public static Use use(String group, int running, int weight) {
		return use(group, running, weight, Integer.MAX_VALUE);
	}

	/** A group that has used as much as its running jobs cost, with a limit. */
	public static Use use(String group, int running, int weight, int room) {
		return new Use(group, (double) CHARGE * running / weight, running, weight, room);
	}

}
