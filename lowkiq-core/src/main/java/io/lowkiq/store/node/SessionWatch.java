package io.lowkiq.store.node;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Watches the heartbeat counters of other nodes: a session has died when its counter has
 * not changed for the duration of its lease by the monotonic clock of the observer. Used
 * by one thread.
 */
public final class SessionWatch {

	/** Monotonic clocks of two machines don't run at exactly the same rate. */
	private static final double DRIFT = 1.01;

	/** The last sighting of each living session. */
	private final Map<String, Sighting> sightings = new HashMap<>();

	/** The living sessions, with that of the observer. */
	private List<Member> members = List.of();

	private String own = "";

	/** Since when the observer has had its present session. */
	private long ownSince;

	/** A counter, and when it was first seen. */
	private record Sighting(Member member, long since) {

		long nanosLeft(long nanos) {
			Duration lease = this.member.info().leaseDuration();
			return (long) (lease.toNanos() * DRIFT) - (nanos - this.since);
		}

	}

	/** The counters were read at a time of the monotonic clock, or before. */
	public void seen(List<Member> members, String own, long nanos) {
		this.members = List.copyOf(members);
		if (!own.equals(this.own)) {
			this.own = own;
			this.ownSince = nanos;
		}
		Set<String> living = new HashSet<>();
		for (Member member : members) {
			if (member.session().equals(own)) {
				continue;
			}
			living.add(member.session());
			Sighting before = this.sightings.get(member.session());
			if (before == null || before.member().beats() != member.beats()) {
				this.sightings.put(member.session(), new Sighting(member, nanos));
			}
		}
		this.sightings.keySet().retainAll(living);
	}

	/** The sessions that have died, as far as is known. */
	public List<Member> dead(long nanos) {
		return this.sightings.values()
			.stream()
			.filter((sighting) -> sighting.nanosLeft(nanos) <= 0)
			.map(Sighting::member)
			.toList();
	}

	/**
	 * Whether the end of a session that has died is a crash, which counts for its busy
	 * jobs (rule 8). It isn't if the process lives on under a younger session, nor if the
	 * observer has lost a session of its own since it saw the last heartbeat: then the
	 * store could not be reached, and nobody knows whether the node has crashed.
	 */
	public boolean isCrash(Member dead, long nanos) {
		Sighting sighting = this.sightings.get(dead.session());
		return sighting != null && sighting.since() - this.ownSince >= 0 && !livesOn(dead, nanos);
	}

	/** The session of the observer itself, which is not watched, lives. */
	private boolean livesOn(Member dead, long nanos) {
		return this.members.stream()
			.filter((member) -> member.info().isSameProcess(dead.info()))
			.map((member) -> this.sightings.get(member.session()))
			.anyMatch((sighting) -> sighting == null || sighting.nanosLeft(nanos) > 0);
	}

	/**
	 * How many nanoseconds until a session dies if its counter stands still; the largest
	 * number if there is none.
	 */
	public long nanosUntilDeath(long nanos) {
		return this.sightings.values()
			.stream()
			.mapToLong((sighting) -> sighting.nanosLeft(nanos))
			.min()
			.orElse(Long.MAX_VALUE);
	}

}
