package io.lowkiq.benchmarks.child;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/**
 * Measures how many jobs a second the application can enqueue and perform at the same
 * time, then lets jobs come at a part of that rate, a few each millisecond; a producer
 * that is late takes all that have come meanwhile. A job's latency runs from the
 * millisecond in which it was due to come to the call of the worker, whether or not the
 * producer was in time.
 */
final class LoadLatency implements Mode {

	private static final int BULK = 500;

	private static final int BACKLOG = 10_000;

	private static final long TICK = 1_000_000;

	/* Written by the main thread while no job is queued, read by the shard threads. */
	private final AtomicReference<Round> round = new AtomicReference<>(new Round(0));

	@Override
	public void run(Parameters parameters, Output output) throws Exception {
		Application application = new Application(parameters, (id, payloads) -> handle(payloads));
		application.start();
		for (int round = parameters.number("warm-up", 0); round > 0; round--) {
			capacity(application, 2 * parameters.jobs());
		}
		double capacity = capacity(application, 2 * parameters.jobs());

		double perTick = capacity * parameters.number("percent", 50) / 100 * TICK / 1e9;
		int jobs = (int) (perTick * 1_000 * parameters.number("seconds", 10));
		Round loaded = begin(jobs);
		long start = output.begin("load");
		for (int sent = 0, tick = 1; sent < jobs;) {
			Pause.untilNanos(start + tick * TICK);
			int due = sent;
			for (; start + tick * TICK <= System.nanoTime(); tick++) {
				for (; due < Math.min(jobs, (int) (tick * perTick)); due++) {
					loaded.latencies().start(due, start + tick * TICK);
				}
			}
			Jobs.enqueue(application, sent, due, Integer::toString);
			sent = due;
		}
		loaded.tally().await();
		output.end("load_s", start, "loaded");
		output.result("load_jobs", jobs);
		loaded.latencies().print(output, IntStream.range(0, jobs));
	}

	private double capacity(Application application, int jobs) throws InterruptedException {
		Round running = begin(jobs);
		long start = System.nanoTime();
		for (int sent = 0; sent < jobs; sent += BULK) {
			Jobs.enqueue(application, sent, Math.min(jobs, sent + BULK), Integer::toString);
			while (sent - (jobs - running.tally().left()) > BACKLOG) {
				Pause.untilNanos(System.nanoTime() + TICK / 10);
			}
		}
		running.tally().await();
		return jobs * 1e9 / (System.nanoTime() - start);
	}

	private Round begin(int jobs) {
		Round next = new Round(jobs);
		this.round.set(next);
		return next;
	}

	private void handle(List<String> payloads) {
		Round current = this.round.get();
		for (String payload : payloads) {
			int number = Integer.parseInt(payload);
			current.latencies().end(number);
			current.tally().see(number);
		}
	}

	/**
	 * The jobs of one part of the run.
	 *
	 * @param latencies their latencies
	 * @param tally which were performed
	 */
	private record Round(Latencies latencies, Tally tally) {

		Round(int jobs) {
			this(new Latencies(jobs), new Tally(jobs, jobs));
		}

	}

}
