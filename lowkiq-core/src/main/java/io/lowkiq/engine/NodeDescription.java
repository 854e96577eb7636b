package io.lowkiq.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.engine.lease.HeldShard;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.ServedShards;
import io.lowkiq.engine.lease.Session;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.engine.schedule.GroupSettings;
import io.lowkiq.engine.schedule.QueueTurns;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Build;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** The node as it describes itself to the other nodes and to people. */
final class NodeDescription {

	private static final long REPORT_INTERVAL = Duration.ofSeconds(2).toNanos();

	/** The maximum number of groups that wait because a job has asked for it. */
	private static final int MAX_GROUPS = 100;

	/** The maximum number of groups with running jobs; those with the most come first. */
	private static final int MAX_RUNNING_GROUPS = 50;

	/** The maximum number of groups that wait for their next start. */
	private static final int MAX_STARTS = 20;

	/** The maximum number of shards of a queue that its limits hold back. */
	private static final int MAX_LIMITED = 1_000;

	private static final int MAX_IDS = 10;

	/**
	 * The maximum number of threads in a report; a node with more leaves out idle ones.
	 */
	private static final int MAX_THREADS = 100;

	/** The maximum number of stacks in a report, of the threads with the longest runs. */
	private static final int MAX_STACKS = 10;

	private static final int MAX_FRAMES = 40;

	private static final int MAX_CHARACTERS = 300;

	/** Minimum age of a run, and minimum interval, for sampling its stack. */
	private static final Duration STACK_AGE = Duration.ofSeconds(10);

	private final String node;

	private final String application;

	private final Instant startedAt;

	private final Duration leaseDuration;

	private final ServedShards shards;

	private final List<ThreadActivity> threads;

	private final Lifecycle lifecycle;

	private final InstantSource clock;

	private final StateLock lock;

	private final ClockDifference difference = new ClockDifference();

	/** Used by the thread that reports, as all of the following. */
	private final PerformMinutes minutes = new PerformMinutes();

	/** The last stacks by the names of their threads. */
	private Map<String, Stack> stacks = Map.of();

	private Instant stacksTakenAt = Instant.EPOCH;

	private @Nullable String reported;

	private long reportedAt;

	private record Stack(Instant since, Instant at, List<String> frames) {
	}

	/** The running jobs of a group: since when the oldest and the youngest one run. */
	private record RunningGroup(int jobs, long since, long last, int concurrency) {

		RunningGroup plus(RunningGroup other) {
			return new RunningGroup(this.jobs + other.jobs, Math.min(this.since, other.since),
					Math.max(this.last, other.last), this.concurrency);
		}

	}

	NodeDescription(String node, String application, Instant startedAt, Duration leaseDuration, ServedShards shards,
			List<ThreadActivity> threads, Lifecycle lifecycle, InstantSource clock, StateLock lock) {
		this.node = node;
		this.application = application;
		this.startedAt = startedAt;
		this.leaseDuration = leaseDuration;
		this.shards = shards;
		this.threads = threads;
		this.lifecycle = lifecycle;
		this.clock = clock;
		this.lock = lock;
	}

	NodeInfo info() {
		boolean stopping = this.lifecycle.isQuiet();
		boolean shares = !stopping && this.shards.isShared();
		return new NodeInfo(this.node, this.startedAt.toEpochMilli(), this.leaseDuration,
				shares ? this.shards.queues() : Set.of(), stopping, this.application,
				stopping ? Map.of() : this.shards.payloadTypes(), Build.THIS, this.shards.foreign().keySet(),
				this.shards.shared());
	}

	/** Also if nothing has changed, so that people see that the node lives. */
	void report(Session session, NodeRegistry nodes, long nanos) {
		if (!session.id().equals(this.reported) || nanos - this.reportedAt >= REPORT_INTERVAL) {
			Instant before = this.clock.instant();
			long now = nodes.now();
			Instant after = this.clock.instant();
			this.difference.compare(before, Instant.ofEpochMilli(now), after);
			nodes.report(session.id(), json(now, after, nanos));
			this.reported = session.id();
			this.reportedAt = nanos;
		}
	}

	ServerStatus status(@Nullable Session session, boolean stopped, @Nullable String storeProblem, StateLock lock,
			Map<String, String> unreadableJobs) {
		List<ServerStatus.ShardStatus> shardStatus = lock
			.get(() -> this.shards.ordered().stream().map(NodeDescription::status).toList());
		List<ServerStatus.RefusedQueue> refused = this.shards.refused()
			.entrySet()
			.stream()
			.map((queue) -> new ServerStatus.RefusedQueue(queue.getKey(), queue.getValue()))
			.toList();
		List<ServerStatus.ThreadStatus> threadStatus = this.threads.stream()
			.map(ThreadActivity::snapshot)
			.map((thread) -> new ServerStatus.ThreadStatus(thread.name(), thread.shard(), thread.ids(), thread.since()))
			.toList();
		return new ServerStatus(state(session, stopped), this.node,
				(session != null && session.isValid()) ? session.id() : null, this.startedAt, this.lifecycle.failure(),
				stopped ? null : storeProblem, this.difference.text(), refused, this.shards.stopped(),
				this.shards.foreign(), List.copyOf(shardStatus), threadStatus, unreadableJobs);
	}

