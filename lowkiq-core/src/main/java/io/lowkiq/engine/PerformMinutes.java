package io.lowkiq.engine;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.lowkiq.engine.perform.PerformTimes;
import io.lowkiq.engine.perform.ServedQueue;

/**
 * How long the runs of the last two full minutes took. Used by one thread, which asks
 * every few seconds: what ends between the end of a minute and the next question counts
 * to that minute.
 */
final class PerformMinutes {

	private static final int KEPT = 2;

	private static final long MINUTE = 60_000;

	private final Deque<Map<String, Object>> full = new ArrayDeque<>();

	/** The counts at the beginning of the present minute, by queue. */
	private Map<String, long[]> before = Map.of();

	/** The present minute; -1 before the first question. */
	private long minute = -1;

	/**
	 * The full minutes.
	 * @param now milliseconds since 1970 by the clock of the store
	 */
	List<Map<String, Object>> at(long now, Collection<ServedQueue> queues) {
		long present = now / MINUTE;
		if (present != this.minute) {
			Map<String, long[]> counts = new TreeMap<>();
			queues.forEach((queue) -> counts.put(queue.name(), queue.times().counts()));
			if (this.minute >= 0) {
				add(present - 1, counts);
			}
			this.before = counts;
			this.minute = present;
		}
		return List.copyOf(this.full);
	}

	private void add(long ended, Map<String, long[]> counts) {
		Map<String, Object> performed = new LinkedHashMap<>();
		counts.forEach((queue, after) -> {
			Map<String, Long> grown = grown(this.before.getOrDefault(queue, new long[after.length]), after);
			if (!grown.isEmpty()) {
				performed.put(queue, grown);
			}
		});
		this.full.addLast(Map.of("minute", ended, "queues", performed));
		if (this.full.size() > KEPT) {
			this.full.removeFirst();
		}
	}

	/** As {@link PerformTimes} counts, without the counts that are 0. */
	private static Map<String, Long> grown(long[] from, long[] to) {
		Map<String, Long> grown = new LinkedHashMap<>();
		for (int i = 0; i < to.length; i++) {
			if (to[i] > from[i]) {
				grown.put(Integer.toString(i), to[i] - from[i]);
			}
		}
		return grown;
	}

}
