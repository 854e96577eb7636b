package io.lowkiq.simulation;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Removes single rules, one by one, and prints which of them the simulation misses, and
 * which it doesn't even reach: a run reaches a rule if its timeline is another one
 * without it.
 */
public final class PlantedFaultsProgram {

	/** Where seeds begin that get the options of another one. */
	private static final long FURTHER = 1_000_000_000;

	/** How many minutes a run may take. */
	private static final long LONGEST = 5;

	private final Map<String, String> given;

	private final Path list;

	private final long nanos;

	private final long runs;

	/** With all rules, by seed and draw. */
	private final Map<String, Map.Entry<Long, List<String>>> complete = new ConcurrentHashMap<>();

	private PlantedFaultsProgram(Map<String, String> given) {
		this.given = new HashMap<>(Map.of("virtual", "40"));
		this.given.putAll(given);
		this.list = Path.of(given.getOrDefault("list", PlantedFault.LIST));
		this.nanos = TimeUnit.SECONDS.toNanos(Long.parseLong(given.getOrDefault("seconds", "150")));
		this.runs = Long.parseLong(given.getOrDefault("runs", "1000000"));
	}

	/**
	 * Runs the simulation without each rule.
	 * @param arguments {@code list=}: the file of rules; {@code seconds=}: how long to
	 * look for each; {@code runs=}: how many runs each has at most; {@code processes=}:
	 * how many rules at a time; {@code only=}: a part of a name; the others as for
	 * {@link SimulationProgram}
	 */
	public static void main(String[] arguments) throws Exception {
		new PlantedFaultsProgram(SimulationProgram.read(arguments)).run();
	}

	private void run() throws IOException, InterruptedException, ExecutionException {
		ExecutorService threads = Executors
			.newFixedThreadPool(Integer.parseInt(this.given.getOrDefault("processes", "2")));
		Map<PlantedFault, Future<Trial>> trials = new LinkedHashMap<>();
		for (PlantedFault fault : PlantedFault.read(this.list)) {
			if (fault.name().contains(this.given.getOrDefault("only", ""))) {
				trials.put(fault, threads.submit(() -> look(fault)));
			}
		}
		threads.shutdown();
		long found = 0;
		List<String> unreached = new ArrayList<>();
		for (Map.Entry<PlantedFault, Future<Trial>> each : trials.entrySet()) {
			found += each.getValue().get().isFound() ? 1 : 0;
			if (each.getValue().get().reached() == 0) {
				unreached.add(each.getKey().name());
			}
		}
		System.out.printf(Locale.ROOT, "%d of %d found; not reached: %s%n", found, trials.size(), unreached);
		// A run that never ends may still have threads
		System.exit(0);
	}

	/** Whether a rule was found, and how many runs have reached it. */
	private record Trial(boolean isFound, int reached) {
	}

	/**
	 * Every other run has the options of a run that has reached the rule, if there is
	 * such a run, since most options don't come near it.
	 */
	private Trial look(PlantedFault fault) throws Exception {
		long begun = System.nanoTime();
		Class<?> program = fault.program();
		List<Long> reaching = new ArrayList<>();
		long seed = Long.parseLong(this.given.getOrDefault("seed", "1"));
		for (long run = 1;; run++) {
			boolean isDrawn = run % 2 == 1 || reaching.isEmpty();
			Map<String, String> arguments = new HashMap<>(this.given);
			arguments.put("seed", String.valueOf(isDrawn ? seed++ : FURTHER + run));
			if (!isDrawn) {
				arguments.put("draw", String.valueOf(reaching.get((int) (run / 2 % reaching.size()))));
			}
			Map<String, String> without = new HashMap<>(arguments);
			without.put("planted", fault.name());
			Map.Entry<?, ?> verdict = verdict(program.getMethod("verdict", Map.class), without);
			boolean isFound = verdict.getValue() instanceof List<?> rules && !rules.isEmpty()
					&& complete(arguments).getValue().isEmpty();
			if (isFound || (isDrawn && !verdict.getKey().equals(complete(arguments).getKey()))) {
				reaching.add(seed - 1);
			}
			boolean isOver = run == this.runs || System.nanoTime() - begun > this.nanos;
			if (isFound || isOver) {
				System.out.printf(Locale.ROOT, "| %s | %s | %d of %d | %d |%n", fault.name(),
						isFound ? verdict.getValue() : "not found", reaching.size(), run,
						TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun));
				return new Trial(isFound, reaching.size());
			}
		}
	}

	/** The verdict without a rule, whose run may never end. */
	private static Map.Entry<?, ?> verdict(Method program, Map<String, String> arguments)
			throws InterruptedException, ExecutionException {
		FutureTask<Map.Entry<?, ?>> run = new FutureTask<>(() -> (Map.Entry<?, ?>) program.invoke(null, arguments));
		Thread thread = new Thread(run);
		thread.setDaemon(true);
		thread.start();
		try {
			return run.get(LONGEST, TimeUnit.MINUTES);
		}
		catch (TimeoutException ex) {
			return Map.entry(0L, List.of("ENDLESS"));
		}
	}

	/** The verdict with all rules: an alarm of it is no finding. */
	private Map.Entry<Long, List<String>> complete(Map<String, String> arguments) {
		return this.complete.computeIfAbsent(arguments.get("seed") + " " + arguments.get("draw"),
				(missing) -> SimulationProgram.verdict(arguments));
	}

}
