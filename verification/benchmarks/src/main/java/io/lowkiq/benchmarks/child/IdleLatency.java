package io.lowkiq.benchmarks.child;

import java.util.Random;
import java.util.stream.IntStream;

/**
 * Enqueues one job every 80 to 120 ms, or as told, into an application that has nothing
 * else to do, and takes the time from the call of enqueue to the call of the worker.
 */
final class IdleLatency implements Mode {

	/** How many of the jobs before come at the pace that is measured. */
	private static final int WARM_UP = 50;

	private static final int SAMPLES = 200;

	@Override
	public void run(Parameters parameters, Output output) throws Exception {
		int before = Math.max(WARM_UP, parameters.number("jobs-before", 0));
		int total = before + SAMPLES;
		int pause = parameters.number("pause", 100);
		Latencies latencies = new Latencies(total);
		Tally tally = new Tally(total, total);
		Application application = new Application(parameters, (id, payloads) -> {
			latencies.end(Integer.parseInt(id));
			tally.see(Integer.parseInt(id));
		});
		application.start();
		Pause.millis(3_000);
		Random jitter = new Random(1);
		for (int i = 0; i < total; i++) {
			if (i == before) {
				output.mark("idle");
			}
			Pause.millis((i < before - WARM_UP) ? 1 : pause * 4 / 5 + jitter.nextInt(pause * 2 / 5 + 1));
			String id = Integer.toString(i);
			latencies.start(i, System.nanoTime());
			application.client().enqueue(application.queue(0), id, id);
		}
		output.mark("idled");
		tally.await();
		latencies.print(output, IntStream.range(before, total));
	}

}
