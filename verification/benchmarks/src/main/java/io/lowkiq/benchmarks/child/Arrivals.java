package io.lowkiq.benchmarks.child;

import java.util.BitSet;

/**
 * When jobs arrive, and which of them are slow: independently of each other, so many a
 * second on average (a Poisson process). The same parameters give the same arrivals, here
 * and in the program of BullMQ.
 */
final class Arrivals {

	private final long[] nanos;

	private final BitSet slow = new BitSet();

	/** The state of the generator. */
	private int state;

	private Arrivals(int seed, int rate, int seconds, int slowPerMille) {
		this.state = seed;
		this.nanos = new long[rate * seconds];
		double at = 0;
		for (int number = 0; number < this.nanos.length; number++) {
			at -= Math.log(1 - next()) / rate;
			this.nanos[number] = (long) (at * 1e9);
			this.slow.set(number, next() < slowPerMille / 1000.0);
		}
	}

	/**
	 * The arrivals that the parameters describe: {@code rate} jobs a second for about
	 * {@code seconds}, of each thousand {@code slow-per-mille} slow, by {@code seed}.
	 */
	static Arrivals of(Parameters parameters) {
		return new Arrivals(parameters.number("seed", 1), parameters.number("rate", 220),
				parameters.number("seconds", 40), parameters.number("slow-per-mille", 10));
	}

	int count() {
		return this.nanos.length;
	}

	/**
	 * When a job arrives.
	 * @return nanoseconds after the start
	 */
	long nanos(int number) {
		return this.nanos[number];
	}

	boolean isSlow(int number) {
		return this.slow.get(number);
	}

	/** Mulberry32: few operations, and the same in Java and JavaScript. */
	private double next() {
		this.state += 0x6D2B79F5;
		int mixed = (this.state ^ (this.state >>> 15)) * (this.state | 1);
		mixed ^= mixed + (mixed ^ (mixed >>> 7)) * (mixed | 61);
		return Integer.toUnsignedLong(mixed ^ (mixed >>> 14)) / 0x1p32;
	}

}
