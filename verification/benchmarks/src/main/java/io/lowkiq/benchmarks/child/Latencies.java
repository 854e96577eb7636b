package io.lowkiq.benchmarks.child;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** The times from a start to an end, by number. Thread-safe. */
final class Latencies {

	private final AtomicLongArray starts;

	private final AtomicLongArray taken;

	/** Latencies. */
	Latencies(int count) {
		this.starts = new AtomicLongArray(count);
		this.taken = new AtomicLongArray(count);
	}

	void start(int number, long nanos) {
		this.starts.set(number, nanos);
	}

	void end(int number) {
		this.taken.set(number, System.nanoTime() - this.starts.get(number));
	}

	/** Prints the percentiles as the peers do. */
	void print(Output output, IntStream numbers) {
		long[] sorted = numbers.mapToLong(this.taken::get).sorted().toArray();
		if (sorted.length == 0) {
			return;
		}
		if (sorted[0] <= 0) {
			throw new IllegalStateException(
					LongStream.of(sorted).filter((nanos) -> nanos <= 0).count() + " of the jobs have no latency");
		}
		output.result("p50_ms", at(sorted, 50));
		output.result("p95_ms", at(sorted, 95));
		output.result("p99_ms", at(sorted, 99));
		output.result("max_ms", at(sorted, 100));
	}

	/** The numbers that have ended. */
	IntStream ended(int from) {
		return IntStream.range(from, this.taken.length()).filter((number) -> this.taken.get(number) > 0);
	}

	/**
	 * The share of the ended jobs that took no longer than a time.
	 * @return the part of them, in percent
	 */
	double percentUpTo(double millis, int from) {
		return 100.0 * ended(from).filter((number) -> this.taken.get(number) <= millis * 1e6).count()
				/ ended(from).count();
	}

	private static double at(long[] sorted, int percent) {
		return sorted[(int) Math.max(0, (long) sorted.length * percent / 100 - 1)] / 1e6;
	}

}
