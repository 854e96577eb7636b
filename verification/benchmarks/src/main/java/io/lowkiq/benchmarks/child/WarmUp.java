package io.lowkiq.benchmarks.child;

import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Does what will be measured several times before, so that the JVM has compiled it: what
 * is measured then is a server that has been up for some seconds.
 */
final class WarmUp {

	private WarmUp() {
	}

	/**
	 * Enqueues jobs, starts the nodes, waits until all jobs were seen, stops the nodes;
	 * as often as the parameter {@code warm-up} says.
	 */
	static void run(Application application, Parameters parameters, IntFunction<String> payload,
			Supplier<Counted> begin) throws InterruptedException {
		for (int round = parameters.number("warm-up", 0); round > 0; round--) {
			Counted counted = begin.get();
			Jobs.enqueue(application, 0, parameters.jobs(), payload);
			application.start();
			counted.await();
			application.stop();
		}
	}

	/** The jobs of one round. */
	interface Counted {

		/** Waits until all were seen. */
		void await() throws InterruptedException;

	}

}
