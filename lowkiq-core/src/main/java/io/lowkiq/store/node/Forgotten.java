package io.lowkiq.store.node;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

import io.lowkiq.internal.DurationText;
import io.lowkiq.internal.LogText;
import io.lowkiq.internal.TimeText;
import io.lowkiq.store.job.Shard;

/**
 * A loss of data, as a node has noticed it: the store has forgotten what it had
 * acknowledged.
 *
 * @param noticedAt by the clock of the store, in milliseconds since 1970
 * @param knownAt since when nothing may be remembered, by the same clock: when the store
 * last showed that it knew the node; of calls, the last one that a shard has not
 * forgotten, or 0 for none
 * @param sentence what is forgotten, and how that is known; times are in UTC
 */
public record Forgotten(Degree degree, long noticedAt, long knownAt, String node, String sentence) {

	private static final long KEPT = Duration.ofHours(1).toMillis();

	private static final int MAX_QUEUES = 5;

	/** How much the store has forgotten, the most first. */
	public enum Degree {

		/** All nodes and all queues, and with them their jobs. */
		EVERYTHING,

		/** The last calls of some shards, and what else was written at that time. */
		CALLS

	}

	/** The losses of the last hour. */
	public static List<Forgotten> recent(NodeRegistry nodes) {
		List<Forgotten> all = nodes.forgotten();
		if (all.isEmpty()) {
			return all;
		}
		long now = nodes.now();
		return all.stream().filter((each) -> now - each.noticedAt() < KEPT).toList();
	}

	/** The loss of everything. */
	public static Forgotten everything(long noticedAt, long knownAt, String node, Collection<String> queues) {
		return new Forgotten(Degree.EVERYTHING, noticedAt, knownAt, node,
				"Redis has forgotten everything, no later than %s: node %s found its session and all queues gone, which had been there %s earlier. Queued jobs, jobs on hold and dead jobs are missing, and so are pauses. Recorded again: %s."
					.formatted(TimeText.of(noticedAt), LogText.of(node),
							DurationText.of(Duration.ofMillis(Math.max(0, noticedAt - knownAt))), someOf(queues)));
	}

	/** The loss of calls. */
	public static Forgotten calls(long noticedAt, long knownAt, String node, Collection<Shard> shards) {
		String where = (shards.size() == 1) ? "a shard" : String.format(Locale.ROOT, "%,d shards", shards.size());
		String what = (knownAt > 0)
				? "that it had acknowledged since %s. Jobs enqueued then may be missing, jobs done then may run again, and pauses, holds and deletions of that time may be undone."
					.formatted(TimeText.of(knownAt))
				: "that it had acknowledged, and everything in some of these. Jobs there may be missing or run again, and pauses, holds and deletions may be undone.";
		return new Forgotten(Degree.CALLS, noticedAt, knownAt, node,
				"Redis has forgotten calls of node %s in %s of %s %s".formatted(LogText.of(node), where,
						someOf(shards.stream().map(Shard::queue).toList()), what));
	}

	private static String someOf(Collection<String> queues) {
		List<String> names = queues.stream().distinct().sorted().toList();
		int more = names.size() - MAX_QUEUES;
		return LogText.of(String.join(", ", names.subList(0, Math.min(names.size(), MAX_QUEUES))))
				+ ((more > 0) ? String.format(Locale.ROOT, " and %,d more", more) : "");
	}

}
