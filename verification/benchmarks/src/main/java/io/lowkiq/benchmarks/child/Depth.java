package io.lowkiq.benchmarks.child;

import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The classic on top of jobs that are queued already: the same number of jobs is enqueued
 * behind them, and the same number performed from the front, however many lie between.
 * Redis needs new memory for them at any depth: a short queue would have that which the
 * warm-up has left, a long one has used it up.
 */
final class Depth implements Mode {

	/* Written by the main thread while no node runs, read by the shard threads. */
	private final AtomicReference<CountDownLatch> left = new AtomicReference<>(new CountDownLatch(0));

	@Override
	public void run(Parameters parameters, Output output) throws Exception {
		int depth = parameters.number("depth", 10_000);
		int jobs = parameters.jobs();
		Application application = new Application(parameters, (id, payloads) -> this.left.get().countDown());
		WarmUp.run(application, parameters, Jobs::hundredBytes, () -> begin(jobs)::await);
		Jobs.enqueue(application, 0, depth, Jobs::hundredBytes);
		CountDownLatch counted = begin(jobs);
		application.giveBackFreeMemory();

		long start = output.begin("enqueue");
		Jobs.enqueue(application, depth, depth + jobs, Jobs::hundredBytes);
		output.end("enqueue_s", start, "enqueued");

		start = output.begin("process");
		application.start();
		counted.await();
		output.end("process_s", start, "processed");
		output.result("processed", jobs);
		application.stop();
		System.gc();
		output.result("heap_mb", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1048576.0);
	}

	private CountDownLatch begin(int jobs) {
		CountDownLatch next = new CountDownLatch(jobs);
		this.left.set(next);
		return next;
	}

}
