package io.lowkiq.dashboard.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.lowkiq.admin.NodeActivity.Minute;
import org.jspecify.annotations.Nullable;

/**
 * The number of runs by how long they took: counts by powers of two, as in
 * {@link Minute}. Counts of several nodes or minutes can be added up; percentiles can't.
 */
public record PerformCounts(List<Long> counts) {

	/** No runs. */
	public static final PerformCounts NONE = new PerformCounts(List.of());

	/** Adds counts up. */
	public PerformCounts plus(PerformCounts other) {
		if (other.counts.size() > this.counts.size()) {
			return other.plus(this);
		}
		List<Long> sums = new ArrayList<>(this.counts);
		for (int i = 0; i < other.counts.size(); i++) {
			sums.set(i, sums.get(i) + other.counts.get(i));
		}
		return new PerformCounts(List.copyOf(sums));
	}

	/**
	 * The time within which a share of the runs ended, as if those of a count were spread
	 * evenly.
	 * @param share the share, above 0 and at most 1
	 * @return milliseconds, rounded to tenths; null if there were no runs
	 */
	@Nullable Double percentile(double share) {
		double rank = share * this.counts.stream().mapToLong((count) -> count).sum();
		long below = 0;
		for (int i = 0; i < this.counts.size(); i++) {
			long count = this.counts.get(i);
			if (count > 0 && below + count >= rank) {
				double from = (i > 0) ? 1L << (i - 1) : 0;
				double to = 1L << i;
				return Math.round((from + (to - from) * (rank - below) / count) * 10) / 10.0;
			}
			below += count;
		}
		return null;
	}

	/** The counts that are not 0, as {@code place:count}, with commas. */
	public String text() {
		List<String> parts = new ArrayList<>();
		for (int i = 0; i < this.counts.size(); i++) {
			if (this.counts.get(i) > 0) {
				parts.add(i + ":" + this.counts.get(i));
			}
		}
		return String.join(",", parts);
	}

	/** Reads {@link #text()}. */
	static PerformCounts parse(String text) {
		List<Long> counts = new ArrayList<>();
		for (String part : text.isEmpty() ? List.<String>of() : List.of(text.split(",", -1))) {
			int colon = part.indexOf(':');
			int place = Integer.parseInt(part.substring(0, Math.max(0, colon)));
			counts.addAll(Collections.nCopies(place - counts.size(), 0L));
			counts.add(Long.valueOf(part.substring(colon + 1)));
		}
		return new PerformCounts(List.copyOf(counts));
	}

}
