package io.lowkiq.admin;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Why a job is not being performed right now, or that it is.
 *
 * @param reason the reason
 * @param sentence the same for people, in a sentence or two
 * @param node the node that performs it; null if none does
 * @param thread the thread that performs it; null if unknown
 * @param since since when it is performed, in milliseconds since 1970; 0 if unknown
 * @param named the other jobs that the sentence names, in its order; their ids are in
 * single quotes there
 */
public record JobStatus(Reason reason, String sentence, @Nullable String node, @Nullable String thread, long since,
		List<NamedJob> named) {

	public JobStatus {
		named = List.copyOf(named);
	}

	/**
	 * A status without a run.
	 * @param reason the reason
	 * @param sentence a sentence for people
	 * @return the status
	 */
	public static JobStatus of(Reason reason, String sentence) {
		return new JobStatus(reason, sentence, null, null, 0, List.of());
	}

	/**
	 * A status without a run, that names other jobs.
	 * @param reason the reason
	 * @param sentence a sentence for people
	 * @param named the jobs that the sentence names
	 * @return the status
	 */
	public static JobStatus of(Reason reason, String sentence, List<NamedJob> named) {
		return new JobStatus(reason, sentence, null, null, 0, named);
	}

	/**
	 * A job that is named.
	 *
	 * @param queue the name of its queue
	 * @param id its id
	 */
	public record NamedJob(String queue, String id) {
	}

	/** The reasons. */
	public enum Reason {

		/** It is being performed. */
		PERFORMED,

		/** It was fetched, and the node doesn't report yet that it performs it. */
		FETCHED,

		/**
		 * An earlier run of it continues, whose lease was lost. The job waits for that
		 * run, or is done.
		 */
		EARLIER_RUN,

		/** It was busy on a node that is gone. */
		NODE_GONE,

		/** The queue is paused. */
		PAUSED,

		/** Its group is paused. */
		GROUP_PAUSED,

		/** Its group waits, because one of its jobs has asked for it. */
		GROUP_WAITS,

		/** As many jobs of its group run as may. */
		GROUP_FULL,

		/** It waits for its retry. */
		RETRY,

		/** Its first payload can't be read, and is tried again for a while. */
		UNREADABLE,

		/** It waits for a person. */
		HELD,

		/** It waits for its time. */
		SCHEDULED,

		/** It waits for more payloads, as its queue has a quiet time. */
		GATHERING,

		/** A newer version has written its shard, and performs it. */
		NEWER_SHARD,

		/** No node owns its shard. */
		NO_OWNER,

		/** The node that owned its shard is gone. */
		OWNER_GONE,

		/** It is performed alone, after several crashes. */
		SUSPECT,

		/** The shard performs as many ids at a time as it may. */
		SHARD_BUSY,

		/** All threads of the node are busy. */
		NO_FREE_THREAD,

		/** Others are before it. */
		OTHERS_BEFORE,

		/** It is the next one. */
		NEXT,

		/** It is in the morgue. */
		DEAD,

		/** It follows a job that is done, and has not reached its queue. */
		FOLLOW_UP,

		/** It is being performed, but the store has forgotten it. */
		FORGOTTEN,

		/** There is none. */
		UNKNOWN

	}

}
