package io.lowkiq.simulation;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Removes single rules, one by one, and prints which of them the simulation misses: after
 * how many seeds, in how many seconds, and by which problem; and where it finds nothing,
 * in how many of the runs anything was different at all.
 */
public final class PlantedFaultsProgram {

	private static final long FIRST = 1;

	private final Map<String, String> given;

	private final long nanos;

	private final long runs;

	private final Duration virtual;

	private final Faults faults;

	/** With all rules, by seed. */
	private final Map<Long, SimulatedVerdict> complete = new ConcurrentHashMap<>();

	private PlantedFaultsProgram(Map<String, String> given) {
		this.given = given;
		this.nanos = TimeUnit.SECONDS.toNanos(Long.parseLong(given.getOrDefault("seconds", "150")));
		this.runs = Long.parseLong(given.getOrDefault("runs", "1000000"));
		this.virtual = Duration.ofSeconds(Long.parseLong(given.getOrDefault("virtual", "40")));
		this.faults = Faults.ALL.without(Arrays.stream(given.getOrDefault("off", "").split(",", -1))
			.filter((name) -> !name.isEmpty())
			.map(Fault::valueOf)
			.toArray(Fault[]::new));
	}

	/**
	 * Runs the simulation without each rule.
	 * @param arguments {@code list=}: the file of rules; {@code seconds=}: how long to
	 * look for each; {@code runs=}: how many runs each has at most; {@code processes=}:
	 * how many rules at a time; {@code virtual=} and {@code off=} as for
	 * {@link SimulationProgram}; {@code only=}: a part of a name
	 */
	public static void main(String[] arguments) throws Exception {
		new PlantedFaultsProgram(Arrays.stream(arguments)
			.map((argument) -> argument.split("=", 2))
			.collect(Collectors.toMap((pair) -> pair[0], (pair) -> pair[1]))).run();
	}

	private void run() throws IOException, InterruptedException, ExecutionException {
		ExecutorService threads = Executors
			.newFixedThreadPool(Integer.parseInt(this.given.getOrDefault("processes", "2")));
		List<Future<Boolean>> found = new ArrayList<>();
		for (PlantedFault fault : PlantedFault.read(Path.of(this.given.getOrDefault("list", PlantedFault.LIST)))) {
			if (fault.name().contains(this.given.getOrDefault("only", ""))) {
				found.add(threads.submit(() -> fault.isInScript() ? isFoundInScript(fault) : isFoundInClass(fault)));
			}
		}
		threads.shutdown();
		long count = 0;
		for (Future<Boolean> each : found) {
			count += each.get() ? 1 : 0;
		}
		System.out.printf(Locale.ROOT, "%d of %d found%n", count, found.size());
	}

	private boolean isFoundInScript(PlantedFault fault) {
		long begun = System.nanoTime();
		int different = 0;
		for (long seed = FIRST;; seed++) {
			SimulatedVerdict verdict = simulation(seed)
				.scripts((text) -> anotherScript(text.replace(fault.rule(), fault.replacement())))
				.verdict();
			different += (verdict.hash() != complete(seed).hash()) ? 1 : 0;
			long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun);
			if (!verdict.isKept() && complete(seed).isKept()) {
				print(fault, seed, seconds, String.join(", ", verdict.rules()));
				return true;
			}
			if (seed == this.runs || System.nanoTime() - begun > this.nanos) {
				print(fault, seed, seconds, "not found; %d runs were different".formatted(different));
				return false;
			}
		}
	}

	private Simulation simulation(long seed) {
		return Simulation.seed(seed).runs(this.virtual).faults(this.faults);
	}

	/** The verdict with all rules: an alarm of it is no finding. */
	private SimulatedVerdict complete(long seed) {
		return this.complete.computeIfAbsent(seed,
				(missing) -> simulation(missing).scripts(PlantedFaultsProgram::anotherScript).verdict());
	}

	/** The checks use the scripts as they are, and Redis knows those by their hashes. */
	private static String anotherScript(String text) {
		return text + "\n";
	}

	private static void print(PlantedFault fault, long seeds, long seconds, String result) {
		System.out.printf(Locale.ROOT, "| %s | %s | %d | %d |%n", fault.name(), result, seeds, seconds);
	}

	private static String problem(String line) {
		return line.replaceAll("PROBLEM (Violation\\[rule=)?([^,:]*).*", "$2");
	}

	/** In a JVM of its own, with the changed class first. */
	private boolean isFoundInClass(PlantedFault fault) throws IOException, InterruptedException {
		Path directory = Files.createTempDirectory("planted");
		fault.compile(Path.of("").toAbsolutePath(), directory);
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g",
						"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
						directory + File.pathSeparator + System.getProperty("java.class.path"),
						SimulationProgram.class.getName(), "seed=" + FIRST, "runs=" + this.runs,
						"seconds=" + TimeUnit.NANOSECONDS.toSeconds(this.nanos), "virtual=" + this.virtual.toSeconds(),
						"off=" + this.given.getOrDefault("off", "")));
		long begun = System.nanoTime();
		Path output = directory.resolve("output");
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
		Thread kill = new Thread(process::destroyForcibly);
		Runtime.getRuntime().addShutdownHook(kill);
		boolean ended = process.waitFor(2 * this.nanos, TimeUnit.NANOSECONDS);
		process.destroyForcibly();
		Runtime.getRuntime().removeShutdownHook(kill);
		List<String> lines = Files.readAllLines(output);
		long seeds = lines.stream()
			.filter((line) -> line.startsWith("seed="))
			.map((line) -> line.split(" ", 2)[0])
			.distinct()
			.count();
		boolean isFound = lines.stream().anyMatch((line) -> line.startsWith("PROBLEM "));
		if (!isFound && ended && process.exitValue() != 0) {
			throw new IllegalStateException("The run without '%s' has crashed: %s".formatted(fault.name(), lines));
		}
		print(fault, seeds, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun),
				lines.stream()
					.filter((line) -> line.startsWith("PROBLEM "))
					.findFirst()
					.map(PlantedFaultsProgram::problem)
					.orElse((seeds == 0) ? "not run: no seed ended in time" : "not found"));
		return isFound;
	}

}
