package io.lowkiq.benchmarks.child;

import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Arrivals are the same for the same seed, also in JavaScript, and as frequent and as
 * often slow as asked for.
 */
class ArrivalsTests {

	private static Arrivals arrivals(String... parameters) {
		return Arrivals.of(Parameters.of(parameters));
	}

	private static int[] slow(Arrivals arrivals) {
		return IntStream.range(0, arrivals.count()).filter(arrivals::isSlow).toArray();
	}

	@Test
	void arrivalsAreThoseOfTheProgramInJavaScript() {
		Arrivals arrivals = arrivals("seed=341", "rate=220", "seconds=40", "slow-per-mille=10");
		assertThat(IntStream.of(0, 1, 2, 8799).mapToLong(arrivals::nanos).toArray()).containsExactly(553_945, 9_698_616,
				16_830_304, 40_013_616_530L);
		assertThat(slow(arrivals)).hasSize(88).startsWith(30, 205, 261, 299);
	}

	@Test
	void anotherRateHasTheSameSlowJobs() {
		int[] fast = slow(arrivals("seed=341", "rate=220", "seconds=4"));
		int[] rare = slow(arrivals("seed=341", "rate=20", "seconds=44"));
		assertThat(rare).isNotEmpty().isEqualTo(fast);
	}

	@Test
	void gapsAreThoseOfAPoissonProcess() {
		Arrivals arrivals = arrivals("rate=100", "seconds=100");
		long longerThanTheMean = IntStream.range(1, arrivals.count())
			.filter((number) -> arrivals.nanos(number) - arrivals.nanos(number - 1) > 10_000_000)
			.count();
		assertThat((double) longerThanTheMean / arrivals.count()).isCloseTo(1 / Math.E, within(0.03));
	}

	@Test
	void noJobIsSlowUnlessAskedFor() {
		assertThat(slow(arrivals("slow-per-mille=0"))).isEmpty();
	}

}
