package io.lowkiq.autoconfigure.kafka;

/**
 * The treatment of tombstones by a source: records without a value, which delete their
 * key from a compacted topic.
 */
public enum Tombstones {

	/** They go to the morgue, as records that can't become jobs. */
	BURY,

	/** They are committed without a job. */
	SKIP,

	/**
	 * They become jobs: {@link KafkaSource#payload} makes their payloads, or they are
	 * what the codec reads out of the JSON {@code null}.
	 */
	AS_NULL

}
