package io.lowkiq.dashboard;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the threads of a node do, as the node told with its last heartbeat.
 *
 * @param threads the threads; empty if the node told nothing that can be read
 */
record NodeActivity(List<ThreadActivity> threads) {

	/**
	 * What a thread does.
	 *
	 * @param name the thread's name
	 * @param queue the queue of its shard; null if it waits
	 * @param shard the index of its shard; -1 if it waits
	 * @param ids the ids that it performs
	 * @param since since when, in milliseconds since 1970; 0 if unknown
	 */
	record ThreadActivity(String name, @Nullable String queue, int shard, List<String> ids, long since) {

		boolean performs(Shard shard, String id) {
			return shard.queue().equals(this.queue) && shard.index() == this.shard && this.ids.contains(id);
		}

	}

	static NodeActivity of(NodeInfo info) {
		try {
			List<ThreadActivity> threads = new ArrayList<>();
			for (JsonNode thread : JsonMapper.shared().readTree(info.status()).path("threads")) {
				List<String> ids = new ArrayList<>();
				thread.path("ids").forEach((id) -> ids.add(id.asString("")));
				String queue = thread.path("queue").asString("");
				threads.add(new ThreadActivity(thread.path("name").asString(""), queue.isEmpty() ? null : queue,
						thread.path("shard").asInt(-1), List.copyOf(ids), time(thread.path("since"))));
			}
			return new NodeActivity(List.copyOf(threads));
		}
		catch (JacksonException ex) {
			return new NodeActivity(List.of());
		}
	}

	private static long time(JsonNode since) {
		if (since.isNumber()) {
			return since.asLong(0);
		}
		try {
			return Instant.parse(since.asString("")).toEpochMilli();
		}
		catch (DateTimeParseException ex) {
			return 0;
		}
	}

}
