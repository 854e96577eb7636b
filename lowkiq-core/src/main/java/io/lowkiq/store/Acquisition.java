package io.lowkiq.store;

/** The store's answer to {@link ShardStore#acquire}. */
public sealed interface Acquisition {

	/**
	 * The lease was given. No job of the shard is busy, unless {@code kept}. Sequence
	 * numbers begin at 1.
	 *
	 * @param kept whether the busy jobs of the same session stayed busy because its call
	 * with the given sequence number had not been applied: its outcomes go again under
	 * the new lease
	 * @param now the store's time, in milliseconds since 1970
	 * @param lastFollowUp the largest number of a waiting follow-up; -1 if none waits,
	 * but other shards remember some; 0 otherwise
	 */
	record Acquired(Lease lease, int restored, boolean kept, long next, long nextSuspect, long now, long lastFollowUp,
			LastCall before, WaitingGroups groups) implements Acquisition {

		/** Of a shard in which no group waits. */
		public Acquired(Lease lease, int restored, boolean kept, long next, long nextSuspect, long now,
				long lastFollowUp, LastCall before) {
			this(lease, restored, kept, next, nextSuspect, now, lastFollowUp, before, WaitingGroups.NONE);
		}

	}

	/** Another session holds the lease, under its epoch. */
	record Held(String session, long epoch) implements Acquisition {
	}

	/** Nobody holds the lease, and {@link LeaseRequest#ifHeld} wants no free one. */
	record Free() implements Acquisition {
	}

}
