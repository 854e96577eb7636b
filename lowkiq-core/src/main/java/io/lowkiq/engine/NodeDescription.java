package io.lowkiq.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.Shard;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the node says of itself: to the other nodes, and to people.
 */
final class NodeDescription {

	private static final int MOST_IDS = 10;

	/** A node with more threads reports those that perform. */
	private static final int MOST_THREADS = 100;

	private final JsonMapper json = JsonMapper.shared();

	private final String node;

	private final Instant startedAt;

	private final Duration leaseDuration;

	private final ServedShards shards;

	private final Supplier<List<ThreadActivity.Snapshot>> threads;

	private final Lifecycle lifecycle;

	NodeDescription(String node, Instant startedAt, Duration leaseDuration, ServedShards shards,
			Supplier<List<ThreadActivity.Snapshot>> threads, Lifecycle lifecycle) {
		this.node = node;
		this.startedAt = startedAt;
		this.leaseDuration = leaseDuration;
		this.shards = shards;
		this.threads = threads;
		this.lifecycle = lifecycle;
	}

	NodeInfo info() {
		boolean stopping = this.lifecycle.isQuiet();
		boolean shares = !stopping && this.shards.isShared();
		return new NodeInfo(this.node, this.startedAt.toEpochMilli(), this.leaseDuration,
				shares ? this.shards.queues() : Set.of(), stopping);
	}

	/** What the threads do, as JSON. */
	String status() {
		List<ThreadActivity.Snapshot> all = this.threads.get();
		List<Map<String, Object>> described = all.stream()
			.filter((thread) -> all.size() <= MOST_THREADS || !thread.ids().isEmpty())
			.limit(MOST_THREADS)
			.map(NodeDescription::describe)
			.toList();
		Map<String, Object> status = new LinkedHashMap<>();
		status.put("threadCount", all.size());
		status.put("threads", described);
		return this.json.writeValueAsString(status);
	}

	private static Map<String, Object> describe(ThreadActivity.Snapshot thread) {
		Map<String, Object> description = new LinkedHashMap<>();
		description.put("name", thread.name());
		Shard shard = thread.shard();
		if (shard != null) {
			description.put("queue", shard.queue());
			description.put("shard", shard.index());
		}
		List<String> ids = thread.ids();
		description.put("ids", (ids.size() > MOST_IDS) ? ids.subList(0, MOST_IDS) : ids);
		description.put("since", thread.since().toString());
		return description;
	}

}
