package io.lowkiq.benchmarks.child;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.Shard;

/**
 * Jobs with distinct ids that arrive independently of each other and take a millisecond,
 * some of them a second. Measures how long each waits, from the call of enqueue to the
 * call of the worker. On request, one job in each shard is performed for many seconds
 * meanwhile, and does not count.
 */
final class PoissonLoad implements Mode {

	private static final int FAST_MILLIS = 1;

	private static final int SLOW_MILLIS = 1_000;

	private static final int SECONDS_TO_BEGIN = 30;

	@Override
	public void run(Parameters parameters, Output output) throws Exception {
		Arrivals arrivals = Arrivals.of(parameters);
		int before = parameters.number("jobs-before", 3_000);
		int total = before + arrivals.count();
		Latencies latencies = new Latencies(total);
		Tally tally = new Tally(total, total);
		int blockingSeconds = parameters.number("blocking-seconds", 0);
		int blocking = (blockingSeconds > 0) ? parameters.number("shards", 1) : 0;
		CountDownLatch blockingBegun = new CountDownLatch(blocking);
		Application application = new Application(parameters, (id, payloads) -> {
			int number = Integer.parseInt(id);
			if (number < total) {
				latencies.end(number);
			}
			else {
				blockingBegun.countDown();
			}
			Pause.millis(millis(payloads));
			if (number < total) {
				tally.see(number);
			}
		});
		application.start();
		Pause.millis(3_000);
		for (int number = 0; number < before; number++) {
			Pause.millis(1);
			latencies.start(number, System.nanoTime());
			enqueue(application, number, FAST_MILLIS);
		}
		Pause.millis(1_000);
		idsInDistinctShards(application, total, blocking)
			.forEach((number) -> enqueue(application, number, blockingSeconds * 1_000));
		if (!blockingBegun.await(SECONDS_TO_BEGIN, TimeUnit.SECONDS)) {
			throw new IllegalStateException(blockingBegun.getCount() + " of the long performs have not begun");
		}

		long start = output.begin("load");
		long late = 0;
		for (int number = 0; number < arrivals.count(); number++) {
			long due = start + arrivals.nanos(number);
			Pause.untilNanos(due);
			long now = System.nanoTime();
			late = Math.max(late, now - due);
			latencies.start(before + number, now);
			enqueue(application, before + number, arrivals.isSlow(number) ? SLOW_MILLIS : FAST_MILLIS);
		}
		tally.await();
		output.end("load_s", start, "loaded");
		output.result("load_jobs", arrivals.count());
		output.result("late_ms", late / 1e6);
		latencies.print(output, IntStream.range(before, total));
	}

	private static int millis(List<String> payloads) {
		return Integer.parseInt(payloads.get(0));
	}

	private static void enqueue(Application application, int number, int millis) {
		application.client().enqueue(application.queue(0), Integer.toString(number), Integer.toString(millis));
	}

	private static IntStream idsInDistinctShards(Application application, int from, int count) {
		QueueLayout layout = application.layout(0);
		boolean[] taken = new boolean[layout.shards()];
		return IntStream.iterate(from, (number) -> number + 1).filter((number) -> {
			Shard shard = layout.shardOf(Integer.toString(number));
			boolean first = !taken[shard.index()];
			taken[shard.index()] = true;
			return first;
		}).limit(count);
	}

}
