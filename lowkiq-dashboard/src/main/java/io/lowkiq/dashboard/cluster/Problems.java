package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import io.lowkiq.admin.ForeignQueues;
import io.lowkiq.admin.OutboxStatus;
import io.lowkiq.dashboard.cluster.Found.Kind;
import io.lowkiq.dashboard.cluster.Found.Place;
import io.lowkiq.dashboard.history.AuditLog;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.EndedNode;
import io.lowkiq.store.Member;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.StringUtils;

/**
 * Says what is wrong now, in sentences. Thread-safe.
 */
public final class Problems {

	/** The page turns such times into those of its clock. */
	private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss 'UTC'")
		.withZone(ZoneOffset.UTC);

	private static final Logger logger = LoggerFactory.getLogger(Problems.class);

	private static final int MAX_SHOWN = 50;

	private static final long OVERDUE = Duration.ofMinutes(1).toMillis();

	private static final long LONG_OVERDUE = Duration.ofMinutes(10).toMillis();

	private static final long LONG_RUNNING = Duration.ofMinutes(10).toMillis();

	private static final long SILENT = Duration.ofSeconds(10).toMillis();

	private static final long ENDED_LATELY = Duration.ofMinutes(10).toMillis();

	/** The maximum number of queues with the same problem listed one by one. */
	private static final int MAX_QUEUES = 3;

	/** The maximum number of characters of an error. */
	private static final int MAX_ERROR = 120;

	private final ErrorBursts bursts;

	private final AuditLog audit;

	private final @Nullable RedisReader redis;

	private final OutboxReader outbox;

	private final FollowUpReader followUps;

	private final Intake intake;

	private final Losses losses;

	private final PoisonReader poison;

	private final Function<String, @Nullable Deaths> deaths;

	/**
	 * Creates the search for problems.
	 * @param bursts knows which queues fail
	 * @param audit knows who paused a queue
	 * @param redis knows Redis; null if there is none
	 * @param outbox knows the outbox of this application
	 * @param followUps knows which queues follow-ups wait for
	 * @param intake knows schedules and sources
	 * @param losses knows what Redis has forgotten
	 * @param poison knows jobs that end nodes
	 * @param deaths the most frequent error among the dead jobs of a queue; null while
	 * none is known
	 */
	public Problems(ErrorBursts bursts, AuditLog audit, @Nullable RedisReader redis, OutboxReader outbox,
			FollowUpReader followUps, Intake intake, Losses losses, PoisonReader poison,
			Function<String, @Nullable Deaths> deaths) {
		this.bursts = bursts;
		this.audit = audit;
		this.redis = redis;
		this.outbox = outbox;
		this.followUps = followUps;
		this.intake = intake;
		this.losses = losses;
		this.poison = poison;
		this.deaths = deaths;
	}

	/**
	 * The present problems.
	 * @param reading the store
	 * @return the problems, the worst first
	 */
	public List<ClusterDocuments.Trouble> of(ClusterSnapshot reading) {
		List<Found> found = new ArrayList<>();
		if (reading.members().isEmpty() && !reading.queues().isEmpty()) {
			long waiting = reading.ofApplications()
				.stream()
				.mapToLong((queue) -> queue.sum(ShardCounts::queued) + queue.sum(ShardCounts::busy))
				.sum();
			found.add(new Found(Kind.NO_NODES, waiting > 0,
					(waiting > 0)
							? "No node is running. %,d %s waiting.".formatted(waiting,
									(waiting == 1) ? "job is" : "jobs are")
							: "No node is running, and no job is waiting.",
					Place.EVERYWHERE));
		}
		LostRuns lost = LostRuns.of(reading);
		reading.queues().forEach((queue) -> addQueue(found, queue, reading, lost));
		lost.addTo(found, reading.now());
		addForeign(found, reading);
		addThreads(found, reading);
		addPerforms(found, reading, lost);
		addRedis(found);
		this.losses.addTo(found, servers());
		this.poison.addTo(found, reading);
		addOutbox(found);
		this.followUps.addTo(found, reading);
		this.intake.addTo(found);
		addNodes(found, reading);
		found.sort(Comparator.comparing(Found::danger).reversed().thenComparing(Found::kind));
		return together(found).stream().limit(MAX_SHOWN).map(Found::view).toList();
	}

	/**
	 * The queues most of whose last runs have failed.
	 * @return their names
	 */
	public Set<String> failing() {
		return this.bursts.recent().keySet();
	}

