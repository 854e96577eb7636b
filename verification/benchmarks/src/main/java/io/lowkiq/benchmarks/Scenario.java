package io.lowkiq.benchmarks;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A scenario to measure, and its participants.
 *
 * @param title the name by which it is chosen
 * @param participants makes the trials of one run
 */
record Scenario(String title, Function<Contenders, Stream<Trial>> participants) {

	/** The processes to measure, which take turns. */
	List<Trial> trials(SuiteSettings settings) {
		return this.participants.apply(new Contenders(this.title, settings)).toList();
	}

}
