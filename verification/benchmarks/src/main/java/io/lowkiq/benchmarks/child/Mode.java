package io.lowkiq.benchmarks.child;

/** A task of a child. */
@FunctionalInterface
interface Mode {

	/**
	 * Does it.
	 * @throws Exception if it can't be measured
	 */
	void run(Parameters parameters, Output output) throws Exception;

}