	/** One line for many queues with the same problem. */
	private static List<Found> together(List<Found> found) {
		List<Found> together = new ArrayList<>();
		for (Kind kind : Kind.values()) {
			List<Found> same = found.stream().filter((each) -> each.kind() == kind).toList();
			List<String> names = names(same);
			int more = names.size() - MAX_QUEUES;
			String sentence = (more > 0) ? kind.of(names.size(),
					"%s and %,d more".formatted(String.join(", ", names.subList(0, MAX_QUEUES)), more)) : null;
			if (sentence == null) {
				together.addAll(same);
			}
			else {
				together.add(new Found(kind, same.stream().anyMatch(Found::danger), sentence, Place.EVERYWHERE));
			}
		}
		together.sort(Comparator.comparing(Found::danger).reversed().thenComparing(Found::kind));
		return together;
	}

	/**
	 * Of a queue and its internal ones, the name once. Ids that are equal are those of
	 * several queues.
	 */
	private static List<String> names(List<Found> same) {
		boolean areIds = same.stream().anyMatch((each) -> each.at().id() != null);
		Stream<String> names = same.stream().flatMap((each) -> each.at().name().stream());
		return (areIds ? names : names.distinct()).toList();
	}

	private void addQueue(List<Found> found, QueueSnapshot queue, ClusterSnapshot reading, LostRuns lost) {
		String name = queue.layout().name();
		InternalQueue kind = reading.isInternal(name) ? InternalQueue.of(name).orElse(null) : null;
		// Else the cause is named with the queue that it is kept for
		if (kind == null || reading.queue(InternalQueue.ownerOf(name)).orElseThrow().unowned() == 0) {
			addOwners(found, queue, kind, reading);
		}
		queue.shards()
			.stream()
			.filter(ShardCounts::newer)
			.map((shard) -> shard.shard().index())
			.findFirst()
			.ifPresent((shard) -> found.add(new Found(Kind.NEWER_SHARDS, false,
					newer(InternalQueue.ownerOf(name), shard,
							queue.shards().stream().filter(ShardCounts::newer).count()),
					new Place(name, shard, null, null, null))));
		if (queue.paused() > 0 && kind != InternalQueue.SCHEDULES) {
			Optional<AuditLog.Entry> pause = pause(name);
			found.add(new Found(Kind.PAUSED, false, paused(label(name, kind), kind == null, pause.orElse(null)),
					Place.queue(name, pause.map(AuditLog.Entry::at).orElse(null))));
		}
		else if (queue.lag() > OVERDUE) {
			addOverdue(found, queue, kind, lost);
		}
		addStanding(found, queue, kind);
		addDead(found, queue, kind);
		ErrorBursts.Burst burst = this.bursts.recent().get(name);
		if (burst != null) {
			found.add(new Found(Kind.ERROR_BURST, burst.failed() * 10 >= burst.performs() * 9,
					"%s: %,d of the last %,d runs have failed.".formatted(label(name, kind), burst.failed(),
							burst.performs()),
					Place.queue(name, burst.since())));
		}
	}

	private static String newer(String name, int first, long shards) {
		return (shards == 1)
				? "Shard %d of %s was written by a newer version; this node doesn't serve it.".formatted(first, name)
				: "%,d shards of %s were written by a newer version; this node doesn't serve them.".formatted(shards,
						name);
	}

	private static void addOwners(List<Found> found, QueueSnapshot queue, @Nullable InternalQueue kind,
			ClusterSnapshot reading) {
		String name = queue.layout().name();
		int shards = queue.layout().shards();
		long waiting = queue.sum(ShardCounts::queued) + queue.sum(ShardCounts::busy);
		if (queue.unowned() == shards && isUnserved(name, reading.members())) {
			found
				.add(new Found(Kind.UNSERVED_QUEUE, waiting > 0,
						"%s: no running node serves it. %s".formatted(label(name, kind),
								(waiting > 0) ? "Its jobs are not running." : "It has no jobs."),
						Place.queue(name, null)));
		}
		else if (queue.unowned() > 0 && (waiting > 0 || !reading.members().isEmpty())) {
			found.add(new Found(Kind.UNOWNED_SHARDS, waiting > 0,
					unowned(label(name, kind), queue.unowned(), shards, waiting > 0), Place.queue(name, null)));
		}
	}

