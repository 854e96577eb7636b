package io.lowkiq.dashboard.history;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * A {@link ThroughputLog} of one node, where there is no Redis.
 */
public final class MemoryThroughputLog implements ThroughputLog {

	private static final long DAY = Duration.ofDays(1).toMillis();

	private static final String TOGETHER = "";

	private final InstantSource clock;

	/** Guarded by this. */
	private final Map<String, List<Sample>> steps = new TreeMap<>();

	/** Guarded by this. */
	private final Map<String, TreeMap<Long, Bounds>> days = new TreeMap<>();

	/** Guarded by this. */
	private final Map<String, Map<String, String>> fields = new TreeMap<>();

	/** Guarded by this. */
	private long claimed = -1;

	/**
	 * Creates an empty log.
	 * @param clock the time of the log
	 */
	public MemoryThroughputLog(InstantSource clock) {
		this.clock = clock;
	}

	@Override
	public synchronized OptionalLong claim(int apart) {
		long now = this.clock.millis();
		if (this.claimed >= 0 && now / STEP.toMillis() < this.claimed + apart) {
			return OptionalLong.empty();
		}
		this.claimed = now / STEP.toMillis();
		return OptionalLong.of(now);
	}

	@Override
	public synchronized void write(long now, Map<String, Total> totals) {
		write(TOGETHER, now, totals.values().stream().reduce(new Total(0, 0), Total::plus));
		totals.forEach((queue, total) -> write(queue, now, total));
	}

	private void write(String queue, long now, Total total) {
		List<Sample> samples = this.steps.computeIfAbsent(queue, (name) -> new ArrayList<>());
		samples.add(new Sample(now, total));
		if (samples.size() > STEPS) {
			samples.remove(0);
		}
		TreeMap<Long, Bounds> byDay = this.days.computeIfAbsent(queue, (name) -> new TreeMap<>());
		Bounds today = byDay.get(now / DAY);
		Bounds yesterday = byDay.get(now / DAY - 1);
		Total begin = (today != null) ? today.first() : (yesterday != null) ? yesterday.last() : total;
		// Otherwise the counters of the queue started again
		boolean grown = total.processed() >= begin.processed() && total.failed() >= begin.failed();
		byDay.put(now / DAY, new Bounds(grown ? begin : new Total(0, 0), total));
		byDay.headMap(now / DAY - DAYS, true).clear();
	}

	@Override
	public synchronized List<Sample> steps(@Nullable String queue) {
		return List.copyOf(this.steps.getOrDefault((queue != null) ? queue : TOGETHER, List.of()));
	}

	@Override
	public synchronized List<Day> days(@Nullable String queue) {
		return this.days.getOrDefault((queue != null) ? queue : TOGETHER, new TreeMap<>())
			.entrySet()
			.stream()
			.map((entry) -> new Day(entry.getKey(),
					entry.getValue().last().processed() - entry.getValue().first().processed(),
					entry.getValue().last().failed() - entry.getValue().first().failed()))
			.toList();
	}

	@Override
	public synchronized Map<String, String> fields(@Nullable String queue, List<String> names) {
		Map<String, String> found = new TreeMap<>(
				this.fields.getOrDefault((queue != null) ? queue : TOGETHER, Map.of()));
		found.keySet().retainAll(names);
		return found;
	}

	@Override
	public synchronized void put(@Nullable String queue, Map<String, String> fields) {
		this.fields.computeIfAbsent((queue != null) ? queue : TOGETHER, (name) -> new TreeMap<>()).putAll(fields);
	}

	private record Bounds(Total first, Total last) {
	}

}
