package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.StoreException;
import io.lowkiq.admin.ForeignQueues;
import io.lowkiq.admin.KeptJobs;
import io.lowkiq.admin.OutboxStatus;
import io.lowkiq.dashboard.cluster.Found.Kind;
import io.lowkiq.dashboard.cluster.Found.Place;
import io.lowkiq.dashboard.cluster.Found.Severity;
import io.lowkiq.dashboard.history.AuditLog;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.internal.LogText;
import io.lowkiq.internal.TimeText;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.node.EndedNode;
import io.lowkiq.store.node.Member;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.StringUtils;

/** Says what is wrong now, in sentences. Thread-safe. */
public final class Problems {

	private static final Logger logger = LoggerFactory.getLogger(Problems.class);

	private static final int MAX_SHOWN = 50;

	private static final long LONG_RUNNING = Duration.ofMinutes(10).toMillis();

	private static final long SILENT = Duration.ofSeconds(10).toMillis();

	private static final long ENDED_LATELY = Duration.ofMinutes(10).toMillis();

	/** The maximum number of queues with the same problem listed one by one. */
	private static final int MAX_QUEUES = 3;

	private final ErrorBursts bursts;

	private final QueueProblems ofQueue;

	private final @Nullable RedisReader redis;

	private final OutboxReader outbox;

	private final FollowUpReader followUps;

	private final Intake intake;

	private final Losses losses;

	private final PoisonReader poison;

	/** Without a reader of Redis if it is null. */
	public Problems(ErrorBursts bursts, AuditLog audit, @Nullable RedisReader redis, OutboxReader outbox,
			FollowUpReader followUps, Intake intake, Losses losses, PoisonReader poison,
			Function<String, @Nullable Deaths> deaths) {
		this.bursts = bursts;
		this.ofQueue = new QueueProblems(bursts, audit, intake, deaths);
		this.redis = redis;
		this.outbox = outbox;
		this.followUps = followUps;
		this.intake = intake;
		this.losses = losses;
		this.poison = poison;
	}

	/** The present problems. */
	public List<ClusterDocuments.Trouble> of(ClusterSnapshot reading) {
		List<Found> found = new ArrayList<>();
		if (reading.members().isEmpty() && !reading.queues().isEmpty()) {
			long waiting = reading.ofApplications()
				.stream()
				.mapToLong((queue) -> queue.sum(ShardCounts::queued) + queue.sum(ShardCounts::busy))
				.sum();
			found.add(new Found(Kind.NO_NODES, waiting > 0,
					(waiting > 0) ? "No node is running. %s waiting.".formatted(counted(waiting, "job is", "jobs are"))
							: "No node is running, and no job is waiting.",
					Place.EVERYWHERE));
		}
		LostRuns lost = LostRuns.of(reading);
		reading.queues().forEach((queue) -> this.ofQueue.addTo(found, queue, reading, lost));
		reading.stranded()
			.forEach((shards) -> found.add(new Found(Kind.STRANDED_JOBS, true, shards.sentence(),
					Place.queue(shards.recorded().name(), null))));
		lost.addTo(found, reading.now());
		addForeign(found, reading);
		addThreads(found, reading, lost);
		addPerforms(found, reading, lost);
		addRedis(found);
		unlessAway("what Redis has forgotten", () -> this.losses.addTo(found, servers(), this.outbox.recent().kept()));
		unlessAway("jobs that end nodes", () -> this.poison.addTo(found, reading));
		addOutbox(found);
		unlessAway("the follow-ups", () -> this.followUps.addTo(found, reading));
		unlessAway("schedules and sources", () -> this.intake.addTo(found));
		addNodes(found, reading);
		return together(found).stream().limit(MAX_SHOWN).map(Found::view).toList();
	}

	/** Searches; a source that can't be read hides no other problem. */
	private static void unlessAway(String what, Runnable search) {
		try {
			search.run();
		}
		catch (StoreException ex) {
			logger.debug("Could not read {}", what, ex);
		}
	}