	/**
	 * Adds jobs that wait for a person. A paused schedule is on hold, and named as such.
	 */
	private static void addStanding(List<Found> found, QueueSnapshot queue, @Nullable InternalQueue kind) {
		String name = queue.layout().name();
		long held = queue.sum(ShardCounts::held);
		if (held > 0 && kind != InternalQueue.SCHEDULES) {
			found.add(new Found(Kind.HELD, false,
					"%s: %,d %s on hold until someone releases %s.".formatted(label(name, kind), held,
							(held == 1) ? "job is" : "jobs are", (held == 1) ? "it" : "them"),
					Place.queue(name, null)));
		}
	}

	private void addDead(List<Found> found, QueueSnapshot queue, @Nullable InternalQueue kind) {
		String name = queue.layout().name();
		long dead = queue.sum(ShardCounts::dead);
		if (dead > 0 && kind == InternalQueue.RECORDS) {
			found.add(new Found(Kind.GIVEN_UP, false,
					"Queue %s: %,d %s given up, because %s could not become jobs.".formatted(
							InternalQueue.ownerOf(name), dead, (dead == 1) ? "record was" : "records were",
							(dead == 1) ? "it" : "they"),
					Place.queue(name, null)));
		}
		else if (dead > 0) {
			Deaths known = this.deaths.apply(name);
			found.add(new Found(Kind.DEAD, false, dead(label(name, kind), dead, known),
					(known != null) ? Place.error(name, known.key()) : Place.queue(name, null)));
		}
	}

	private static String dead(String label, long dead, @Nullable Deaths known) {
		String jobs = "%s: %,d %s".formatted(label, dead, (dead == 1) ? "job" : "jobs");
		if (known == null) {
			return "%s %s dead.".formatted(jobs, (dead == 1) ? "is" : "are");
		}
		String first = TIME.format(Instant.ofEpochMilli(known.first()));
		String last = TIME.format(Instant.ofEpochMilli(known.last()));
		String died = !known.complete() ? ((dead == 1) ? "is dead" : "are dead")
				: first.equals(last) ? "died at " + last : "died between %s and %s".formatted(first, last);
		String share = (known.of() >= dead) ? "" : (known.of() * 2 > dead) ? ", most of them"
				: ", %s%,d of them".formatted(known.complete() ? "" : "at least ", known.of());
		String error = LogText.of(known.error(), MAX_ERROR);
		return "%s %s%s: %s".formatted(jobs, died, share, error.endsWith(".") ? error : error + ".");
	}

	/** The name of a queue in a sentence. People don't know those of internal queues. */
	private static String label(String queue, @Nullable InternalQueue kind) {
		if (kind == null) {
			return "Queue " + queue;
		}
		return switch (kind) {
			case SCHEDULES -> "Schedules of " + InternalQueue.ownerOf(queue);
			case RECORDS -> "Records of " + InternalQueue.ownerOf(queue);
		};
	}

	/** A job in a sentence. That of a queue of schedules is a schedule. */
	static String job(String id, @Nullable String queue) {
		String of = String.valueOf(queue);
		return InternalQueue.SCHEDULES.isKindOf(of)
				? "schedule '%s' of %s".formatted(LogText.of(id), InternalQueue.ownerOf(of))
				: "job '%s' of queue %s".formatted(LogText.of(id), InternalQueue.ownerOf(of));
	}

	/** Jobs that wait for a run whose lease was lost are named with that. */
	private void addOverdue(List<Found> found, QueueSnapshot queue, @Nullable InternalQueue kind, LostRuns lost) {
		String name = queue.layout().name();
		ShardCounts latest = queue.shards().stream().max(Comparator.comparingLong(ShardCounts::lag)).orElseThrow();
		int shard = latest.shard().index();
		if (!lost.shards().contains(latest.shard())) {
			String late = lasting(queue.lag());
			String sentence = (kind == InternalQueue.SCHEDULES)
					? "%s is %s late.".formatted(this.intake.oldest(InternalQueue.ownerOf(name)), late)
					: "%s: the oldest due job has been waiting for %s.".formatted(label(name, kind), late);
			found.add(new Found(Kind.OVERDUE, queue.lag() > LONG_OVERDUE, sentence,
					new Place(name, shard, null, null, latest.now() - latest.lag())));
		}
	}

