package io.lowkiq.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
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
	 * name of a rule to do without, and the file; {@code draw=}: the seed whose options
	 * are drawn; {@code shrink=}: in how many steps to look for a smaller run that fails
	 */
	public static void main(String[] arguments) throws Exception {
		Map<String, String> given = read(arguments);
		Class<?> program = given.containsKey("planted") ? planted(given).program() : SimulationProgram.class;
		if (program != SimulationProgram.class) {
			program.getMethod("main", String[].class).invoke(null, (Object) arguments);
			return;
		}
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(number(given, "seconds", 1_000_000));
		long first = number(given, "seed", System.currentTimeMillis() % 1_000_000_000);
		long runs = number(given, "runs", 1);
		String[] more = Stream.ofNullable(given.get("planted"))
			.map((name) -> "\"planted=%s\" list=%s".formatted(name, given.getOrDefault("list", PlantedFault.LIST)))
			.toArray(String[]::new);
		for (long seed = first; seed < first + runs && System.nanoTime() < end; seed++) {
			given.put("seed", String.valueOf(seed));
			SimulatedVerdict verdict = simulation(given).verdict();
			System.out.println(verdict.summary());
			if (!verdict.isKept()) {
				System.out.println(verdict.report(more));
				long longest = number(given, "shrink", 0);
				if (longest > 0) {
					System.out.println("The smallest run:\n" + simulation(given).smallest(longest).report(more));
				}
				System.exit(1);
			}
		}
	}

	static Map<String, String> read(String[] arguments) {
		return Arrays.stream(arguments)
			.map((argument) -> argument.split("=", 2))
			.collect(Collectors.toMap((pair) -> pair[0], (pair) -> pair[1]));
	}

	/** Runs a seed; returns the hash of its timeline, and the rules that it breaks. */
	public static Map.Entry<Long, List<String>> verdict(Map<String, String> given) {
		SimulatedVerdict verdict = simulation(given).verdict();
		return Map.entry(verdict.hash(), List.copyOf(verdict.rules()));
	}

	private static PlantedFault planted(Map<String, String> given) {
		try {
			return PlantedFault.read(Path.of(given.getOrDefault("list", PlantedFault.LIST)))
				.stream()
				.filter((each) -> each.name().equals(given.get("planted")))
				.findFirst()
				.orElseThrow(() -> new IllegalArgumentException("No such rule: " + given.get("planted")));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Simulation simulation(Map<String, String> given) {
		long seed = number(given, "seed", 1);
		Simulation simulation = Simulation.seed(seed)
			.draw(number(given, "draw", seed))
			.nodes((int) number(given, "nodes", 3))
			.lease(Duration.ofMillis(number(given, "lease", 2_500)))
			.runs(Duration.ofSeconds(number(given, "virtual", 120)))
			.work((int) number(given, "work", 100))
			.until(number(given, "until", Long.MAX_VALUE))
			.faults(Faults.ALL.without(names(given, "off").map(Fault::valueOf).toArray(Fault[]::new)))
			.without(names(given, "without").map(Integer::valueOf).toList())
			.jobs(names(given, "jobs").map(Long::valueOf).toList())
			.scripts(given.containsKey("planted") ? planted(given)::remove : UnaryOperator.identity());
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
