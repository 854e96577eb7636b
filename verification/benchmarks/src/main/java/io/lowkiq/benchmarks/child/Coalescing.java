package io.lowkiq.benchmarks.child;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

import io.lowkiq.JobRequest;

/**
 * Enqueues many changes to a few ids, a thousand by each call, and counts how often the
 * worker is called until it has seen all.
 */
final class Coalescing implements Mode {

	private static final int BULK = 1_000;

	@Override
	public void run(Parameters parameters, Output output) throws Exception {
		int changes = parameters.number("changes", 1_000_000);
		int ids = parameters.number("ids", 1_000);
		boolean meanwhile = parameters.flag("meanwhile");
		Tally tally = new Tally(changes, changes);
		LongAdder performs = new LongAdder();
		Application application = new Application(parameters, (id, payloads) -> {
			performs.increment();
			payloads.forEach((payload) -> tally.see(Integer.parseInt(payload)));
		});
		if (meanwhile) {
			application.start();
		}
		long start = output.begin(meanwhile ? "process" : "enqueue");
		for (int sent = 0; sent < changes; sent += BULK) {
			enqueue(application, sent, Math.min(changes, sent + BULK), ids);
		}
		if (!meanwhile) {
			output.end("enqueue_s", start, "enqueued");
			output.result("enqueued", changes);
			start = output.begin("process");
			application.start();
		}
		tally.await();
		output.end("process_s", start, "processed");
		output.result("processed", changes - tally.left());
		output.result("performs", performs.sum());
		output.result("repeats", tally.repeats());
	}

	private static void enqueue(Application application, int from, int to, int ids) {
		List<JobRequest<String>> requests = IntStream.range(from, to)
			.mapToObj((change) -> JobRequest.of(Integer.toString(change * 31 % ids), Integer.toString(change)))
			.toList();
		application.client().enqueueAll(application.queue(0), requests);
	}

}
