package io.lowkiq.benchmarks.child;

import java.util.stream.IntStream;

/**
 * Enqueues jobs by one call each, from one thread or several, while no node runs. Before,
 * it does the same with as many others.
 */
final class SingleEnqueue implements Mode {

	@Override
	public void run(Parameters parameters, Output output) throws Exception {
		Application application = new Application(parameters, (id, payloads) -> {
		});
		int jobs = parameters.jobs();
		try (Producers producers = new Producers(parameters.number("producers", 1))) {
			producers.run(-jobs, 0, (number) -> enqueue(application, number));

			Latencies latencies = new Latencies(jobs);
			long start = output.begin("enqueue");
			producers.run(0, jobs, (number) -> {
				latencies.start(number, System.nanoTime());
				enqueue(application, number);
				latencies.end(number);
			});
			output.end("enqueue_s", start, "enqueued");
			latencies.print(output, IntStream.range(0, jobs));
		}
	}

	private static void enqueue(Application application, int number) {
		String id = Integer.toString(number);
		application.client().enqueue(application.queue(0), id, id);
	}

}
