package io.lowkiq.benchmarks.child;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Enqueues blank jobs with distinct ids in bulk, then starts the nodes and waits until
 * every id was seen.
 */
final class Throughput implements Mode {

	/* Written by the main thread while no node runs, read by the shard threads. */
	private final AtomicReference<Tally> tally = new AtomicReference<>(new Tally(0, 0));

	@Override
	public void run(Parameters parameters, Output output) throws Exception {
		Application application = new Application(parameters, this::handle);
		int jobs = parameters.jobs();
		WarmUp.run(application, parameters, Integer::toString, () -> begin(jobs)::await);
		Tally counted = begin(jobs);

		output.mark("enqueue");
		long start = System.nanoTime();
		Jobs.enqueue(application, 0, jobs, Integer::toString);
		output.seconds("enqueue_s", start);
		output.mark("enqueued");

		output.mark("process");
		start = System.nanoTime();
		application.start();
		boolean all = counted.await();
		output.seconds("process_s", start);
		output.mark("processed");
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

	private void handle(String id, List<String> payloads) {
		this.tally.get().see(Integer.parseInt(id));
	}

}
