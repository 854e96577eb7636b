package io.lowkiq.admin;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.lowkiq.Limits;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The activity of a node, by its last report. What a report doesn't say, or can't be
 * read, is unknown.
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
		JsonNode threads = status.path("threads");
		Map<String, Stack> stacks = threads.valueStream()
			.filter((thread) -> thread.path("stack").isObject())
			.collect(Collectors.toUnmodifiableMap((thread) -> thread.path("name").asString(""),
					(thread) -> new Stack(thread.path("stack").path("takenAt").asLong(0),
							texts(thread.path("stack").path("frames"))),
					(one, other) -> other));
		return new NodeActivity(status.path("threadCount").asInt(threads.size()),
				threads.valueStream().map(NodeActivity::thread).toList(), status.path("reportedAt").asLong(0),
				map(status.path("queues"), NodeActivity::queue),
				status.path("minutes")
					.valueStream()
					.map((minute) -> new Minute(minute.path("minute").asLong(-1),
							map(minute.path("queues"), NodeActivity::counts)))
					.toList(),
				stacks);
	}

	private static <T> Map<String, T> map(JsonNode object, Function<JsonNode, T> reader) {
		return object.properties()
			.stream()
			.collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, (entry) -> reader.apply(entry.getValue())));
	}

	private static ThreadActivity thread(JsonNode thread) {
		String queue = thread.path("queue").asString("");
		return new ThreadActivity(thread.path("name").asString(""), queue.isEmpty() ? null : queue,
				thread.path("shard").asInt(-1), texts(thread.path("ids")), thread.path("moreIds").asInt(0),
				thread.path("since").asLong(0));
	}

	private static List<String> texts(JsonNode array) {
		return array.valueStream().map((text) -> text.asString("")).toList();
	}

	private static QueueSettings queue(JsonNode queue) {
		return new QueueSettings(queue.path("maxRetryCount").asInt(-1), queue.path("shardConcurrency").asInt(0),
				queue.path("debounce").asLong(0), queue.path("unreadableGrace").asLong(-1),
				queue.path("concurrency").asInt(0), queue.path("shards").asInt(1), queue.path("rate").asString(""),
				times(queue.path("starts")),
				queue.path("limited")
					.valueStream()
					.map((shard) -> shard.asInt(-1))
					.collect(Collectors.toUnmodifiableSet()),
				groups(queue.path("groups")));
	}

	private static Groups groups(JsonNode groups) {
		return new Groups(groups.path("separator").asString(""), groups.path("concurrency").asInt(0),
				groups.path("rate").asString(""), groups.path("maxShare").asInt(100), times(groups.path("waiting")),
				map(groups.path("running"),
						(group) -> new RunningGroup(group.path("jobs").asInt(0), group.path("since").asLong(0),
								group.path("last").asLong(0), group.path("concurrency").asInt(0))),
				times(groups.path("starts")), map(groups.path("paused"),
						(group) -> new Change<>(true, group.path("by").asString(""), group.path("at").asLong(0))));
	}

	private static Map<String, Long> times(JsonNode times) {
		return map(times, (time) -> time.asLong(0));
	}

	private static List<Long> counts(JsonNode queue) {
		List<Long> counts = new ArrayList<>();
		for (int place = 0; place < Minute.MAX_COUNTS; place++) {
			long count = queue.path(Integer.toString(place)).asLong(0);
			if (count > 0) {
				counts.addAll(Collections.nCopies(place - counts.size(), 0L));
				counts.add(count);
			}
		}
		return List.copyOf(counts);
	}

}
