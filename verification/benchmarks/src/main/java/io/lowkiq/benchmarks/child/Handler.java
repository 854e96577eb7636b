package io.lowkiq.benchmarks.child;

import java.util.List;

/**
 * Takes what the workers of a measured application are called with. Thread-safe.
 */
@FunctionalInterface
interface Handler {

	/**
	 * Takes one job.
	 * @param id the job's id
	 * @param payloads the job's payloads
	 */
	void handle(String id, List<String> payloads);

}
