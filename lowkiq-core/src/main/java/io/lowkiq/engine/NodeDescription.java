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

import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.Shard;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the node says of itself: to the other nodes, and to people.
 */
final class NodeDescription {

	private static final int MAX_IDS = 10;

	/** A node with more threads reports those that perform. */
	private static final int MAX_THREADS = 100;

	/** Of so many threads, those that have performed longest, the stacks are reported. */
	private static final int MAX_STACKS = 10;

	private static final int MAX_FRAMES = 40;

	private static final int MAX_CHARACTERS = 300;

	/** A perform that is younger has no stack; one that has is asked as seldom. */
	private static final Duration STACK_AGE = Duration.ofSeconds(10);

	private final JsonMapper json = JsonMapper.shared();

	private final String node;

	private final Instant startedAt;

	private final Duration leaseDuration;

	private final ServedShards shards;

	private final List<ThreadActivity> threads;

	private final Lifecycle lifecycle;

	private final InstantSource clock;

	/** Used by the thread that reports, as the next two. */
	private final PerformMinutes minutes = new PerformMinutes();

	/** The last stacks by the names of their threads. */
	private Map<String, Stack> stacks = Map.of();

	private Instant stacksTakenAt = Instant.EPOCH;

	/**
	 * Where a thread was.
	 *
	 * @param since since when it had performed
	 * @param at when it was asked
	 * @param frames the frames
	 */
	private record Stack(Instant since, Instant at, List<String> frames) {
	}

	NodeDescription(String node, Instant startedAt, Duration leaseDuration, ServedShards shards,
			List<ThreadActivity> threads, Lifecycle lifecycle, InstantSource clock) {
		this.node = node;
		this.startedAt = startedAt;
		this.leaseDuration = leaseDuration;
		this.shards = shards;
		this.threads = threads;
		this.lifecycle = lifecycle;
		this.clock = clock;
	}

	NodeInfo info() {
		boolean stopping = this.lifecycle.isQuiet();
		boolean shares = !stopping && this.shards.isShared();
		return new NodeInfo(this.node, this.startedAt.toEpochMilli(), this.leaseDuration,
				shares ? this.shards.queues() : Set.of(), stopping);
	}

	/**
	 * What the node does, as JSON.
	 * @param now the time of the store, which all times in it go by
	 */
	String status(long now) {
		Instant own = this.clock.instant();
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
		status.put("version", NodeDescription.class.getPackage().getImplementationVersion());
		status.put("reportedAt", now);
		status.put("threadCount", all.size());
		status.put("threads", described);
		status.put("queues", queues.stream().collect(Collectors.toMap(ServedQueue::name, NodeDescription::describe)));
		status.put("minutes", this.minutes.at(now, queues));
		return this.json.writeValueAsString(status);
	}

	private static Map<String, Object> describe(ServedQueue queue) {
		return Map.of("maxRetryCount", queue.worker().settings().maxRetryCount(), "shardConcurrency",
				queue.worker().settings().shardConcurrency());
	}

	/** Asks the threads that have performed longest, but each seldom. */
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
		description.put("since", thread.since().plus(ahead).toString());
		Stack stack = this.stacks.get(thread.name());
		if (stack != null && stack.since().equals(thread.since())) {
			description.put("stack",
					Map.of("takenAt", stack.at().plus(ahead).toEpochMilli(), "frames", stack.frames()));
		}
		return description;
	}

}
