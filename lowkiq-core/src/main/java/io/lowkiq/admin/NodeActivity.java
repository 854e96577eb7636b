package io.lowkiq.admin;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the threads of a node do, by its last report.
 *
 * @param threadCount the number of threads that perform jobs; 0 if unknown
 * @param threads the threads; of a node with many, those that perform a job; empty if
 * there is no report that can be read
 */
public record NodeActivity(int threadCount, List<ThreadActivity> threads) {

	private static final NodeActivity UNKNOWN = new NodeActivity(0, List.of());

	/**
	 * What a thread does.
	 *
	 * @param name the thread's name
	 * @param queue the queue whose job it performs; null if it waits
	 * @param shard the index of the shard; -1 if it waits
	 * @param ids the ids that it performs
	 * @param since since when, in milliseconds since 1970; 0 if unknown
	 */
	public record ThreadActivity(String name, @Nullable String queue, int shard, List<String> ids, long since) {

		boolean performs(Shard shard, String id) {
			return isOf(shard) && this.ids.contains(id);
		}

		boolean isOf(Shard shard) {
			return shard.queue().equals(this.queue) && shard.index() == this.shard;
		}

	}

	/** The threads that perform a job. */
	List<ThreadActivity> busy() {
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
			JsonNode status = JsonMapper.shared().readTree(report);
			List<ThreadActivity> threads = new ArrayList<>();
			for (JsonNode thread : status.path("threads")) {
				List<String> ids = new ArrayList<>();
				thread.path("ids").forEach((id) -> ids.add(id.asString("")));
				String queue = thread.path("queue").asString("");
				threads.add(new ThreadActivity(thread.path("name").asString(""), queue.isEmpty() ? null : queue,
						thread.path("shard").asInt(-1), List.copyOf(ids), time(thread.path("since"))));
			}
			return new NodeActivity(status.path("threadCount").asInt(threads.size()), List.copyOf(threads));
		}
		catch (JacksonException ex) {
			return UNKNOWN;
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
