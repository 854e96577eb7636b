package io.lowkiq.store;

import java.util.List;
import java.util.Set;

/**
 * The sessions as the registry knows them at one time.
 *
 * @param held whether the session that asked is among the living ones; once false for a
 * session it stays false
 * @param members the living sessions, the longest living first
 * @param ended sessions that ended lately; a session that is in neither list is unknown
 * @param assignment which of them is to have which shard
 * @param now the registry's time, in milliseconds since 1970
 */
public record Membership(boolean held, List<Member> members, Set<String> ended, Assignment assignment, long now) {
}
