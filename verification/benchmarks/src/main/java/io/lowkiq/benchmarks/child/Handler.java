package io.lowkiq.benchmarks.child;

import java.util.List;

/** Takes what the workers of a measured application are called with. Thread-safe. */
@FunctionalInterface
interface Handler {

	/** Takes one job. */
	void handle(String id, List<String> payloads);

}
