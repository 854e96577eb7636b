package io.lowkiq.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs seeds, one after the other, and prints a line for each. Ends with 1 after the
 * first run that breaks a promise, which it prints whole.
 */
public final class SimulationProgram {

	private SimulationProgram() {
	}

	/**
	 * Runs seeds.
	 * @param arguments {@code seed=}: the first one; {@code runs=}: how many, 1 by
	 * default; {@code seconds=}: for how long at most; {@code virtual=}: how many seconds
	 * of faults a run has; {@code nodes=}; {@code lease=} in milliseconds; {@code off=}:
	 * kinds of faults to do without; {@code without=}: numbers of faults; {@code jobs=}:
	 * the numbers of the only payloads to enqueue; {@code until=}: the step before which
	 * to stop; {@code print=true}: everything; {@code planted=} and {@code list=}: the
	 * name of a rule to do without, and the file; {@code shrink=}: for how many seconds
	 * to look for a smaller run that fails
	 */
	public static void main(String[] arguments) {
		Map<String, String> given = Arrays.stream(arguments)
			.map((argument) -> argument.split("=", 2))
			.collect(Collectors.toMap((pair) -> pair[0], (pair) -> pair[1]));
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(number(given, "seconds", 1_000_000));
		long first = number(given, "seed", System.currentTimeMillis() % 1_000_000_000);
		long runs = number(given, "runs", 1);
		for (long seed = first; seed < first + runs && System.nanoTime() < end; seed++) {
			SimulatedVerdict verdict = simulation(seed, given).verdict();
			System.out.println(verdict.summary());
			if (!verdict.isKept()) {
				System.out.println(verdict.report());
				if (given.containsKey("planted")) {
					System.out.println("Add the arguments planted=%s list=%s".formatted(given.get("planted"),
							given.getOrDefault("list", PlantedFault.LIST)));
				}
				long longest = number(given, "shrink", 0);
				if (longest > 0) {
					System.out.println("The smallest run:\n"
							+ simulation(seed, given).smallest(Duration.ofSeconds(longest)).report());
				}
				System.exit(1);
			}
		}
	}

	/** Without a rule, if one is named. */
	private static UnaryOperator<String> scripts(Map<String, String> given) {
		String planted = given.get("planted");
		if (planted == null) {
			return UnaryOperator.identity();
		}
		try {
			PlantedFault fault = PlantedFault.read(Path.of(given.getOrDefault("list", PlantedFault.LIST)))
				.stream()
				.filter((each) -> each.name().equals(planted))
				.findFirst()
				.orElseThrow(() -> new IllegalArgumentException("No such rule: " + planted));
			if (!fault.isInScript()) {
				throw new IllegalArgumentException("In a class, which only PlantedFaultsProgram changes: " + planted);
			}
			return (text) -> text.replace(fault.rule(), fault.replacement());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Simulation simulation(long seed, Map<String, String> given) {
		Simulation simulation = Simulation.seed(seed)
			.nodes((int) number(given, "nodes", 3))
			.lease(Duration.ofMillis(number(given, "lease", 2_500)))
			.runs(Duration.ofSeconds(number(given, "virtual", 120)))
			.work((int) number(given, "work", 100))
			.until(number(given, "until", Long.MAX_VALUE))
			.faults(Faults.ALL.without(names(given, "off").map(Fault::valueOf).toArray(Fault[]::new)))
			.without(names(given, "without").map(Integer::valueOf).toList())
			.jobs(names(given, "jobs").map(Long::valueOf).toList())
			.scripts(scripts(given));
		return given.containsKey("print") ? simulation.printing() : simulation;
	}

	private static Stream<String> names(Map<String, String> given, String name) {
		return Arrays.stream(given.getOrDefault(name, "").split(",", -1)).filter((each) -> !each.isEmpty());
	}

	private static long number(Map<String, String> given, String name, long otherwise) {
		String text = given.get(name);
		return (text != null) ? Long.parseLong(text) : otherwise;
	}

}
