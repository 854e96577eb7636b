package io.lowkiq.admin;

import java.util.List;

/**
 * Controls the sources of jobs of this application. A bean of this type is what
 * {@link LowkiqAdmin} uses. Thread-safe.
 */
public interface SourceControl {

	/**
	 * The status of all sources.
	 * @return the sources
	 */
	List<SourceStatus> all();

	/**
	 * Pauses a source: it keeps its partitions, and reads no records.
	 * @param name the source's name
	 * @throws IllegalArgumentException if there is no such source
	 */
	void pause(String name);

	/**
	 * Resumes a source, and starts it again if it has stopped.
	 * @param name the source's name
	 * @throws IllegalArgumentException if there is no such source
	 */
	void resume(String name);

	/**
	 * Moves to another offset of a partition.
	 * @param name the source's name
	 * @param topic the topic's name
	 * @param partition the partition's number
	 * @param offset the offset of the next record to read, 0 or more
	 * @throws IllegalArgumentException if there is no such source
	 * @throws IllegalStateException if the partition is not assigned to it here
	 */
	void seek(String name, String topic, int partition, long offset);

}
