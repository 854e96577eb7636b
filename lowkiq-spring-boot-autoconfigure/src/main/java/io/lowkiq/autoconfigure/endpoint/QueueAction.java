package io.lowkiq.autoconfigure.endpoint;

/**
 * What can be done to a queue by the endpoint {@code lowkiq}.
 */
public enum QueueAction {

	/** Jobs are enqueued, but none is fetched any more. */
	PAUSE,

	/** Jobs are fetched again. */
	RESUME,

	/** Delayed jobs are due now. */
	PERFORM_NOW,

	/** Dead jobs are enqueued again. */
	RE_ENQUEUE

}
