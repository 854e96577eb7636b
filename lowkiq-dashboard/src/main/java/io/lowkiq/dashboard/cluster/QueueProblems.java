package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

import io.lowkiq.dashboard.cluster.Found.Kind;
import io.lowkiq.dashboard.cluster.Found.Place;
import io.lowkiq.dashboard.history.AuditLog;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.internal.LogText;
import io.lowkiq.internal.TimeText;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Member;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says what is wrong with a queue now. Thread-safe. */
final class QueueProblems {

	private static final Logger logger = LoggerFactory.getLogger(QueueProblems.class);

	static final long OVERDUE = Duration.ofMinutes(1).toMillis();

	private static final long LONG_OVERDUE = Duration.ofMinutes(10).toMillis();

	/** The maximum number of characters of an error. */
	private static final int MAX_ERROR = 120;

	private final ErrorBursts bursts;

	private final AuditLog audit;

	private final Intake intake;

	/** The most frequent error among the dead jobs of a queue; null if it is unknown. */
	private final Function<String, @Nullable Deaths> deaths;

	QueueProblems(ErrorBursts bursts, AuditLog audit, Intake intake, Function<String, @Nullable Deaths> deaths) {
		this.bursts = bursts;
		this.audit = audit;
		this.intake = intake;
		this.deaths = deaths;
	}

	void addTo(List<Found> found, QueueSnapshot snapshot, ClusterSnapshot reading, LostRuns lost) {
		Looked queue = Looked.at(snapshot, reading);
		// Else the cause is named with the queue that it is kept for
		if (queue.kind() == null || reading.queue(queue.owner()).orElseThrow().unowned() == 0) {
			addOwners(found, queue, reading.members());
		}
		addNewer(found, queue);
		if (snapshot.paused() > 0 && !queue.isOfSchedules()) {
			addPaused(found, queue);
		}
		else {
			// What another line explains is no fault of its own
			HeldBack heldBack = HeldBack.in(snapshot, reading);
			heldBack.addTo(found);
			List<Shard> unowned = snapshot.unownedShards();
			snapshot.shards()
				.stream()
				.filter((shard) -> !heldBack.isLimited(shard) && !unowned.contains(shard.shard())
						&& !lost.shards().contains(shard.shard()))
				.max(Comparator.comparingLong(queue::lag))
				.filter((latest) -> queue.lag(latest) > OVERDUE)
				.ifPresent((latest) -> addOverdue(found, queue, latest));
		}
		addHeld(found, queue);
		addDead(found, queue);
		ErrorBursts.Burst burst = this.bursts.recent().get(queue.name());
		if (burst != null) {
			found.add(new Found(Kind.ERROR_BURST, burst.failed() * 10 >= burst.performs() * 9,
					String.format(Locale.ROOT, "%s: %,d of the last %,d runs have failed.", queue.label(),
							burst.failed(), burst.performs()),
					Place.queue(queue.name(), burst.since())));
		}
	}

	private static void addOwners(List<Found> found, Looked queue, List<Member> members) {
		QueueSnapshot snapshot = queue.snapshot();
		int shards = snapshot.layout().shards();
		boolean waits = snapshot.sum(ShardCounts::queued) + snapshot.sum(ShardCounts::busy) > 0;
		if (snapshot.unowned() == shards && isUnserved(queue.name(), members)) {
			found
				.add(new Found(Kind.UNSERVED_QUEUE, waits,
						"%s: no running node serves it. %s".formatted(queue.label(),
								waits ? "Its jobs are not running." : "It has no jobs."),
						Place.queue(queue.name(), null)));
		}
		else if (snapshot.unowned() > 0 && !members.isEmpty()) {
			found.add(new Found(Kind.UNOWNED_SHARDS, waits,
					queue.label() + ": " + unowned(snapshot.unowned(), shards, waits),
					Place.queue(queue.name(), null)));
		}
	}

	/** While a node doesn't say what it serves, nothing is certain. */
	private static boolean isUnserved(String queue, List<Member> members) {
		return !members.isEmpty() && members.stream()
			.map((member) -> member.info().queues())
			.allMatch((served) -> !served.isEmpty() && !served.contains(queue));
	}

	private static String unowned(int unowned, int shards, boolean waits) {
		if (shards == 1) {
			return waits ? "no node owns its shard, so its jobs are not running."
					: "no node owns its shard. The queue has no jobs.";
		}
		return String.format(Locale.ROOT, "%,d of %,d shards have no owner. %s", unowned, shards,
				waits ? "Their jobs are not running." : "The queue has no jobs.");
	}

	private static void addNewer(List<Found> found, Looked queue) {
		List<Integer> newer = queue.snapshot()
			.shards()
			.stream()
			.filter(ShardCounts::newer)
			.map((shard) -> shard.shard().index())
			.toList();
		if (!newer.isEmpty()) {
			String sentence = (newer.size() == 1)
					? "Shard %s of %s was written by a newer version; this node doesn't serve it."
						.formatted(newer.get(0), queue.owner())
					: String.format(Locale.ROOT,
							"%,d shards of %s were written by a newer version; this node doesn't serve them.",
							newer.size(), queue.owner());
			found.add(new Found(Kind.NEWER_SHARDS, false, sentence,
					new Place(queue.name(), newer.get(0), null, null, null)));
		}
	}

