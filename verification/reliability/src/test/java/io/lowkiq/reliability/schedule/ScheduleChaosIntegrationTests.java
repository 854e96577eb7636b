package io.lowkiq.reliability.schedule;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.lowkiq.reliability.chaos.ProgramProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Six nodes with 100 schedules come, go and are killed. Each time of each schedule gives
 * one job: its payload is performed, and performed again only if the node was killed that
 * performed it first. While no node runs, times pass; afterwards each schedule has one
 * job for them. A time is skipped only if the one before it was late by a whole period.
 * <p>
 * Longer: {@code -Dschedules.seconds=600}.
 */
class ScheduleChaosIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(2);

	private static final int NODES = 6;

	private static final Pattern LOST = Pattern.compile("has lapsed|Lost the lease");

	private final int seconds = Integer.getInteger("schedules.seconds", 20);

	private final Random random = new Random();

	private final String prefix = TestRedis.uniquePrefix();

	@TempDir
	private Path directory;

	private RedisProcess redis;

	private final List<ProgramProcess> nodes = new ArrayList<>();

	/** When nodes were killed, by the name of their file. */
	private final Map<String, Long> killed = new HashMap<>();

	private final List<String> names = new ArrayList<>();

	private int started;

	/**
	 * A time of a schedule that was performed.
	 *
	 * @param node the file of the node
	 * @param second the time, in seconds since 1970
	 * @param at when, by the monotonic clock
	 * @param wall when, in seconds since 1970
	 */
	private record Performed(String node, long second, long at, long wall) {
	}

	@BeforeEach
	void start() {
		this.redis = TestRedis.startPrivate("--appendonly", "yes", "--appendfsync", "always");
	}

	@AfterEach
	void stop() {
		this.nodes.forEach(ProgramProcess::kill);
		this.redis.close();
	}

	@Test
	void eachTimeGivesOneJobAndMissedTimesGiveOne() throws IOException {
		for (int i = 0; i < NODES; i++) {
			startNode();
		}
		this.nodes.forEach((node) -> node.awaitLine("READY", LONG));
		long begin = System.nanoTime();
		int harms = 0;
		while (System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(this.seconds)) {
			int victim = this.random.nextInt(this.nodes.size());
			if (this.nodes.size() > 1 && this.random.nextBoolean()) {
				kill(victim);
				harms++;
			}
			if (this.nodes.size() < NODES) {
				startNode().awaitLine("READY", LONG);
			}
			awaitSeconds(this.random.nextInt(1, 4));
		}
		while (!this.nodes.isEmpty()) {
			kill(0);
		}
		long down = Instant.now().getEpochSecond();
		awaitSeconds(3 * ScheduleProgram.PERIOD + 1);
		long up = Instant.now().getEpochSecond();
		startNode().awaitLine("READY", LONG);
		long back = Instant.now().getEpochSecond();
		Awaitility.await("all schedules go on")
			.atMost(LONG)
			.until(() -> performed().values()
				.stream()
				.filter((times) -> times.stream().anyMatch((time) -> time.second() > back))
				.count() == ScheduleProgram.SCHEDULES);
		kill(0);
		check(down, up, harms);
	}

	/** Until so many seconds of the wall clock have begun. */
	private static void awaitSeconds(int seconds) {
		long until = Instant.now().getEpochSecond() + seconds;
		Awaitility.await()
			.atMost(LONG)
			.pollInterval(Duration.ofMillis(50))
			.until(() -> Instant.now().getEpochSecond() >= until);
	}

	private ProgramProcess startNode() {
		this.started++;
		String name = "node-" + this.started + ".performs";
		ProgramProcess node = new ProgramProcess("node-" + this.started, ScheduleProgram.class, this.directory,
				List.of(this.redis.url(), this.prefix, this.directory.resolve(name).toString()));
		this.nodes.add(node);
		this.names.add(name);
		return node;
	}

	private void kill(int victim) {
		this.nodes.remove(victim).kill();
		this.killed.put(this.names.remove(victim), System.nanoTime());
	}

	private Map<String, List<Performed>> performed() throws IOException {
		Map<String, List<Performed>> performed = new TreeMap<>();
		try (var files = Files.newDirectoryStream(this.directory, "*.performs")) {
			for (Path file : files) {
				for (String line : Files.readAllLines(file)) {
					String[] parts = line.split(" ");
					if (parts.length == 4) {
						performed.computeIfAbsent(parts[0], (schedule) -> new ArrayList<>())
							.add(new Performed(file.getFileName().toString(), Long.parseLong(parts[1]),
									Long.parseLong(parts[2]), Long.parseLong(parts[3])));
					}
				}
			}
		}
		return performed;
	}

	private void check(long down, long up, int harms) throws IOException {
		int times = 0;
		int again = 0;
		int skipped = 0;
		Map<String, List<Performed>> all = performed();
		assertThat(all).hasSize(ScheduleProgram.SCHEDULES);
		for (Map.Entry<String, List<Performed>> of : all.entrySet()) {
			Map<Long, List<Performed>> bySecond = new TreeMap<>();
			of.getValue()
				.forEach((one) -> bySecond.computeIfAbsent(one.second(), (second) -> new ArrayList<>()).add(one));
			times += bySecond.size();
			again += of.getValue().size() - bySecond.size();
			long last = -1;
			long lastAt = -1;
			int missed = 0;
			for (Map.Entry<Long, List<Performed>> second : bySecond.entrySet()) {
				long next = last + ScheduleProgram.PERIOD;
				if (last >= 0 && lastAt < next) {
					assertThat(second.getKey()).as("Time after %d of schedule %s", last, of.getKey()).isEqualTo(next);
				}
				skipped += (last >= 0 && second.getKey() > next && second.getKey() < down) ? 1 : 0;
				missed += (second.getKey() > down && second.getKey() < up) ? 1 : 0;
				last = second.getKey();
				lastAt = second.getValue().stream().mapToLong(Performed::wall).min().orElseThrow();
				checkRepeated(of.getKey(), second.getValue());
			}
			assertThat(missed).as("Jobs of schedule %s for times while no node ran", of.getKey())
				.isLessThanOrEqualTo(1);
		}
		System.out.printf(
				"Schedules: %d times of %d schedules, %d nodes killed, %d times performed again, %d so late that the next was skipped%n",
				times, ScheduleProgram.SCHEDULES, harms, again, skipped);
	}

	/**
	 * What is performed again was being performed by a node that was killed, or that has
	 * lost its lease because it got no processor for seconds.
	 */
	private void checkRepeated(String schedule, List<Performed> performs) throws IOException {
		performs.sort(Comparator.comparingLong(Performed::at));
		for (int i = 1; i < performs.size(); i++) {
			Performed before = performs.get(i - 1);
			Path log = this.directory.resolve(before.node().replace(".performs", ".log"));
			if (Files.readAllLines(log).stream().anyMatch((line) -> LOST.matcher(line).find())) {
				continue;
			}
			Long end = this.killed.get(before.node());
			assertThat(end).as("End of the node that performed %s of schedule %s before", before.second(), schedule)
				.isNotNull()
				.isLessThan(performs.get(i).at());
		}
	}

}
