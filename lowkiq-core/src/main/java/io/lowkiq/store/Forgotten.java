package io.lowkiq.store;

import java.time.Duration;
import java.util.List;

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
 * @param knownAt when the store had last shown the node that it knew it, by the same
 * clock
 * @param node the node that noticed
 * @param session the session that was forgotten
 * @param queues the queues that the node records again, sorted by name
 */
public record Forgotten(Degree degree, long noticedAt, long knownAt, String node, String session, List<String> queues) {

	/** How long a loss is shown, unless somebody acknowledges it before. */
	private static final long KEPT = Duration.ofHours(1).toMillis();

	private static final int MAX_QUEUES = 5;

	public Forgotten {
		queues = queues.stream().sorted().toList();
	}

	/**
	 * How much the store has forgotten, the most first.
	 */
	public enum Degree {

		/** All nodes and all queues, and with them their jobs. */
		EVERYTHING

	}

	/**
	 * The sentences for people: losses of the last hour that nobody has acknowledged.
	 * @param nodes the registry
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
	 * Says what is forgotten, and how that is known.
	 * @return a few sentences; times are in UTC
	 */
	public String sentence() {
		int more = this.queues.size() - MAX_QUEUES;
		return "Redis has forgotten everything, no later than %s: node %s found its session and all queues gone, which had been there %s earlier. Queued jobs, jobs on hold and dead jobs are missing, and so are pauses. Recorded again: %s%s."
			.formatted(TimeText.of(this.noticedAt), LogText.of(this.node),
					DurationText.of(Duration.ofMillis(Math.max(0, this.noticedAt - this.knownAt))),
					LogText.of(String.join(", ", this.queues.subList(0, Math.min(this.queues.size(), MAX_QUEUES)))),
					(more > 0) ? " and %,d more".formatted(more) : "");
	}

}
