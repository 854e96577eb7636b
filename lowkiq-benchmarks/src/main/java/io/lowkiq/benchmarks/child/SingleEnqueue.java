package io.lowkiq.benchmarks.child;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/**
 * Enqueues jobs by one call each, from one thread or several, while no node runs.
 */
final class SingleEnqueue implements Mode {

	@Override
	public void run(Parameters parameters, Output output) throws Exception {
		Application application = new Application(parameters, (id, payloads) -> {
		});
		int producers = parameters.number("producers", 1);
		int jobs = parameters.jobs();
		ExecutorService threads = Executors.newFixedThreadPool(producers);
		enqueue(application, threads, producers, -jobs / 4, 0, new Latencies(0));

		Latencies latencies = new Latencies(jobs);
		output.mark("enqueue");
		long start = System.nanoTime();
		enqueue(application, threads, producers, 0, jobs, latencies);
		output.seconds("enqueue_s", start);
		output.mark("enqueued");
		latencies.print(output, IntStream.range(0, jobs));
		threads.shutdown();
	}

	private static void enqueue(Application application, ExecutorService threads, int producers, int from, int to,
			Latencies latencies) throws Exception {
		List<Future<?>> running = IntStream.range(0, producers).<Future<?>>mapToObj((producer) -> threads.submit(() -> {
			for (int i = from + producer; i < to; i += producers) {
				String id = Integer.toString(i);
				if (i >= 0) {
					latencies.start(i, System.nanoTime());
				}
				application.client().enqueue(application.queue(0), id, id);
				if (i >= 0) {
					latencies.end(i);
				}
			}
		})).toList();
		for (Future<?> one : running) {
			one.get();
		}
	}

}