	private void addPaused(List<Found> found, Looked queue) {
		AuditLog.Entry pause = pause(queue.name());
		boolean one = queue.kind() == null;
		String sentence = (pause == null) ? "%s %s paused.".formatted(queue.label(), one ? "is" : "are")
				: "%s %s paused%s.".formatted(queue.label(), one ? "was" : "were",
						by(new Change<>(true, pause.user(), pause.at())));
		found.add(new Found(Kind.PAUSED, false, sentence,
				Place.queue(queue.name(), (pause != null) ? pause.at() : null)));
	}

	/** The author and the time of a change, as far as is known. */
	static String by(Change<?> change) {
		return (change.at() == 0) ? ""
				: " by %s at %s".formatted(
						change.by().equals(AuditLog.NOBODY) ? "someone who was not signed in" : LogText.of(change.by()),
						TimeText.of(change.at()));
	}

	private AuditLog.@Nullable Entry pause(String queue) {
		try {
			return this.audit.lastPause(queue).orElse(null);
		}
		catch (RuntimeException ex) {
			logger.debug("Could not find out who paused a queue", ex);
			return null;
		}
	}

	private void addOverdue(List<Found> found, Looked queue, ShardCounts latest) {
		long lag = queue.lag(latest);
		String late = Problems.lasting(lag);
		String sentence = queue.isOfSchedules() ? "%s is %s late.".formatted(this.intake.oldest(queue.owner()), late)
				: "%s: the oldest due job has been waiting for %s.".formatted(queue.label(), late);
		found.add(new Found(Kind.OVERDUE, lag > LONG_OVERDUE, sentence,
				new Place(queue.name(), latest.shard().index(), null, null, latest.now() - lag)));
	}

	/**
	 * Adds jobs that wait for a person. A paused schedule is on hold, and named as such.
	 */
	private static void addHeld(List<Found> found, Looked queue) {
		long held = queue.snapshot().sum(ShardCounts::held);
		if (held > 0 && !queue.isOfSchedules()) {
			found.add(new Found(Kind.HELD, false,
					"%s: %s on hold until someone releases %s.".formatted(queue.label(),
							Problems.counted(held, "job is", "jobs are"), (held == 1) ? "it" : "them"),
					Place.queue(queue.name(), null)));
		}
	}

	private void addDead(List<Found> found, Looked queue) {
		long dead = queue.snapshot().sum(ShardCounts::dead);
		if (dead > 0 && queue.kind() == InternalQueue.RECORDS) {
			found.add(new Found(Kind.GIVEN_UP, false,
					"Queue %s: %s given up, because %s could not become jobs.".formatted(queue.owner(),
							Problems.counted(dead, "record was", "records were"), (dead == 1) ? "it" : "they"),
					Place.queue(queue.name(), null)));
		}
		else if (dead > 0) {
			Deaths known = this.deaths.apply(queue.name());
			found.add(new Found(Kind.DEAD, false, queue.label() + ": " + dead(dead, known),
					(known != null) ? Place.error(queue.name(), known.key()) : Place.queue(queue.name(), null)));
		}
	}

	private static String dead(long dead, @Nullable Deaths known) {
		String areDead = Problems.counted(dead, "job is dead", "jobs are dead");
		if (known == null) {
			return areDead + ".";
		}
		String first = TimeText.of(known.first());
		String last = TimeText.of(known.last());
		String died = !known.complete() ? areDead : Problems.counted(dead, "job", "jobs")
				+ (first.equals(last) ? " died at " + last : " died between %s and %s".formatted(first, last));
		String share = (known.of() >= dead) ? "" : (known.of() * 2 > dead) ? ", most of them"
				: String.format(Locale.ROOT, ", %s%,d of them", known.complete() ? "" : "at least ", known.of());
		String error = LogText.of(known.error(), MAX_ERROR);
		return "%s%s: %s".formatted(died, share, error.endsWith(".") ? error : error + ".");
	}

	/** A queue to look at; its kind is null if it is one of the application. */
	private record Looked(QueueSnapshot snapshot, String name, @Nullable InternalQueue kind) {

		static Looked at(QueueSnapshot snapshot, ClusterSnapshot reading) {
			String name = snapshot.layout().name();
			return new Looked(snapshot, name, reading.isInternal(name) ? InternalQueue.of(name).orElse(null) : null);
		}

		/** The queue of the application for which it is kept, or itself. */
		String owner() {
			return InternalQueue.ownerOf(this.name);
		}

		boolean isOfSchedules() {
			return this.kind == InternalQueue.SCHEDULES;
		}

		/** The lag of schedules grows while they are paused: no other line says it. */
		long lag(ShardCounts shard) {
			return isOfSchedules() ? shard.lagOfAll() : shard.lag();
		}

		/** Its name in a sentence. People don't know those of internal queues. */
		String label() {
			if (this.kind == null) {
				return "Queue " + this.name;
			}
			return switch (this.kind) {
				case SCHEDULES -> "Schedules of " + owner();
				case RECORDS -> "Records of " + owner();
			};
		}

	}

}