	private static String unowned(String label, int unowned, int shards, boolean waiting) {
		if (shards == 1) {
			return waiting ? "%s: no node owns its shard, so its jobs are not running.".formatted(label)
					: "%s: no node owns its shard. The queue has no jobs.".formatted(label);
		}
		return "%s: %,d of %,d shards have no owner. %s".formatted(label, unowned, shards,
				waiting ? "Their jobs are not running." : "The queue has no jobs.");
	}

	/** Why nothing else gets a turn: the queues whose jobs are overdue are symptoms. */
	private static void addThreads(List<Found> found, ClusterSnapshot reading) {
		RunningJobs running = RunningJobs.of(reading, null);
		List<Found> overdue = found.stream().filter((each) -> each.kind() == Kind.OVERDUE).toList();
		if (overdue.isEmpty() || running.threadCount() == 0 || running.performs().size() < running.threadCount()) {
			return;
		}
		RunningJobs.Perform longest = running.performs().get(0);
		long since = longest.thread().since();
		long due = reading.ofApplications()
			.stream()
			.map(ClusterDocuments.Totals::of)
			.mapToLong(ClusterDocuments.Totals::due)
			.sum();
		String threads = (running.threadCount() == 1) ? "The only thread is busy"
				: "All %,d threads are busy".formatted(running.threadCount());
		String lasting = (since > 0) ? "%s for %s".formatted((running.threadCount() == 1) ? "" : ", the longest",
				lasting(reading.now() - since)) : "";
		String named = " (%s)".formatted(job(longest.thread().ids().get(0), longest.thread().queue()));
		found.removeAll(overdue);
		found.add(new Found(Kind.THREADS_BUSY, overdue.stream().anyMatch(Found::danger),
				"%s%s%s. %,d due %s waiting.".formatted(threads, lasting, named, due,
						(due == 1) ? "job is" : "jobs are"),
				new Place(null, null, null, null, (since > 0) ? since : null)));
	}

	private static void addForeign(List<Found> found, ClusterSnapshot reading) {
		ForeignQueues.among(reading.members().stream().map(Member::info).toList()).forEach((queue) -> {
			boolean isForeign = queue.kind() == ForeignQueues.Kind.FOREIGN;
			found.add(new Found(isForeign ? Kind.FOREIGN_QUEUE : Kind.SHARED_QUEUE, isForeign, queue.sentence(),
					Place.queue(queue.queue(), null)));
		});
	}

	/** While a node doesn't say what it serves, nothing is certain. */
	private static boolean isUnserved(String queue, List<Member> members) {
		return !members.isEmpty() && members.stream()
			.map((member) -> member.info().queues())
			.allMatch((served) -> !served.isEmpty() && !served.contains(queue));
	}

	private Optional<AuditLog.Entry> pause(String queue) {
		try {
			return this.audit.lastPause(queue);
		}
		catch (RuntimeException ex) {
			logger.debug("Could not find out who paused a queue", ex);
			return Optional.empty();
		}
	}

	private static String paused(String label, boolean one, AuditLog.@Nullable Entry pause) {
		if (pause == null) {
			return "%s %s paused.".formatted(label, one ? "is" : "are");
		}
		String who = pause.user().equals(AuditLog.NOBODY) ? "someone who was not signed in" : LogText.of(pause.user());
		return "%s %s paused by %s at %s.".formatted(label, one ? "was" : "were", who,
				TIME.format(Instant.ofEpochMilli(pause.at())));
	}

	private static void addPerforms(List<Found> found, ClusterSnapshot reading, LostRuns lost) {
		RunningJobs.of(reading, null)
			.performs()
			.stream()
			.filter((perform) -> perform.thread().since() > 0
					&& reading.now() - perform.thread().since() > LONG_RUNNING)
			.filter((perform) -> !lost.contains(perform))
			.forEach((perform) -> {
				String id = perform.thread().ids().get(0);
				String node = perform.member().info().node();
				found.add(new Found(Kind.LONG_RUNNING, false,
						"%s has been running for %s on node %s.".formatted(
								StringUtils.capitalize(job(id, perform.thread().queue())),
								lasting(reading.now() - perform.thread().since()), node),
						new Place(perform.thread().queue(), perform.thread().shard(), id, node,
								perform.thread().since())));
			});
	}