	private static ServerStatus.ShardStatus status(ServedShard shard) {
		HeldShard held = shard.held();
		boolean valid = held != null && held.session().isValid();
		return new ServerStatus.ShardStatus(shard.shard(), valid, shard.holder(),
				(held != null && valid) ? held.lease().epoch() : 0, shard.since(), shard.isNewer());
	}

	private ServerStatus.State state(@Nullable Session session, boolean stopped) {
		if (this.lifecycle.failure() != null) {
			return ServerStatus.State.FAILED;
		}
		if (stopped) {
			return ServerStatus.State.STOPPED;
		}
		if (this.lifecycle.isQuiet()) {
			return ServerStatus.State.STOPPING;
		}
		return (session != null) ? ServerStatus.State.RUNNING : ServerStatus.State.STARTING;
	}

	/** The node's activity, as JSON. */
	private String json(long now, Instant own, long nanos) {
		Duration ahead = Duration.between(own, Instant.ofEpochMilli(now));
		List<ThreadActivity.Snapshot> all = this.threads.stream().map(ThreadActivity::snapshot).toList();
		takeStacks(own);
		List<Map<String, Object>> described = all.stream()
			.filter((thread) -> all.size() <= MAX_THREADS || !thread.ids().isEmpty())
			.limit(MAX_THREADS)
			.map((thread) -> describe(thread, ahead))
			.toList();
		List<ServedQueue> queues = this.shards.all().stream().map(ServedShard::queue).distinct().toList();
		Map<String, Object> status = new LinkedHashMap<>();
		status.put("reportedAt", now);
		status.put("threadCount", all.size());
		status.put("threads", described);
		status.put("queues",
				queues.stream()
					.collect(Collectors.toMap(ServedQueue::name,
							(queue) -> describe(queue, now, nanos, running(queue, all, ahead)))));
		status.put("minutes", this.minutes.at(now, queues));
		return JsonMapper.shared().writeValueAsString(status);
	}

	private Map<String, Object> describe(ServedQueue queue, long now, long nanos, Map<String, RunningGroup> running) {
		RegisteredWorker.Settings settings = queue.worker().settings();
		RateLimit rate = settings.limits().rate();
		return Map.of("maxRetryCount", settings.maxRetryCount(), "shardConcurrency", settings.shardConcurrency(),
				"debounce", settings.gathering().debounce().toMillis(), "unreadableGrace",
				settings.failures().unreadableGrace().toMillis(), "shards", settings.shards(), "concurrency",
				settings.limits().concurrency(), "rate", text(rate), "starts",
				times(nextStarts(queue, nanos), MAX_STARTS, now, nanos), "limited", limited(queue, nanos), "groups",
				describeGroups(queue, now, nanos, running));
	}

	/** When shards of a queue with a rate may start their next job. */
	private Map<String, Long> nextStarts(ServedQueue queue, long nanos) {
		if (queue.worker().settings().limits().rate() == null) {
			return Map.of();
		}
		return this.lock.get(() -> {
			Map<String, Long> starts = new HashMap<>();
			for (HeldShard held : held(queue)) {
				long until = held.tasks().untilRoom(nanos);
				if (until < Long.MAX_VALUE) {
					starts.put(String.valueOf(held.shard().shard().index()), nanos + until);
				}
			}
			return starts;
		});
	}

	private List<HeldShard> held(ServedQueue queue) {
		return this.shards.ordered()
			.stream()
			.filter((shard) -> shard.queue() == queue)
			.flatMap((shard) -> Stream.ofNullable(shard.held()))
			.toList();
	}

	/** Shards whose due jobs are held back by the limits of their queue. */
	private List<Integer> limited(ServedQueue queue, long nanos) {
		return queue.worker().settings().limits().equals(Limits.NONE) ? List.of()
				: this.lock.get(() -> held(queue).stream()
					.filter((held) -> held.tasks().isLimited(nanos))
					.map((held) -> held.shard().shard().index())
					.limit(MAX_LIMITED)
					.toList());
	}

