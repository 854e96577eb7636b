package io.lowkiq.benchmarks.child;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

import io.lowkiq.FailurePolicy;
import io.lowkiq.GatheringPolicy;
import io.lowkiq.JobRequest;
import io.lowkiq.Worker;

/**
 * Changes to a few ids that wait until they are quiet, {@code debounce} ms, or until they
 * have waited for {@code max-wait} ms; each id in turn, {@code rate} changes a second, or
 * as many as go. Measures how long after the time at which it is due, counted from the
 * calls of enqueue, an id that has waited longest is performed; or, if none has, any id.
 * The first changes, {@code changes-before}, only warm the JVM up.
 */
final class GatheringLoad implements Mode {

	private static final int CALLS_A_SECOND = 100;

	private static final int BULK = 1_000;

	private static final double KEPT_MILLIS = 50;

	@Override
	public void run(Parameters parameters, Output output) throws Exception {
		int before = parameters.number("changes-before", 0);
		int changes = before + parameters.number("changes", 100_000);
		int ids = parameters.number("ids", 1_000);
		int rate = parameters.number("rate", 0);
		long debounce = Duration.ofMillis(parameters.number("debounce", 500)).toNanos();
		long maxWait = Duration.ofMillis(parameters.number("max-wait", 5_000)).toNanos();
		AtomicLongArray called = new AtomicLongArray(changes);
		AtomicIntegerArray last = new AtomicIntegerArray(IntStream.range(0, ids).map((id) -> -1).toArray());
		Latencies late = new Latencies(changes);
		Latencies lateAfterMaxWait = new Latencies(changes);
		Tally tally = new Tally(changes, changes);
		LongAdder performs = new LongAdder();
		LongAdder outOfOrder = new LongAdder();
		Worker<String> worker = (id, payloads) -> {
			performs.increment();
			int first = Integer.parseInt(payloads.get(0));
			int newest = Integer.parseInt(payloads.get(payloads.size() - 1));
			boolean waitedLongest = called.get(first) + maxWait <= called.get(newest) + debounce;
			Latencies latencies = waitedLongest ? lateAfterMaxWait : late;
			long due = waitedLongest ? called.get(first) + maxWait : called.get(newest) + debounce;
			latencies.start(first, Math.min(due, System.nanoTime() - 1));
			latencies.end(first);
			for (String payload : payloads) {
				int number = Integer.parseInt(payload);
				outOfOrder.add((last.getAndSet(Integer.parseInt(id), number) < number) ? 0 : 1);
				tally.see(number);
			}
		};
		Application application = new Application(parameters, worker, FailurePolicy.DEFAULT, new GatheringPolicy(
				Duration.ofNanos(debounce), Duration.ofNanos(maxWait), Duration.ZERO, false, false, false));
		application.start();
		Pause.millis(3_000);

		long start = output.begin("load");
		int bulk = (rate > 0) ? Math.max(1, rate / CALLS_A_SECOND) : BULK;
		for (int from = 0; from < changes; from += bulk) {
			if (rate > 0) {
				Pause.untilNanos(start + from * 1_000_000_000L / rate);
			}
			enqueue(application, from, Math.min(changes, from + bulk), ids, called);
		}
		output.result("burst_s", (System.nanoTime() - start) / 1e9);
		tally.await();
		output.end("load_s", start, "loaded");
		output.result("load_jobs", changes);
		output.result("left", tally.left());
		output.result("performs", performs.sum());
		output.result("repeats", tally.repeats());
		output.result("out_of_order", outOfOrder.sum());
		boolean anyWaitedLongest = lateAfterMaxWait.ended(before).findAny().isPresent();
		Latencies counted = anyWaitedLongest ? lateAfterMaxWait : late;
		output.result("kept_percent", counted.percentUpTo(KEPT_MILLIS, before));
		counted.print(output, counted.ended(before));
	}

	private static void enqueue(Application application, int from, int to, int ids, AtomicLongArray called) {
		long now = System.nanoTime();
		IntStream.range(from, to).forEach((change) -> called.set(change, now));
		List<JobRequest<String>> requests = IntStream.range(from, to)
			.mapToObj((change) -> JobRequest.of(Integer.toString(change % ids), Integer.toString(change)))
			.toList();
		application.client().enqueueAll(application.queue(0), requests);
	}

}