	private static void addNodes(List<Found> found, ClusterSnapshot reading) {
		boolean isFull = found.stream().anyMatch((each) -> each.kind() == Kind.REDIS_FULL);
		for (Member member : isFull ? List.<Member>of() : reading.nodes()) {
			long reportedAt = reading.activity(member).reportedAt();
			if (reportedAt > 0 && reading.now() - reportedAt > SILENT) {
				found.add(new Found(
						Kind.STALE_REPORT, false, "Node %s has not reported what it does for %s."
							.formatted(member.info().node(), lasting(reading.now() - reportedAt)),
						Place.node(member.info().node(), reportedAt)));
			}
		}
		for (EndedNode ended : reading.ended()) {
			if (ended.crashed() && reading.now() - ended.endedAt() <= ENDED_LATELY) {
				found.add(new Found(Kind.NODE_ENDED, false,
						(reading.isBack(ended) ? "Node %s lost contact %s ago and has come back."
								: "Node %s ended %s ago without leaving the cluster.")
							.formatted(ended.info().node(), lasting(reading.now() - ended.endedAt())),
						Place.node(ended.info().node(), ended.endedAt())));
			}
		}
	}

	private void addRedis(List<Found> found) {
		for (RedisFacts.Server server : servers()) {
			String name = "Redis" + ((server.name() != null) ? " " + server.name() : "");
			if (server.isFull()) {
				found.add(new Found(Kind.REDIS_FULL, true,
						"%s is full: it uses %s of %s. Jobs can't be enqueued, and nodes can't report what they run."
							.formatted(name, bytes(server.memory()), bytes(server.maxMemory())),
						Place.EVERYWHERE));
			}
			else if (server.isNearlyFull()) {
				found.add(new Found(Kind.REDIS_NEARLY_FULL, false,
						"%s is nearly full: it uses %s of %s (%d %%).".formatted(name, bytes(server.memory()),
								bytes(server.maxMemory()), server.memory() * 100 / server.maxMemory()),
						Place.EVERYWHERE));
			}
			if (server.canEvictJobs()) {
				found.add(new Found(Kind.EVICTION, server.maxMemory() > 0,
						"%s may delete jobs when its memory is full: maxmemory-policy is %s.".formatted(name,
								server.evictionPolicy()),
						Place.EVERYWHERE));
			}
		}
	}

	private void addOutbox(List<Found> found) {
		OutboxStatus status = this.outbox.recent();
		if (status.problem() != null) {
			found.add(new Found(Kind.OUTBOX_STOPPED, true,
					"The outbox of this application can't send jobs: %s".formatted(LogText.of(status.problem())),
					Place.EVERYWHERE));
		}
		status.waiting().entrySet().stream().findFirst().ifPresent((first) -> {
			int more = status.waiting().size() - 1;
			found.add(new Found(Kind.OUTBOX_WAITS, false,
					"Jobs of %s%s wait in the outbox, while others are sent: %s".formatted(first.getKey(),
							(more > 0) ? " and %,d more".formatted(more) : "", LogText.of(first.getValue())),
					Place.EVERYWHERE));
		});
		if (status.aside() > 0) {
			found.add(new Found(Kind.OUTBOX_ASIDE, false,
					"%,d %s put aside by the outbox, because %s can't be sent.".formatted(status.aside(),
							(status.aside() == 1) ? "job was" : "jobs were", (status.aside() == 1) ? "it" : "they"),
					Place.EVERYWHERE));
		}
	}

	private static String bytes(long bytes) {
		long mebibytes = bytes / 1_048_576;
		return (mebibytes >= 10_240) ? "%,d GiB".formatted(mebibytes / 1_024)
				: (mebibytes >= 10) ? "%,d MiB".formatted(mebibytes) : "%,d KiB".formatted(bytes / 1_024);
	}

	/** Redis may refuse to speak of itself. */
	private List<RedisFacts.Server> servers() {
		try {
			return (this.redis != null) ? this.redis.recent().servers() : List.of();
		}
		catch (StoreException ex) {
			return List.of();
		}
	}

	static String lasting(long millis) {
		Duration time = Duration.ofMillis(Math.max(0, millis));
		if (time.toDays() > 0) {
			return "%d d %d h".formatted(time.toDays(), time.toHoursPart());
		}
		if (time.toHours() > 0) {
			return "%d h %d min".formatted(time.toHours(), time.toMinutesPart());
		}
		return (time.toMinutes() > 0) ? time.toMinutes() + " min" : time.toSeconds() + " s";
	}

}
