package io.lowkiq.admin;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The status of a source of jobs, such as a consumer of Kafka topics, in this application
 * at this moment.
 *
 * @param name the source's name
 * @param queue the queue into which it enqueues
 * @param topics the names of the topics that it reads
 * @param groupId its consumer group
 * @param state whether it reads records
 * @param waiting the number of records that were read and can't be enqueued for now
 * @param problem why they wait, or why none is read: no broker has answered for a minute;
 * null if all is well
 * @param partitions the partitions that are assigned to it in this application
 */
public record SourceStatus(String name, String queue, List<String> topics, String groupId, State state, long waiting,
		@Nullable String problem, List<Partition> partitions) {

	public SourceStatus {
		topics = List.copyOf(topics);
		partitions = List.copyOf(partitions);
	}

	/**
	 * A partition.
	 *
	 * @param topic the topic's name
	 * @param partition the partition's number
	 * @param lag the number of records that were not read yet; null if it isn't known,
	 * such as before the first record was read, and while the partition is paused
	 */
	public record Partition(String topic, int partition, @Nullable Long lag) {
	}

	/** Whether a source reads records. */
	public enum State {

		/** It reads records. */
		RUNNING,

		/** It keeps its partitions and reads no records. */
		PAUSED,

		/** It was stopped, or has not been started. */
		STOPPED,

		/** It has stopped, at least in part, because of an error. */
		FAILED

	}

}
