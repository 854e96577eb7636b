package io.lowkiq.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Watches the heartbeat counters of other nodes: a session has died when its counter has
 * not changed for the duration of its lease by the monotonic clock of the observer. No
 * wall clock decides, neither a node's nor that of the store. Used by one thread.
 */
public final class SessionWatch {

	/** Monotonic clocks of two machines don't run at exactly the same rate. */
	private static final double DRIFT = 1.01;

	/** The last sighting of each living session. */
	private final Map<String, Sighting> sightings = new HashMap<>();

	/**
	 * A counter, and when it was first seen.
	 */
	private record Sighting(Member member, long since) {

		long nanosLeft(long nanos) {
			Duration lease = this.member.info().leaseDuration();
			return (long) (lease.toNanos() * DRIFT) - (nanos - this.since);
		}

	}

	/**
	 * The counters have been read.
	 * @param members the living sessions
	 * @param own the session of the observer, which is not watched; empty if it has none
	 * @param nanos a time not before the answer arrived, by the monotonic clock
	 */
	public void seen(List<Member> members, String own, long nanos) {
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

	/**
	 * The sessions that have died, as far as is known.
	 * @param nanos the time by the monotonic clock
	 * @return the sessions with the counters that stood still
	 */
	public List<Member> dead(long nanos) {
		List<Member> dead = new ArrayList<>();
		for (Sighting sighting : this.sightings.values()) {
			if (sighting.nanosLeft(nanos) <= 0) {
				dead.add(sighting.member());
			}
		}
		return dead;
	}

	/**
	 * How long until a session will have died if its counter stands still.
	 * @param nanos the time by the monotonic clock
	 * @return nanoseconds; the largest number if no other session lives
	 */
	public long nanosUntilDeath(long nanos) {
		return this.sightings.values()
			.stream()
			.mapToLong((sighting) -> sighting.nanosLeft(nanos))
			.min()
			.orElse(Long.MAX_VALUE);
	}

}
