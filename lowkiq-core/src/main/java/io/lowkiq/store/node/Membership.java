package io.lowkiq.store.node;

import java.util.List;
import java.util.Map;

/**
 * The sessions as the registry knows them at one time.
 *
 * @param held whether the asking session lives; false for one that has ended, for ever
 * @param ended the 1,000 sessions that ended last, and whether their busy jobs count a
 * crash; others are unknown
 * @param assignmentVersion 0 if there is none
 */
public record Membership(boolean held, List<Member> members, Map<String, Boolean> ended, long assignmentVersion) {

	public Membership {
		members = List.copyOf(members);
		ended = Map.copyOf(ended);
	}

}
