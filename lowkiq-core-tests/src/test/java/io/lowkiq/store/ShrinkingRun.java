package io.lowkiq.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.lowkiq.store.job.Failure;
import org.jspecify.annotations.Nullable;

/**
 * A random run that, when it fails, is repeated with fewer and fewer operations, to show
 * the few that matter.
 */
final class ShrinkingRun {

	private static final long FIXED_SEED = 20_260_101;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/**
	 * A failed run.
	 *
	 * @param operations the numbers of its operations, up to the one that failed
	 * @param log what it did
	 * @param error why it failed
	 */
	private record Failure(List<Integer> operations, List<String> log, Throwable error) {
	}

	private final long seed;

	private final Function<MovableClock, RandomRun.Steps> steps;

	private final RandomRun.Payloads payloads;

	private ShrinkingRun(long seed, Function<MovableClock, RandomRun.Steps> steps, RandomRun.Payloads payloads) {
		this.seed = seed;
		this.steps = steps;
		this.payloads = payloads;
	}

	/**
	 * The seed of this build's runs.
	 * @return the system property {@code lowkiq.test.seed}, a new one if that is
	 * {@code random}, and always the same if there is none
	 */
	static long seed() {
		String given = System.getProperty("lowkiq.test.seed", Long.toString(FIXED_SEED));
		return given.equals("random") ? System.nanoTime() : Long.parseLong(given);
	}

	/**
	 * The number of operations of a run.
	 * @return as many times that as the system property {@code lowkiq.test.effort} says
	 */
	static int operations(int few) {
		return few * Integer.getInteger("lowkiq.test.effort", 1);
	}

	/** Makes a run. */
	static void run(long seed, int operations, RandomRun.Payloads payloads,
			Function<MovableClock, RandomRun.Steps> steps) {
		ShrinkingRun run = new ShrinkingRun(seed, steps, payloads);
		Failure failure = run.attempt(operations);
		if (failure != null) {
			Failure shortest = run.shrink(failure);
			throw new AssertionError(
					"Repeat with -Dlowkiq.test.seed=%d: operation %d failed. These %d are enough:%n%s%n%s".formatted(
							seed, failure.operations().size(), shortest.operations().size(),
							String.join("\n", shortest.log()), shortest.error().getMessage()),
					shortest.error());
		}
	}

	/** Makes a run that isn't repeated. */
	static boolean fails(long seed, int operations, RandomRun.Payloads payloads,
			Function<MovableClock, RandomRun.Steps> steps) {
		return new ShrinkingRun(seed, steps, payloads).attempt(operations) != null;
	}

	private @Nullable Failure attempt(int operations) {
		return attempt(IntStream.range(0, operations).boxed().toList());
	}

	private @Nullable Failure attempt(List<Integer> operations) {
		MovableClock clock = new MovableClock();
		try (RandomRun.Steps place = this.steps.apply(clock)) {
			RandomRun run = new RandomRun(this.seed, clock, place, this.payloads);
			try {
				run.run(operations);
				return null;
			}
			catch (AssertionError | RuntimeException ex) {
				return new Failure(operations.subList(0, run.done()), run.log(), ex);
			}
		}
	}

	private Failure shrink(Failure failure) {
		long end = System.nanoTime() + PATIENCE.toNanos();
		Failure shortest = failure;
		int size = failure.operations().size() / 2;
		while (size > 0) {
			int before = shortest.operations().size();
			int from = 0;
			while (from < shortest.operations().size() && System.nanoTime() < end) {
				Failure shorter = attempt(without(shortest.operations(), from, from + size));
				if (shorter != null) {
					shortest = shorter;
				}
				else {
					from += size;
				}
			}
			size = (size == 1 && shortest.operations().size() < before && System.nanoTime() < end) ? 1 : size / 2;
		}
		return shortest;
	}

	private static List<Integer> without(List<Integer> operations, int from, int to) {
		List<Integer> rest = new ArrayList<>(operations.subList(0, from));
		rest.addAll(operations.subList(Math.min(to, operations.size()), operations.size()));
		return rest;
	}

}
