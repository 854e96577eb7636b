package io.lowkiq.test;

/**
 * When the jobs of a test are performed. In every mode the rules are those of production:
 * payloads merge, failures are retried later, and go to the morgue in the end.
 */
public enum LowkiqMode {

	/** Jobs wait until the test calls {@link LowkiqTester#drain()}, on its thread. */
	MANUAL,

	/**
	 * A job that is due is performed on the enqueueing thread, before the enqueue
	 * returns. What failed is delayed, and performed when the test lets the time pass.
	 */
	INLINE,

	/** The threads of a server perform the jobs, as in production. */
	RUNNING

}
