package io.lowkiq.benchmarks.child;

import java.util.stream.IntStream;

import io.lowkiq.JobRequest;

/**
 * Large tenants with many queued jobs, beside a small tenant with ten jobs a second.
 * Measures how long each job of the small tenant waits, from the call of enqueue to the
 * call of the worker. The first part of an id names its tenant.
 */
final class TenantLoad implements Mode {

	private static final String SMALL = "small:";

	/** The jobs of the small tenant that don't count, at the same pace. */
	private static final int BEFORE = 50;

	private static final int PAUSE = 100;

	@Override
	public void run(Parameters parameters, Output output) throws Exception {
		int jobs = parameters.number("jobs", 1_000_000);
		int large = parameters.number("large", 1);
		int millis = parameters.number("perform-millis", 20);
		int total = BEFORE + parameters.number("seconds", 40) * 1_000 / PAUSE;
		Latencies latencies = new Latencies(total);
		Tally tally = new Tally(total, total);
		Application application = new Application(parameters, (id, payloads) -> {
			if (id.startsWith(SMALL)) {
				int number = Integer.parseInt(id.substring(SMALL.length()));
				latencies.end(number);
				tally.see(number);
			}
			Pause.millis(millis);
		});
		application.client()
			.enqueueAll(application.queue(0),
					() -> IntStream.range(0, jobs)
						.<JobRequest<?>>mapToObj(
								(number) -> JobRequest.of("large-%d:%d".formatted(number % large, number), "job"))
						.iterator());
		application.start();
		Pause.millis(10_000);
		long start = 0;
		for (int number = 0; number < total; number++) {
			if (number == BEFORE) {
				start = output.begin("load");
			}
			Pause.millis(PAUSE);
			latencies.start(number, System.nanoTime());
			application.client().enqueue(application.queue(0), SMALL + number, "job");
		}
		tally.await();
		output.end("load_s", start, "loaded");
		output.result("load_jobs", total - BEFORE);
		latencies.print(output, IntStream.range(BEFORE, total));
	}

}
