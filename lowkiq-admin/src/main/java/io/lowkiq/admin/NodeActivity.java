package io.lowkiq.admin;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The activity of a node, by its last report. Nothing in a report is trusted: what can't
 * be read, or is too much, is left out.
 *
 * @param threadCount the number of threads that perform jobs; 0 if unknown
 * @param threads the threads; of a node with many, those that perform a job; empty if
 * there is no report that can be read
 * @param reportedAt when the node reported, in milliseconds since 1970 by the clock of
 * the store; 0 if unknown
 * @param queues what it says of the queues it serves, by name
 * @param minutes how long its performs took in the last full minutes, at most two
 * @param stacks where the threads are that have performed longest, by the thread's name
 */
public record NodeActivity(int threadCount, List<ThreadActivity> threads, long reportedAt,
		Map<String, QueueSettings> queues, List<Minute> minutes, Map<String, Stack> stacks) {

	private static final int MAX_THREADS = 1_000;

	private static final int MAX_IDS = 100;

	private static final int MAX_QUEUES = 10_000;

	private static final int MAX_MINUTES = 2;

	/** No node performs more in a minute. */
	private static final long MAX_PERFORMS = 10_000_000_000L;

	private static final int MAX_FRAMES = 100;

	private static final int MAX_CHARACTERS = 1_024;

	private static final int MAX_RATE = 40;

	private static final int MAX_GROUPS = 100;

	private static final int MAX_LIMITED = 1_000;

	private static final NodeActivity UNKNOWN = new NodeActivity(0, List.of(), 0, Map.of(), List.of(), Map.of());

	/**
	 * The activity of a thread.
	 *
	 * @param name the thread's name
	 * @param queue the queue whose job it performs; null if it waits
	 * @param shard the index of the shard; -1 if it waits
	 * @param ids the ids that it performs, or some of them
	 * @param moreIds how many ids of a batch are not among them
	 * @param since since when, in milliseconds since 1970; 0 if unknown
	 */
	public record ThreadActivity(String name, @Nullable String queue, int shard, List<String> ids, int moreIds,
			long since) {

		public boolean performs(Shard shard, String id) {
			return isOf(shard) && this.ids.contains(id);
		}

		public boolean isOf(Shard shard) {
			return shard.queue().equals(this.queue) && shard.index() == this.shard;
		}

	}

	/**
	 * A node's settings for a queue.
	 *
	 * @param maxRetryCount after how many retries a job is not tried again; -1 if unknown
	 * @param shardConcurrency how many performs of a shard it allows at a time; 0 for as
	 * many as it has threads
	 * @param debounce how long no payload may be enqueued for an id before it is
	 * performed, in milliseconds; 0 if it is performed at once
	 * @param unreadableGrace how long a payload that can't be read is tried again, in
	 * milliseconds; -1 if unknown
	 * @param concurrency how many jobs of the queue run at a time over all nodes; 0 for
	 * no limit
	 * @param shards the number of shards; 1 if unknown
	 * @param rate how many runs of the queue begin in a time over all nodes, as in
	 * properties; empty for no limit
	 * @param starts when shards that have used up their part of the rate may start their
	 * next job, in milliseconds since 1970, by their places
	 * @param limited the indexes of shards whose due jobs are held back by the limits of
	 * the queue
	 * @param groups how its ids form groups
	 */
	public record QueueSettings(int maxRetryCount, int shardConcurrency, long debounce, long unreadableGrace,
			int concurrency, int shards, String rate, Map<String, Long> starts, Set<Integer> limited, Groups groups) {

		/** How many runs of a shard it allows at a time; the largest number for any. */
		public int runsOf(Shard shard) {
			int share = new Limits(this.concurrency, null).concurrency(shard.index(), this.shards);
			return (this.shardConcurrency > 0) ? Math.min(this.shardConcurrency, share) : share;
		}

	}

	/**
	 * A node's settings for the groups of a queue.
	 *
	 * @param separator what separates the group of an id from the rest; empty without
	 * groups, or if unknown
	 * @param concurrency how many jobs of each group run at a time over all nodes; 0 for
	 * no limit
	 * @param rate how many runs of each group begin in a time over all nodes, as in
	 * properties; empty for no limit
	 * @param maxShare the maximum share of one group in the threads of a node, in
	 * percent; 100 for no limit, or if unknown
	 * @param waiting until when groups wait because a job has asked for it, in
	 * milliseconds since 1970, by group
	 * @param running what runs of the groups with the most running jobs, by group
	 * @param starts when groups that have used up their rate may start their next job, in
	 * milliseconds since 1970, by group
	 * @param paused the groups that operators have paused, at most 100, by group
	 */
	public record Groups(String separator, int concurrency, String rate, int maxShare, Map<String, Long> waiting,
			Map<String, RunningGroup> running, Map<String, Long> starts, Map<String, Change<Boolean>> paused) {

		/** No groups, or not known. */
		public static final Groups NONE = new Groups("", 0, "", 100, Map.of(), Map.of(), Map.of(), Map.of());

	}

	/**
	 * The running jobs of a group on a node.
	 *
	 * @param jobs how many
	 * @param since since when the oldest one runs, in milliseconds since 1970; 0 if
	 * unknown
	 * @param last since when the youngest one runs; 0 if unknown
	 * @param concurrency how many run at a time at most; 0 for no limit, or if unknown
	 */
	public record RunningGroup(int jobs, long since, long last, int concurrency) {

		/** Whether no other one may run. */
		public boolean isFull() {
			return this.concurrency > 0 && this.jobs >= this.concurrency;
		}

	}

	/**
	 * How long the runs of a minute took.
	 *
	 * @param minute minutes since 1970
	 * @param counts by queue: how many took less than 1 ms, and at place <i>n</i> how
	 * many took 2<sup>n-1</sup> ms or more, but less than 2<sup>n</sup> ms; the last one
	 * is not 0
	 */
	public record Minute(long minute, Map<String, List<Long>> counts) {

		/** The maximum number of counts. The last one is also of what took longer. */
		public static final int MAX_COUNTS = 31;

	}

	/**
	 * Where a thread was.
	 *
	 * @param takenAt when, in milliseconds since 1970
	 * @param frames the frames, the innermost first
	 */
	public record Stack(long takenAt, List<String> frames) {
	}

	/**
	 * The threads that perform a job.
	 * @return the threads
	 */
	public List<ThreadActivity> busy() {
		return this.threads.stream().filter((thread) -> !thread.ids().isEmpty()).toList();
	}

	/**
	 * Reads a report. One that can't be read says nothing.
	 * @param report what a node has reported; null if it has not
	 * @return what its threads do
	 */
	public static NodeActivity of(@Nullable String report) {
		if (report == null) {
			return UNKNOWN;
		}
		try {
			return of(JsonMapper.shared().readTree(report));
		}
		catch (JacksonException ex) {
			return UNKNOWN;
		}
	}

	private static NodeActivity of(JsonNode status) {
		List<ThreadActivity> threads = new ArrayList<>();
		Map<String, Stack> stacks = new LinkedHashMap<>();
		for (JsonNode thread : status.path("threads")) {
			if (threads.size() == MAX_THREADS) {
				break;
			}
			String queue = thread.path("queue").asString("");
			String name = thread.path("name").asString("");
			threads.add(new ThreadActivity(name, queue.isEmpty() ? null : queue, thread.path("shard").asInt(-1),
					texts(thread.path("ids"), MAX_IDS), Math.max(0, thread.path("moreIds").asInt(0)),
					time(thread.path("since"))));
			List<String> frames = texts(thread.path("stack").path("frames"), MAX_FRAMES);
			if (!frames.isEmpty()) {
				stacks.put(name, new Stack(time(thread.path("stack").path("takenAt")), frames));
			}
		}
		return new NodeActivity(Math.max(0, status.path("threadCount").asInt(threads.size())), List.copyOf(threads),
				time(status.path("reportedAt")), queues(status.path("queues")), minutes(status.path("minutes")),
				Map.copyOf(stacks));
	}

	private static Map<String, QueueSettings> queues(JsonNode queues) {
		Map<String, QueueSettings> settings = new LinkedHashMap<>();
		for (Map.Entry<String, JsonNode> queue : queues.properties()) {
			if (settings.size() < MAX_QUEUES) {
				settings.put(queue.getKey(),
						new QueueSettings(queue.getValue().path("maxRetryCount").asInt(-1),
								Math.max(0, queue.getValue().path("shardConcurrency").asInt(0)),
								Math.max(0, queue.getValue().path("debounce").asLong(0)),
								Math.max(-1, queue.getValue().path("unreadableGrace").asLong(-1)),
								Math.max(0, queue.getValue().path("concurrency").asInt(0)),
								Math.max(1, queue.getValue().path("shards").asInt(1)),
								LogText.of(queue.getValue().path("rate").asString(""), MAX_RATE),
								times(queue.getValue().path("starts")),
								queue.getValue()
									.path("limited")
									.valueStream()
									.limit(MAX_LIMITED)
									.map((shard) -> shard.asInt(-1))
									.collect(Collectors.toUnmodifiableSet()),
								groups(queue.getValue().path("groups"))));
			}
		}
		return Map.copyOf(settings);
	}

	private static Groups groups(JsonNode groups) {
		String separator = groups.path("separator").asString("");
		if (separator.length() > GroupPolicy.MAX_SEPARATOR) {
			return Groups.NONE;
		}
		Map<String, RunningGroup> running = new LinkedHashMap<>();
		for (Map.Entry<String, JsonNode> group : groups.path("running").properties()) {
			if (running.size() < MAX_GROUPS) {
				running.put(group.getKey(),
						new RunningGroup(Math.max(0, group.getValue().path("jobs").asInt(0)),
								Math.max(0, group.getValue().path("since").asLong(0)),
								Math.max(0, group.getValue().path("last").asLong(0)),
								Math.max(0, group.getValue().path("concurrency").asInt(0))));
			}
		}
		Map<String, Change<Boolean>> paused = new LinkedHashMap<>();
		for (Map.Entry<String, JsonNode> group : groups.path("paused").properties()) {
			if (paused.size() < MAX_GROUPS) {
				paused.put(group.getKey(), new Change<>(true, cut(group.getValue().path("by").asString("")),
						Math.max(0, group.getValue().path("at").asLong(0))));
			}
		}
		return new Groups(separator, Math.max(0, groups.path("concurrency").asInt(0)),
				LogText.of(groups.path("rate").asString(""), MAX_RATE),
				Math.min(100, Math.max(1, groups.path("maxShare").asInt(100))), times(groups.path("waiting")),
				Map.copyOf(running), times(groups.path("starts")), Map.copyOf(paused));
	}

	private static Map<String, Long> times(JsonNode groups) {
		Map<String, Long> times = new LinkedHashMap<>();
		for (Map.Entry<String, JsonNode> group : groups.properties()) {
			if (times.size() < MAX_GROUPS) {
				times.put(group.getKey(), Math.max(0, group.getValue().asLong(0)));
			}
		}
		return Map.copyOf(times);
	}

	private static List<Minute> minutes(JsonNode minutes) {
		List<Minute> all = new ArrayList<>();
		for (JsonNode minute : minutes) {
			if (all.size() == MAX_MINUTES) {
				break;
			}
			Map<String, List<Long>> counts = new LinkedHashMap<>();
			for (Map.Entry<String, JsonNode> queue : minute.path("queues").properties()) {
				List<Long> ofQueue = counts(queue.getValue());
				if (!ofQueue.isEmpty() && counts.size() < MAX_QUEUES) {
					counts.put(queue.getKey(), ofQueue);
				}
			}
			all.add(new Minute(minute.path("minute").asLong(-1), Map.copyOf(counts)));
		}
		return List.copyOf(all);
	}

	private static List<Long> counts(JsonNode queue) {
		List<Long> counts = new ArrayList<>();
		for (int place = 0; place < Minute.MAX_COUNTS; place++) {
			long count = queue.path(Integer.toString(place)).asLong(0);
			if (count > 0 && count <= MAX_PERFORMS) {
				counts.addAll(Collections.nCopies(place - counts.size(), 0L));
				counts.add(count);
			}
		}
		return List.copyOf(counts);
	}

	private static List<String> texts(JsonNode array, int most) {
		List<String> texts = new ArrayList<>();
		for (JsonNode text : array) {
			if (texts.size() < most) {
				texts.add(cut(text.asString("")));
			}
		}
		return List.copyOf(texts);
	}

	private static String cut(String text) {
		return (text.length() <= MAX_CHARACTERS) ? text : text.substring(0, MAX_CHARACTERS);
	}

	private static long time(JsonNode time) {
		if (time.isNumber()) {
			return time.asLong(0);
		}
		try {
			return Instant.parse(time.asString("")).toEpochMilli();
		}
		catch (DateTimeParseException | ArithmeticException ex) {
			return 0;
		}
	}

}
