package io.lowkiq.reliability.model;

/** The rules of the ownership, each of which can be taken out. */
enum Rule {

	/** A call under another epoch than the current one is turned away. */
	EPOCH_CHECKED,

	/** A call whose number is not the next one is turned away. */
	SEQUENCE_CHECKED,

	/** A call whose sender knows of another number of busy jobs is turned away. */
	BUSY_COUNTED,

	/** A payload for a busy id waits behind it, where no fetch finds it. */
	BUSY_SKIPPED,

	/** What waits behind an id can be fetched once the id is not busy any more. */
	BEHIND_RELEASED,

	/** Busy jobs are put back when the lease is acquired and they are not kept. */
	BUSY_RESTORED,

	/** A request keeps the busy jobs only if it names the epoch of the lost call. */
	REQUEST_NAMES_EPOCH,

	/** After a call that was out of step, the busy jobs are put back in any case. */
	OUT_OF_STEP_RESTORES,

	/** A request marks busy jobs only if the session that crashed still has the lease. */
	ONLY_THE_DEAD_MARK,

	/** Nothing is fetched while this JVM performs under an older lease. */
	OLD_PERFORMS_AWAITED,

	/** A release has a larger number than any call before. */
	RELEASE_NUMBERED,

	/** A shard is released only when this JVM performs nothing of it. */
	RELEASE_AWAITS_PERFORMS,

	/** Nor when this JVM still performs something of it under an older lease. */
	RELEASE_AWAITS_OLD_PERFORMS,

	/** What was fetched, not begun, and put back by the store is forgotten. */
	PUT_BACK_FORGOTTEN,

	/** A job named as returned in a call without an answer is not begun. */
	RETURNED_NOT_BEGUN,

	/** A perform begins only while the session surely lasts. */
	LEASE_ASKED,

	/** The lease counts from the sending of a heartbeat, not from its answer. */
	COUNTED_FROM_SENDING,

	/** A node whose session may have ended by its own clock begins another one. */
	LAPSE_IS_FINAL,

	/** The registry counts no heartbeat of a session that has ended. */
	END_IS_FINAL,

	/** A session is ended only if its counter still is what the observer saw. */
	COUNTER_COMPARED,

	/** An observer counts from the answer that showed it the counter. */
	WATCHED_FROM_ANSWER,

	/** A holder that the registry doesn't know is watched as a silent one is. */
	UNKNOWN_WATCHED,

	/**
	 * A session that holds the shard as far as the store knows is told when another one
	 * is refused, and asks for the shard.
	 */
	HOLDER_TOLD,

	/**
	 * The lease counts from the sending of the heartbeat before the last answered one, so
	 * that the registry may forget one in a failover.
	 */
	COUNTED_FROM_THE_ONE_BEFORE

}
