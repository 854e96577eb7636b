package io.lowkiq.admin;

import java.time.Duration;

import io.lowkiq.InvalidQueueException;
import io.lowkiq.RateLimit;
import io.lowkiq.store.GroupOverride;

/**
 * The tools of operators for one group of a queue. Their settings are kept in Redis,
 * replace those of the application, and last until they are reset or the queue is
 * removed. Nodes follow when a message arrives, or within 2.5 seconds. By a smaller
 * limit, they still begin what they have fetched. Thread-safe.
 * <p>
 * Every changing call is logged and published as an {@link AdminEvent}.
 */
public interface GroupAdmin {

	/**
	 * The settings that operators have made for the group.
	 * @return what is set, with who set it and when
	 */
	GroupOverride settings();

	/**
	 * Pauses the group: its jobs are enqueued, but none begins; what runs is finished.
	 */
	void pause();

	/** Resumes the group. */
	void resume();

	/**
	 * Sets how many jobs of the group run at a time, over all nodes.
	 * @param jobs the maximum number, 1 to {@value RateLimit#MAX}
	 * @throws InvalidQueueException if the ids of a group are spread over all shards
	 */
	void concurrency(int jobs);

	/**
	 * Sets how many runs of the group may begin in a time, over all nodes. Starts that
	 * were not used are saved up, for a tenth of a second.
	 * @param starts the maximum number, 1 to {@value RateLimit#MAX}
	 * @param period the period, 1 millisecond to 1 day, in whole milliseconds; starts are
	 * at most a minute apart
	 * @throws InvalidQueueException if the ids of a group are spread over all shards
	 */
	default void rate(int starts, Duration period) {
		rate(new RateLimit(starts, period));
	}

	/**
	 * Sets how many runs of the group may begin in a time, over all nodes, and how many
	 * starts are saved up.
	 * @param rate the rate, in whole milliseconds
	 * @throws InvalidQueueException if the ids of a group are spread over all shards
	 */
	void rate(RateLimit rate);

	/**
	 * Sets the weight of the group in the threads of a node.
	 * @param weight the weight, 1 to 1,000; groups without one have 1
	 */
	void weight(int weight);

	/**
	 * Resets all that was set: the settings of the application apply again, and the group
	 * is not paused.
	 */
	void reset();

}
