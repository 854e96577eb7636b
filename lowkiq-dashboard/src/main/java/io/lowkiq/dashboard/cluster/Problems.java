package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import io.lowkiq.dashboard.history.AuditLog;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.EndedNode;
import io.lowkiq.store.Member;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what is wrong now, in sentences. Thread-safe.
 */
public final class Problems {

	/** The page turns such times into those of its clock. */
	private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss 'UTC'")
		.withZone(ZoneOffset.UTC);

	private static final Logger logger = LoggerFactory.getLogger(Problems.class);

	private static final int MOST = 50;

	private static final long OVERDUE = Duration.ofMinutes(1).toMillis();

	private static final long LONG_OVERDUE = Duration.ofMinutes(10).toMillis();

	private static final long LONG_RUNNING = Duration.ofMinutes(10).toMillis();

	private static final long SILENT = Duration.ofSeconds(10).toMillis();

	private static final long ENDED_LATELY = Duration.ofMinutes(10).toMillis();

	/** Of these, so many are listed one by one. */
	private static final int MAX_PERFORMS = 10;

	private final ErrorBursts bursts;

	private final AuditLog audit;

	private final @Nullable RedisReader redis;

	/** The worst first. */
	private enum Kind {

		NO_NODES, UNOWNED_SHARDS, UNSERVED_QUEUE, OVERDUE, EVICTION, NODE_ENDED, ERROR_BURST, LONG_RUNNING,
		STALE_REPORT, PAUSED

	}

	/**
	 * A problem before it is shown.
	 *
	 * @param kind what it is about
	 * @param danger whether jobs are not performed, or may be lost
	 * @param sentence says it
	 * @param at where it is
	 */
	private record Found(Kind kind, boolean danger, String sentence, Place at) {

		private ClusterDocuments.Trouble view() {
			return new ClusterDocuments.Trouble(this.kind.name(), this.danger ? "danger" : "warning", this.sentence,
					this.at.queue(), this.at.shard(), this.at.id(), this.at.node(), this.at.since());
		}

	}

	/**
	 * Where a problem is.
	 */
	private record Place(@Nullable String queue, @Nullable Integer shard, @Nullable String id, @Nullable String node,
			@Nullable Long since) {

		static final Place EVERYWHERE = new Place(null, null, null, null, null);

		static Place queue(String queue, @Nullable Long since) {
			return new Place(queue, null, null, null, since);
		}

		static Place node(String node, long since) {
			return new Place(null, null, null, node, since);
		}

	}

	/**
	 * Creates the search for problems.
	 * @param bursts knows which queues fail
	 * @param audit knows who paused a queue
	 * @param redis knows Redis; null if there is none
	 */
	public Problems(ErrorBursts bursts, AuditLog audit, @Nullable RedisReader redis) {
		this.bursts = bursts;
		this.audit = audit;
		this.redis = redis;
	}

	/**
	 * What is wrong.
	 * @param reading the store
	 * @return the problems, the worst first
	 */
	public List<ClusterDocuments.Trouble> of(ClusterSnapshot reading) {
		List<Found> found = new ArrayList<>();
		if (reading.members().isEmpty() && !reading.queues().isEmpty()) {
			found.add(new Found(Kind.NO_NODES, true, "No node is running. No jobs are being performed.",
					Place.EVERYWHERE));
		}
		reading.queues().forEach((queue) -> addQueue(found, queue, reading));
		addPerforms(found, reading);
		addNodes(found, reading);
		addEviction(found);
		found.sort(Comparator.comparing(Found::danger).reversed().thenComparing(Found::kind));
		return found.stream().limit(MOST).map(Found::view).toList();
	}

	private void addQueue(List<Found> found, QueueSnapshot queue, ClusterSnapshot reading) {
		String name = queue.layout().name();
		int shards = queue.layout().shards();
		long waiting = queue.sum(ShardCounts::queued) + queue.sum(ShardCounts::busy);
		if (queue.unowned() == shards && isUnserved(name, reading.members())) {
			found.add(new Found(Kind.UNSERVED_QUEUE, waiting > 0,
					"Queue %s: no running node serves it. %s".formatted(name,
							(waiting > 0) ? "Its jobs are not being performed." : "It has no jobs."),
					Place.queue(name, null)));
		}
		else if (queue.unowned() > 0 && (waiting > 0 || !reading.members().isEmpty())) {
			found.add(new Found(Kind.UNOWNED_SHARDS, waiting > 0,
					"Queue %s: %,d of %,d %s no owner. %s".formatted(name, queue.unowned(), shards,
							(shards == 1) ? "shard has" : "shards have",
							(waiting > 0) ? "Their jobs are not being performed." : "The queue has no jobs."),
					Place.queue(name, null)));
		}
		if (queue.paused() > 0) {
			Optional<AuditLog.Entry> pause = pause(name);
			found.add(new Found(Kind.PAUSED, false,
					pause.map((last) -> pausedBy(name, last)).orElse("Queue %s is paused.".formatted(name)),
					Place.queue(name, pause.map(AuditLog.Entry::at).orElse(null))));
		}
		else if (queue.lag() > OVERDUE) {
			Integer shard = queue.shards()
				.stream()
				.max(Comparator.comparingLong(ShardCounts::lag))
				.map((counts) -> counts.shard().index())
				.orElse(null);
			found.add(new Found(Kind.OVERDUE, queue.lag() > LONG_OVERDUE,
					"Queue %s: the oldest due job has been waiting for %s.".formatted(name, lasting(queue.lag())),
					new Place(name, shard, null, null, reading.now() - queue.lag())));
		}
		ErrorBursts.Burst burst = this.bursts.recent().get(name);
		if (burst != null) {
			found.add(new Found(Kind.ERROR_BURST, false, "Queue %s: %,d of the last %,d performs have failed."
				.formatted(name, burst.failed(), burst.performs()), Place.queue(name, burst.since())));
		}
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

	private static String pausedBy(String queue, AuditLog.Entry pause) {
		String who = pause.user().equals(AuditLog.NOBODY) ? "someone who was not signed in" : LogText.of(pause.user());
		return "Queue %s was paused by %s at %s.".formatted(queue, who, TIME.format(Instant.ofEpochMilli(pause.at())));
	}

	private static void addPerforms(List<Found> found, ClusterSnapshot reading) {
		RunningJobs.of(reading, null)
			.performs()
			.stream()
			.filter((perform) -> perform.thread().since() > 0
					&& reading.now() - perform.thread().since() > LONG_RUNNING)
			.limit(MAX_PERFORMS)
			.forEach((perform) -> {
				String id = perform.thread().ids().get(0);
				String node = perform.member().info().node();
				found.add(new Found(Kind.LONG_RUNNING, false,
						"Job '%s' of queue %s has been running for %s on node %s.".formatted(LogText.of(id),
								perform.thread().queue(), lasting(reading.now() - perform.thread().since()), node),
						new Place(perform.thread().queue(), perform.thread().shard(), id, node,
								perform.thread().since())));
			});
	}

	private static void addNodes(List<Found> found, ClusterSnapshot reading) {
		for (Member member : reading.members()) {
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

	private void addEviction(List<Found> found) {
		for (RedisFacts.Server server : servers()) {
			if (server.canEvictJobs()) {
				found.add(new Found(Kind.EVICTION, server.maxMemory() > 0,
						"Redis%s may delete jobs when its memory is full: maxmemory-policy is %s."
							.formatted((server.name() != null) ? " " + server.name() : "", server.evictionPolicy()),
						Place.EVERYWHERE));
			}
		}
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

	private static String lasting(long millis) {
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