	private Map<String, Object> describeGroups(ServedQueue queue, long now, long nanos,
			Map<String, RunningGroup> running) {
		GroupPolicy groups = queue.groups();
		QueueTurns turns = this.shards.turns(queue);
		GroupSettings set = this.lock.get(turns::settings);
		return Map.of("separator", groups.separator(), "concurrency", groups.limits().concurrency(), "rate",
				text(groups.limits().rate()), "maxShare", groups.maxShare(), "waiting",
				times(queue.groupWaits().until(nanos), MAX_GROUPS, now, nanos), "running", running, "starts",
				times(this.lock.get(turns::nextStarts), MAX_STARTS, now, nanos), "paused",
				set.paused()
					.entrySet()
					.stream()
					.sorted(Map.Entry.comparingByValue(Comparator.comparingLong(Change::at)))
					.limit(MAX_GROUPS)
					.collect(Collectors.toMap(Map.Entry::getKey,
							(group) -> Map.of("by", group.getValue().by(), "at", group.getValue().at()))));
	}

	/** Times by the clock of the store, of times by the monotonic clock. */
	private static Map<String, Long> times(Map<String, Long> groups, int most, long now, long nanos) {
		return groups.entrySet()
			.stream()
			.filter((group) -> group.getValue() - nanos > 0)
			.sorted(Map.Entry.comparingByKey())
			.limit(most)
			.collect(Collectors.toMap(Map.Entry::getKey,
					(group) -> now + Duration.ofNanos(group.getValue() - nanos).toMillis()));
	}

	private Map<String, RunningGroup> running(ServedQueue queue, List<ThreadActivity.Snapshot> threads,
			Duration ahead) {
		GroupPolicy groups = queue.groups();
		Map<String, RunningGroup> running = new HashMap<>();
		if (groups.isAny()) {
			GroupSettings set = this.lock.get(this.shards.turns(queue)::settings);
			threads.stream()
				.filter((thread) -> thread.shard() != null && thread.shard().queue().equals(queue.name()))
				.forEach((thread) -> {
					long since = thread.since().plus(ahead).toEpochMilli();
					thread.ids()
						.stream()
						.map(groups::groupOf)
						.forEach((group) -> running.merge(group,
								new RunningGroup(1, since, since, set.concurrency(group)), RunningGroup::plus));
				});
		}
		return running.entrySet()
			.stream()
			.sorted(Map.Entry.comparingByValue(Comparator.comparingInt(RunningGroup::jobs).reversed()))
			.limit(MAX_RUNNING_GROUPS)
			.collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
	}

	private static String text(@Nullable RateLimit rate) {
		return (rate != null) ? rate.toString() : "";
	}

	private void takeStacks(Instant now) {
		if (Duration.between(this.stacksTakenAt, now).abs().compareTo(STACK_AGE) < 0) {
			return;
		}
		this.stacksTakenAt = now;
		Map<String, Stack> taken = new HashMap<>();
		this.threads.stream()
			.filter((thread) -> isLong(thread.snapshot(), now))
			.sorted(Comparator.comparing((thread) -> thread.snapshot().since()))
			.limit(MAX_STACKS)
			.forEach((thread) -> {
				ThreadActivity.Snapshot asked = thread.snapshot();
				List<StackTraceElement> frames = thread.stack();
				if (!frames.isEmpty() && thread.snapshot().equals(asked)) {
					taken.put(asked.name(), new Stack(asked.since(), now,
							frames.stream().limit(MAX_FRAMES).map(NodeDescription::text).toList()));
				}
			});
		this.stacks = taken;
	}

	private static boolean isLong(ThreadActivity.Snapshot thread, Instant now) {
		return !thread.ids().isEmpty() && Duration.between(thread.since(), now).compareTo(STACK_AGE) >= 0;
	}

	private static String text(StackTraceElement frame) {
		String text = "at " + frame;
		return (text.length() <= MAX_CHARACTERS) ? text : text.substring(0, MAX_CHARACTERS - 1) + "…";
	}

	private Map<String, Object> describe(ThreadActivity.Snapshot thread, Duration ahead) {
		Map<String, Object> description = new LinkedHashMap<>();
		description.put("name", thread.name());
		Shard shard = thread.shard();
		if (shard != null) {
			description.put("queue", shard.queue());
			description.put("shard", shard.index());
		}
		List<String> ids = thread.ids();
		description.put("ids", (ids.size() > MAX_IDS) ? ids.subList(0, MAX_IDS) : ids);
		if (ids.size() > MAX_IDS) {
			description.put("moreIds", ids.size() - MAX_IDS);
		}
		description.put("since", thread.since().plus(ahead).toEpochMilli());
		Stack stack = this.stacks.get(thread.name());
		if (stack != null && stack.since().equals(thread.since())) {
			description.put("stack",
					Map.of("takenAt", stack.at().plus(ahead).toEpochMilli(), "frames", stack.frames()));
		}
		return description;
	}

}