	/** The queues most of whose last runs have failed. */
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
			String sentence = (more > 0) ? kind.of(names.size(), String.format(Locale.ROOT, "%s and %,d more",
					String.join(", ", names.subList(0, MAX_QUEUES)), more)) : null;
			if (sentence == null) {
				together.addAll(same);
			}
			else {
				together.add(new Found(kind, worst(same), sentence, Place.EVERYWHERE));
			}
		}
		together.sort(Comparator.comparing(Found::severity).thenComparing(Found::kind));
		return together;
	}

	private static Severity worst(List<Found> found) {
		return found.stream().map(Found::severity).min(Comparator.naturalOrder()).orElseThrow();
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

	/** A job in a sentence. That of a queue of schedules is a schedule. */
	static String job(String id, @Nullable String queue) {
		String of = String.valueOf(queue);
		return InternalQueue.SCHEDULES.isKindOf(of)
				? "schedule '%s' of %s".formatted(LogText.of(id), InternalQueue.ownerOf(of))
				: "job '%s' of queue %s".formatted(LogText.of(id), InternalQueue.ownerOf(of));
	}

	/**
	 * Why nothing else gets a turn: the queues whose jobs are overdue are symptoms, if
	 * all threads of the nodes that serve them are busy. So are busy threads, if all
	 * their runs have lost their leases.
	 */
	private static void addThreads(List<Found> found, ClusterSnapshot reading, LostRuns lost) {
		List<Found> overdue = found.stream()
			.filter((each) -> each.kind() == Kind.OVERDUE && serving(each, reading).isBusy())
			.toList();
		if (overdue.isEmpty()) {
			return;
		}
		Set<String> sessions = reading.nodes()
			.stream()
			.filter((member) -> overdue.stream().anyMatch((each) -> serves(member, each)))
			.map(Member::session)
			.collect(Collectors.toSet());
		RunningJobs running = RunningJobs.onNodes(reading, (member) -> sessions.contains(member.session()));
		RunningJobs.Perform longest = running.performs().get(0);
		long since = longest.thread().since();
		long due = reading.queues()
			.stream()
			.filter((queue) -> overdue.stream().anyMatch((each) -> queue.layout().name().equals(each.at().queue())))
			.map(ClusterDocuments.Totals::of)
			.mapToLong(ClusterDocuments.Totals::due)
			.sum();
		String waiting = counted(due, "due job is", "due jobs are");
		if (running.performs().stream().allMatch(lost::contains)) {
			found.removeAll(overdue);
			found.replaceAll((each) -> (each.kind() != Kind.LEASE_LOST) ? each : new Found(each.kind(), worst(overdue),
					"%s No thread is free: %s waiting.".formatted(each.sentence(), waiting), each.at()));
			return;
		}
		String where = (sessions.size() < reading.nodes().size())
				? " of the nodes that serve " + String.join(", ", names(overdue).stream().limit(MAX_QUEUES).toList())
				: "";
		String threads = (running.threadCount() == 1) ? "The only thread%s is busy".formatted(where)
				: String.format(Locale.ROOT, "All %,d threads%s are busy", running.threadCount(), where);
		String lasting = (since > 0) ? "%s for %s".formatted((running.threadCount() == 1) ? "" : ", the longest",
				lasting(reading.now() - since)) : "";
		String named = " (%s)".formatted(job(longest.thread().ids().get(0), longest.thread().queue()));
		found.removeAll(overdue);
		found.add(new Found(Kind.THREADS_BUSY, worst(overdue),
				"%s%s%s. %s waiting.".formatted(threads, lasting, named, waiting),
				new Place(null, null, null, null, (since > 0) ? since : null)));
	}

	private static RunningJobs serving(Found overdue, ClusterSnapshot reading) {
		return RunningJobs.onNodes(reading, (member) -> serves(member, overdue));
	}

	/** A node that doesn't say what it serves may serve everything. */
	private static boolean serves(Member member, Found overdue) {
		Set<String> queues = member.info().queues();
		return queues.isEmpty() || queues.contains(String.valueOf(overdue.at().queue()));
	}

	private static void addForeign(List<Found> found, ClusterSnapshot reading) {
		ForeignQueues.among(reading.members().stream().map(Member::info).toList()).forEach((queue) -> {
			boolean isForeign = queue.kind() == ForeignQueues.Kind.FOREIGN;
			found.add(new Found(isForeign ? Kind.FOREIGN_QUEUE : Kind.SHARED_QUEUE, isForeign, queue.sentence(),
					Place.queue(queue.queue(), null)));
		});
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
			long reportedAt = reading.activity(member.session()).reportedAt();
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
						"%s is nearly full: it uses %s of %s (%s %%).".formatted(name, bytes(server.memory()),
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
					"Jobs of %s%s wait in the outbox%s, while others are sent: %s".formatted(first.getKey(),
							(more > 0) ? String.format(Locale.ROOT, " and %,d more", more) : "", waiting(status),
							LogText.of(first.getValue())),
					Place.EVERYWHERE));
		});
		if (status.aside() > 0) {
			found.add(new Found(Kind.OUTBOX_ASIDE, false,
					"%s put aside by the outbox, because %s can't be sent.".formatted(
							counted(status.aside(), "job was", "jobs were"), (status.aside() == 1) ? "it" : "they"),
					Place.EVERYWHERE));
		}
	}

	private static String waiting(OutboxStatus status) {
		return (status.waitingSince() == null) ? ""
				: " (%s%s since %s)".formatted((status.waitingJobs() < KeptJobs.MAX_COUNTED) ? "" : "at least ",
						counted(status.waitingJobs(), "job", "jobs"),
						TimeText.of(status.waitingSince().toEpochMilli()));
	}

	private static String bytes(long bytes) {
		long mebibytes = bytes / 1_048_576;
		return (mebibytes >= 10_240) ? String.format(Locale.ROOT, "%,d GiB", mebibytes / 1_024)
				: (mebibytes >= 10) ? String.format(Locale.ROOT, "%,d MiB", mebibytes)
						: String.format(Locale.ROOT, "%,d KiB", bytes / 1_024);
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

	/** A number, and the words for one or for several. */
	static String counted(long count, String one, String several) {
		return String.format(Locale.ROOT, "%,d %s", count, (count == 1) ? one : several);
	}

	static String lasting(long millis) {
		Duration time = Duration.ofMillis(Math.max(0, millis));
		if (time.toDays() > 0) {
			return "%s d %s h".formatted(time.toDays(), time.toHoursPart());
		}
		if (time.toHours() > 0) {
			return "%s h %s min".formatted(time.toHours(), time.toMinutesPart());
		}
		return (time.toMinutes() > 0) ? time.toMinutes() + " min" : time.toSeconds() + " s";
	}

}
