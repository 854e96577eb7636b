package io.lowkiq.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import tools.jackson.databind.json.JsonMapper;

import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.Shard;

/**
 * What the node tells the others of itself with every heartbeat.
 */
final class NodeDescription {

	private static final int MOST_IDS = 10;

	private final JsonMapper json = JsonMapper.shared();

	private final String node;

	private final Instant startedAt;

	private final ServedShards shards;

	private final Supplier<List<ServerStatus.ThreadStatus>> threads;

	private final Lifecycle lifecycle;

	NodeDescription(String node, Instant startedAt, ServedShards shards,
			Supplier<List<ServerStatus.ThreadStatus>> threads, Lifecycle lifecycle) {
		this.node = node;
		this.startedAt = startedAt;
		this.shards = shards;
		this.threads = threads;
		this.lifecycle = lifecycle;
	}

	NodeInfo info() {
		List<Map<String, Object>> described = this.threads.get().stream().map(NodeDescription::describe).toList();
		boolean shares = !this.lifecycle.isQuiet() && !this.shards.isFixed();
		return new NodeInfo(this.node, this.startedAt.toEpochMilli(), shares ? this.shards.queues() : List.of(),
				this.json.writeValueAsString(Map.of("threads", described)));
	}

	private static Map<String, Object> describe(ServerStatus.ThreadStatus thread) {
		Map<String, Object> description = new LinkedHashMap<>();
		description.put("name", thread.name());
		Shard shard = thread.shard();
		if (shard != null) {
			description.put("queue", shard.queue());
			description.put("shard", shard.index());
		}
		List<String> ids = new ArrayList<>(thread.ids());
		description.put("ids", (ids.size() > MOST_IDS) ? ids.subList(0, MOST_IDS) : ids);
		description.put("since", thread.since().toString());
		return description;
	}

}
