package io.lowkiq.benchmarks.child;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Enqueues jobs with distinct ids in bulk, then starts the nodes and waits until every id
 * was seen. The jobs are blank, or take a number of milliseconds.
 */
final class Throughput implements Mode {

	/* Written by the main thread while no node runs, read by the shard threads. */
	private final AtomicReference<Tally> tally = new AtomicReference<>(new Tally(0, 0));

	@Override
	public void run(Parameters parameters, Output output) throws Exception {
		int millis = parameters.number("perform-millis", 0);
		Application application = new Application(parameters, (id, payloads) -> {
			Pause.millis(millis);
			this.tally.get().see(Integer.parseInt(id));
		});
		int jobs = parameters.jobs();
		WarmUp.run(application, parameters, Integer::toString, () -> begin(jobs)::await);
		Tally counted = begin(jobs);

		long start = output.begin("enqueue");
		Jobs.enqueue(application, 0, jobs, Integer::toString);
		output.end("enqueue_s", start, "enqueued");
		output.result("enqueued", jobs);

		start = output.begin("process");
		application.start();
		boolean all = counted.await();
		output.end("process_s", start, "processed");
		output.result("processed", jobs - counted.left());
		output.result("repeats", counted.repeats());
		if (!all) {
			System.out.println("time limit reached");
		}
	}

	private Tally begin(int jobs) {
		Tally next = new Tally(jobs, jobs);
		this.tally.set(next);
		return next;
	}

}
