package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the keys of a shard in Redis against each other and against what the storage
 * says: each queued id is in the one index of its place, and no index names another id.
 * Ids are read byte by byte.
 */
final class RedisLayoutCheck implements Runnable {

	private static final Set<String> FIXED = Set.of("meta", "jobs", "ready", "delayed", "suspects", "busy", "retries",
			"morgue", "morgue-times", "follow-ups", "resting", "void", "calls", "turns");

	/** More void entries than this are swept. */
	private static final int MANY_VOID = 4_000;

	private final RedisConnectionFactory connections;

	private final String base;

	private final TestedStore store;

	RedisLayoutCheck(RedisConnectionFactory connections, String prefix, TestedStore store) {
		this.connections = connections;
		this.base = prefix + ":{" + StoreContract.SHARD + "}:";
		this.store = store;
	}

	@Override
	public void run() {
		try (RedisConnection redis = this.connections.getConnection()) {
			check(new Keys(redis, this.base));
		}
	}

	private void check(Keys keys) {
		Map<String, JobView> queued = list(JobList.QUEUED);
		Map<String, JobView> dead = list(JobList.DEAD);
		Set<String> busy = keys.fields("busy");
		Map<String, Long> delayed = keys.scores("delayed");
		Map<String, Long> suspects = keys.scores("suspects");
		List<String> ready = new ArrayList<>(keys.elements("ready"));
		keys.names()
			.stream()
			.filter((name) -> name.startsWith("g:"))
			.forEach((name) -> ready.addAll(keys.elements(name)));
		assertThat(keys.scores("turns").keySet()).as("Groups with a list")
			.isEqualTo(keys.names()
				.stream()
				.filter((name) -> name.startsWith("g:"))
				.map((name) -> name.substring(2))
				.collect(Collectors.toSet()));
		assertThat(keys.fields("jobs")).isEqualTo(queued.keySet());
		assertThat(busy).isEqualTo(list(JobList.BUSY).keySet());
		assertThat(delayed).isEqualTo(times(queued, (job) -> delayed.containsKey(job)));
		assertThat(suspects).isEqualTo(times(queued, (job) -> suspects.containsKey(job)));
		assertThat(keys.scores("retries")).isEqualTo(queued.entrySet()
			.stream()
			.filter((job) -> job.getValue().retryCount() >= 0 && job.getValue().performAt() != Long.MAX_VALUE)
			.collect(Collectors.toMap(Map.Entry::getKey, (job) -> (long) job.getValue().retryCount())));
		assertThat(delayed).doesNotContainKeys(suspects.keySet().toArray(String[]::new));
		assertThat(busy).as("Busy ids are in no index")
			.noneMatch(delayed::containsKey)
			.noneMatch(suspects::containsKey);
		Set<String> indexed = Stream.of(delayed.keySet(), suspects.keySet(), new HashSet<>(ready), busy)
			.flatMap(Set::stream)
			.collect(Collectors.toSet());
		assertThat(indexed).as("Queued ids are in an index, or behind").containsAll(queued.keySet());
		assertThat(ready).as("Entries").hasSizeLessThanOrEqualTo(2 * queued.size() + MANY_VOID);
		assertThat(keys.fields("morgue")).isEqualTo(dead.keySet());
		assertThat(keys.scores("morgue-times")).isEqualTo(times(dead, (job) -> true));
		checkPayloadSets(keys, queued, dead);
	}

	private static void checkPayloadSets(Keys keys, Map<String, JobView> queued, Map<String, JobView> dead) {
		for (String name : keys.names()) {
			if (name.startsWith("p:")) {
				assertThat(queued).containsKey(name.substring(2));
				assertThat(keys.scores(name)).hasSize((int) queued.get(name.substring(2)).payloadCount());
			}
			else if (name.startsWith("d:")) {
				assertThat(dead).containsKey(name.substring(2));
				assertThat(keys.scores(name)).hasSize((int) dead.get(name.substring(2)).payloadCount());
			}
			else if (!name.startsWith("g:")) {
				assertThat(FIXED).contains(name);
			}
		}
		Set<String> names = keys.names();
		assertThat(queued.values()).filteredOn((job) -> job.payloadCount() > 1)
			.extracting((job) -> "p:" + latin(job.id().getBytes(StandardCharsets.UTF_8)))
			.allMatch(names::contains);
	}

	private static Map<String, Long> times(Map<String, JobView> jobs, Predicate<String> selection) {
		return jobs.entrySet()
			.stream()
			.filter((job) -> selection.test(job.getKey()))
			.collect(Collectors.toMap(Map.Entry::getKey, (job) -> job.getValue().performAt()));
	}

	private Map<String, JobView> list(JobList list) {
		return ListedJobs.of(this.store, new JobQuery(list, false, null, null, 1_000, 0))
			.stream()
			.collect(Collectors.toMap((job) -> latin(job.id().getBytes(StandardCharsets.UTF_8)), (job) -> job));
	}

	private static String latin(byte[] bytes) {
		return new String(bytes, StandardCharsets.ISO_8859_1);
	}

	/**
	 * The keys of the shard, without what their names begin with.
	 *
	 * @param redis where they are
	 * @param base what their names begin with
	 */
	private record Keys(RedisConnection redis, String base) {

		private byte[] key(String name) {
			return (this.base + name).getBytes(StandardCharsets.ISO_8859_1);
		}

		Set<String> names() {
			return this.redis.keyCommands()
				.keys(key("*"))
				.stream()
				.map((key) -> latin(key).substring(this.base.length()))
				.collect(Collectors.toSet());
		}

		Set<String> fields(String name) {
			return this.redis.hashCommands()
				.hKeys(key(name))
				.stream()
				.map(RedisLayoutCheck::latin)
				.collect(Collectors.toSet());
		}

		List<String> elements(String name) {
			return this.redis.listCommands().lRange(key(name), 0, -1).stream().map(RedisLayoutCheck::latin).toList();
		}

		/** The members of a sorted set with their scores, which are whole numbers. */
		Map<String, Long> scores(String name) {
			return this.redis.zSetCommands()
				.zRangeWithScores(key(name), 0, -1)
				.stream()
				.collect(Collectors.toMap((tuple) -> latin(tuple.getValue()), (tuple) -> tuple.getScore().longValue()));
		}

	}

}
