package io.lowkiq.benchmarks;

import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * A figure to reach.
 *
 * @param text what is wanted
 * @param limit the least value, or the largest
 * @param atLeast whether {@code limit} is the least value
 * @param measured computes the value; NaN if it was not measured
 */
record Goal(String text, double limit, boolean atLeast, ToDoubleFunction<Results> measured) {

	/** Whether the goal is reached. */
	boolean isReached(double value) {
		return this.atLeast ? value >= this.limit : value <= this.limit;
	}

	/** The measured value. */
	OptionalDouble value(Results results) {
		double value = this.measured.applyAsDouble(results);
		return Double.isFinite(value) ? OptionalDouble.of(value) : OptionalDouble.empty();
	}

	/** Writes a value as people read it. */
	static String format(double value) {
		return String.format(Locale.ROOT, (Math.abs(value) < 100) ? "%.2f" : "%,.0f", value);
	}

}
