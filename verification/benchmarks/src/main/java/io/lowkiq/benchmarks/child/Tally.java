package io.lowkiq.benchmarks.child;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/** Counts which of a number of things were seen. Thread-safe. */
final class Tally {

	private static final Duration LIMIT = Duration.ofSeconds(500);

	private final AtomicIntegerArray seen;

	private final CountDownLatch left;

	private final LongAdder repeats = new LongAdder();

	/** A tally of the things numbered from 0. */
	Tally(int count, int wanted) {
		this.seen = new AtomicIntegerArray(count);
		this.left = new CountDownLatch(wanted);
	}

	void see(int number) {
		if (this.seen.getAndIncrement(number) == 0) {
			this.left.countDown();
		}
		else {
			this.repeats.increment();
		}
	}

	/** Waits until as many as wanted were seen. */
	boolean await() throws InterruptedException {
		return this.left.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
	}

	/** How many of the wanted ones are not seen yet. */
	long left() {
		return this.left.getCount();
	}

	long repeats() {
		return this.repeats.sum();
	}

}
