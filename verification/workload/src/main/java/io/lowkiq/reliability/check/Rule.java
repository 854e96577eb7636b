package io.lowkiq.reliability.check;

/** The rules by which a history is judged. */
public enum Rule {

	/** I3: what was acknowledged is performed to success or is in the morgue. */
	NOTHING_LOST,

	/** I3: nothing is queued or busy for ever. */
	NOTHING_STRANDED,

	/**
	 * I3: what follows a job is performed once that job is done, as what was
	 * acknowledged.
	 */
	FOLLOW_UP_LOST,

	/** Follow-ups are not enqueued before their job is done, nor if it fails. */
	FOLLOW_UP_TOO_EARLY,

	/** Performed payloads were enqueued, to this queue and id. */
	NOTHING_INVENTED,

	/** I1: two runs of an id don't overlap while both leases hold. */
	EXCLUSION,

	/** I1: a run begins only under a lease that holds. */
	LEASE_BEFORE_PERFORM,

	/** I2: payloads come ascending, and default scores keep the order of enqueueing. */
	ORDER,

	/** I4: what was not finished comes back with or before what is newer. */
	ORDER_AFTER_FAILURE,

	/** I4: a retry waits for its time. */
	RETRY_DELAY,

	/** I7: only a failure of the worker makes the retryCount grow. */
	RETRY_COUNT,

	/** I6: a fenced owner changes nothing; an epoch has one owner. */
	FENCING,

	/** I7: the shards of a dead node move to living ones in time. */
	RECOVERY,

	/** The health of a node is UP within 30 s after the last fault. */
	HEALTH,

	/** While a queue is paused, no job of it begins. */
	PAUSE,

	/** A delayed payload waits for its time. */
	DELAY,

	/**
	 * Payloads buried because their retries are used up do not come back by themselves.
	 */
	BURIAL,

	/**
	 * Rule 8: what is in the morgue was buried for its failures, or was caught in more
	 * than three crashes.
	 */
	MORGUE_EXPLAINED,

	/** A job on hold waits for a person. */
	HOLD,

	/** Payloads behind an unreadable one wait while it is in its grace. */
	UNREADABLE_GRACE,

	/** An id with a quiet time is not performed before it. */
	DEBOUNCE,

	/** An id that is not quiet is performed after the longest wait. */
	MAX_WAIT,

	/** The runs of an id keep their distance. */
	MIN_INTERVAL,

	/** Only the latest of the payloads that wait together is delivered. */
	KEEP_LATEST,

	/** Of payloads that are equal, the latest counts. */
	EQUAL_LATEST,

	/** No more jobs of a queue, a shard or a group run at a time than its limit. */
	CONCURRENCY,

	/** No more runs begin in any time than the rate brings, and the burst. */
	RATE,

	/**
	 * A payload that was performed to success comes again only because of a fault that
	 * touched the call with its outcome.
	 */
	DUPLICATES_EXPLAINED

}
