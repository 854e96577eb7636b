package io.lowkiq.store;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.lowkiq.internal.DurationText;
import io.lowkiq.internal.LogText;
import io.lowkiq.internal.TimeText;

/**
 * A loss of data: the store has forgotten what it had acknowledged, and a node has
 * noticed.
 *
 * @param degree how much is forgotten
 * @param noticedAt when the node noticed, by the clock of the store, in milliseconds
 * since 1970
 * @param knownAt the time since which nothing may be remembered, by the same clock: when
 * the store had last shown the node that it knew it; of calls, the last one that a shard
 * has not forgotten, or 0 if a shard has forgotten everything
 * @param node the node that noticed last
 * @param session its session, which was forgotten with everything
 * @param queues the queues that the node records again, or those of the shards, sorted by
 * name
 * @param shards the number of shards that have forgotten calls; 0 if everything is
 * forgotten
 */
public record Forgotten(Degree degree, long noticedAt, long knownAt, String node, String session, List<String> queues,
		int shards) {

	/** How long a loss is shown, unless somebody acknowledges it before. */
	private static final long KEPT = Duration.ofHours(1).toMillis();

	private static final int MAX_QUEUES = 5;

	public Forgotten {
		queues = queues.stream().distinct().sorted().toList();
	}

	/**
	 * How much the store has forgotten, the most first.
	 */
	public enum Degree {

		/** All nodes and all queues, and with them their jobs. */
		EVERYTHING,

		/** The last calls of some shards, and what else was written at that time. */
		CALLS

	}

	/**
	 * The losses for people: losses of the last hour that nobody has acknowledged.
	 * @return the losses, the largest first
	 * @throws StoreException if the store can't be reached
	 */
	public static List<Forgotten> recent(NodeRegistry nodes) {
		List<Forgotten> all = nodes.forgotten();
		if (all.isEmpty()) {
			return all;
		}
		long now = nodes.now();
		return all.stream().filter((each) -> now - each.noticedAt() < KEPT).toList();
	}

	/**
	 * The loss of this record and a later one of the same degree, as long as people are
	 * shown this one.
	 * @return both together; the later one if this is not shown any more
	 */
	public Forgotten and(Forgotten later) {
		if (later.noticedAt - this.noticedAt >= KEPT) {
			return later;
		}
		return new Forgotten(this.degree, later.noticedAt, Math.min(this.knownAt, later.knownAt), later.node,
				later.session, Stream.concat(this.queues.stream(), later.queues.stream()).toList(),
				this.shards + later.shards);
	}

	/**
	 * Says what is forgotten, and how that is known.
	 * @return a few sentences; times are in UTC
	 */
	public String sentence() {
		return (this.degree == Degree.EVERYTHING) ? everything() : calls();
	}

	private String calls() {
		String where = (this.shards == 1) ? "a shard" : String.format(Locale.ROOT, "%,d shards", this.shards);
		String what = (this.knownAt > 0)
				? "that it had acknowledged since %s. Jobs enqueued then may be missing, jobs done then may run again, and pauses, holds and deletions of that time may be undone."
					.formatted(TimeText.of(this.knownAt))
				: "that it had acknowledged, and everything in some of these. Jobs there may be missing or run again, and pauses, holds and deletions may be undone.";
		return "Redis has forgotten calls in %s of %s %s".formatted(where, someQueues(), what);
	}

	private String someQueues() {
		int more = this.queues.size() - MAX_QUEUES;
		return LogText.of(String.join(", ", this.queues.subList(0, Math.min(this.queues.size(), MAX_QUEUES))))
				+ ((more > 0) ? String.format(Locale.ROOT, " and %,d more", more) : "");
	}

	private String everything() {
		return "Redis has forgotten everything, no later than %s: node %s found its session and all queues gone, which had been there %s earlier. Queued jobs, jobs on hold and dead jobs are missing, and so are pauses. Recorded again: %s."
			.formatted(TimeText.of(this.noticedAt), LogText.of(this.node),
					DurationText.of(Duration.ofMillis(Math.max(0, this.noticedAt - this.knownAt))), someQueues());
	}

}
