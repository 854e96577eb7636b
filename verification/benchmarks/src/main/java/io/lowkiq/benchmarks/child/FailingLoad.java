package io.lowkiq.benchmarks.child;

import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

import io.lowkiq.FailurePolicy;
import io.lowkiq.GatheringPolicy;
import io.lowkiq.PayloadWorker;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.RetryAfterException;

/**
 * Changes to a few ids, where some always fail and some fail once. Measures how long the
 * others wait from the call of enqueue to their success, and counts the runs of payloads
 * that have shown to be bad. With {@code policies}, what always fails is buried and what
 * fails once is tried again after 100 ms; otherwise both are retried as by default. What
 * is not done 10 s after the last change counts with the time it has waited.
 */
final class FailingLoad implements Mode {

	private static final Duration RETRY = Duration.ofMillis(100);

	private static final int DRAIN_SECONDS = 10;

	@Override
	public void run(Parameters parameters, Output output) throws Exception {
		int ids = parameters.number("ids", 1_000);
		int rate = parameters.number("rate", 100);
		int count = rate * parameters.number("seconds", 60);
		boolean policies = parameters.flag("policies");
		Kind[] kinds = kinds(parameters, count);
		int[] good = IntStream.range(0, count).filter((number) -> kinds[number] == Kind.GOOD).toArray();
		AtomicIntegerArray performs = new AtomicIntegerArray(count);
		Latencies latencies = new Latencies(count);
		Tally tally = new Tally(count, good.length);
		LongAdder wasted = new LongAdder();
		PayloadWorker<String> worker = (id, payload) -> {
			int number = Integer.parseInt(payload);
			int before = performs.getAndIncrement(number);
			switch (kinds[number]) {
				case ALWAYS_FAILS -> {
					wasted.add((before > 0) ? 1 : 0);
					throw new IllegalArgumentException("Bad");
				}
				case FAILS_ONCE -> {
					if (before == 0) {
						throw policies ? new RetryAfterException(RETRY) : new IllegalStateException("Not yet");
					}
				}
				default -> {
					latencies.end(number);
					tally.see(number);
				}
			}
		};
		FailurePolicy buries = new FailurePolicy(Set.of(IllegalArgumentException.class), Set.of(),
				RetriesExhausted.BURY_OLDEST);
		Application application = new Application(parameters, worker, policies ? buries : FailurePolicy.DEFAULT,
				GatheringPolicy.NONE);
		application.start();
		Pause.millis(3_000);

		long start = output.begin("load");
		Random random = new Random(2L * parameters.number("seed", 1));
		for (int number = 0; number < count; number++) {
			Pause.untilNanos(start + number * 1_000_000_000L / rate);
			latencies.start(number, System.nanoTime());
			application.client()
				.enqueue(application.queue(0), Integer.toString(random.nextInt(ids)), Integer.toString(number));
		}
		for (int second = 0; second < DRAIN_SECONDS && tally.left() > 0; second++) {
			Pause.millis(1_000);
		}
		output.end("load_s", start, "loaded");
		output.result("load_jobs", count);
		output.result("left", tally.left());
		output.result("wasted", wasted.sum());
		IntStream.of(good).filter((number) -> performs.get(number) == 0).forEach(latencies::end);
		latencies.print(output, IntStream.of(good));
	}

	private static Kind[] kinds(Parameters parameters, int count) {
		Random random = new Random(parameters.number("seed", 1));
		int always = parameters.number("always-fail-percent", 5);
		int once = parameters.number("fail-once-percent", 5);
		return IntStream.range(0, count).mapToObj((number) -> {
			int draw = random.nextInt(100);
			return (draw < always) ? Kind.ALWAYS_FAILS : (draw < always + once) ? Kind.FAILS_ONCE : Kind.GOOD;
		}).toArray(Kind[]::new);
	}

	/** The kind of a payload. */
	private enum Kind {

		GOOD, FAILS_ONCE, ALWAYS_FAILS

	}

}
