package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.redis.inmemory.InMemoryRedis;
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
final class RedisLayoutCheck {

	private static final Set<String> FIXED = Set.of("meta", "jobs", "ready", "delayed", "suspects", "busy", "retries",
			"morgue", "morgue-times", "follow-ups", "resting", "void", "calls", "turns");

	/** More void entries than this are swept. */
	private static final int MANY_VOID = 4_000;

	private final TestedStore store;

	RedisLayoutCheck(TestedStore store) {
		this.store = store;
	}

	void check(Keys keys) {
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
		Map<String, Integer> elements = new HashMap<>(keys.counts("void"));
		elements.replaceAll((id, count) -> -count);
		ready.forEach((id) -> elements.merge(id, 1, Integer::sum));
		assertThat(list(JobList.READY).keySet()).as("Ready ids have an element that isn't void")
			.allMatch((id) -> elements.getOrDefault(id, 0) > 0);
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
	 * The keys of the shard, by their names without what these begin with. Ids and groups
	 * are read byte by byte.
	 */
	interface Keys {

		/** What the names of the keys begin with, after the prefix. */
		String BASE = ":{" + StoreContract.SHARD + "}:";

		Set<String> names();

		List<String> elements(String list);

		/** The fields of a hash. */
		Set<String> fields(String hash);

		/** The fields of a hash whose values are numbers. */
		Map<String, Integer> counts(String hash);

		/** The members of a sorted set with their scores, which are whole numbers. */
		Map<String, Long> scores(String set);

	}

	/**
	 * Keys in Redis.
	 *
	 * @param connections where they are
	 * @param prefix what their names begin with
	 */
	record InRedis(RedisConnectionFactory connections, String prefix) implements Keys {

		private <T> T read(Function<RedisConnection, T> read) {
			try (RedisConnection redis = this.connections.getConnection()) {
				return read.apply(redis);
			}
		}

		private byte[] key(String name) {
			return (this.prefix + BASE + name).getBytes(StandardCharsets.ISO_8859_1);
		}

		@Override
		public Set<String> names() {
			return read((redis) -> redis.keyCommands().keys(key("*"))).stream()
				.map((key) -> latin(key).substring(key("").length))
				.collect(Collectors.toSet());
		}

		@Override
		public List<String> elements(String list) {
			return read((redis) -> redis.listCommands().lRange(key(list), 0, -1)).stream()
				.map(RedisLayoutCheck::latin)
				.toList();
		}

		@Override
		public Set<String> fields(String hash) {
			return read((redis) -> redis.hashCommands().hKeys(key(hash))).stream()
				.map(RedisLayoutCheck::latin)
				.collect(Collectors.toSet());
		}

		@Override
		public Map<String, Integer> counts(String hash) {
			return read((redis) -> redis.hashCommands().hGetAll(key(hash))).entrySet()
				.stream()
				.collect(Collectors.toMap((field) -> latin(field.getKey()),
						(field) -> Integer.valueOf(latin(field.getValue()))));
		}

		@Override
		public Map<String, Long> scores(String set) {
			return read((redis) -> redis.zSetCommands().zRangeWithScores(key(set), 0, -1)).stream()
				.collect(Collectors.toMap((tuple) -> latin(tuple.getValue()), (tuple) -> tuple.getScore().longValue()));
		}

	}

	/**
	 * Keys in a Redis in the JVM.
	 *
	 * @param server where they are
	 */
	record InMemory(InMemoryRedis server) implements Keys {

		private static final String START = "lowkiq" + BASE;

		private List<String> call(String command, String name, String... arguments) {
			byte[][] call = Stream.concat(Stream.of(command, START + name), Arrays.stream(arguments))
				.map((text) -> text.getBytes(StandardCharsets.ISO_8859_1))
				.toArray(byte[][]::new);
			List<?> reply = (List<?>) Objects.requireNonNull(this.server.call(call).join());
			return reply.stream().map((element) -> latin((byte[]) element)).toList();
		}

		private <T> Map<String, T> pairs(List<String> flat, Function<String, T> value) {
			return IntStream.range(0, flat.size() / 2)
				.boxed()
				.collect(Collectors.toMap((i) -> flat.get(2 * i), (i) -> value.apply(flat.get(2 * i + 1))));
		}

		@Override
		public Set<String> names() {
			return this.server.faults()
				.snapshot()
				.keys()
				.stream()
				.filter((key) -> key.startsWith(START))
				.map((key) -> latin(key.substring(START.length()).getBytes(StandardCharsets.UTF_8)))
				.collect(Collectors.toSet());
		}

		@Override
		public List<String> elements(String list) {
			return call("LRANGE", list, "0", "-1");
		}

		@Override
		public Set<String> fields(String hash) {
			return Set.copyOf(call("HKEYS", hash));
		}

		@Override
		public Map<String, Integer> counts(String hash) {
			return pairs(call("HGETALL", hash), Integer::valueOf);
		}

		@Override
		public Map<String, Long> scores(String set) {
			return pairs(call("ZRANGE", set, "0", "-1", "WITHSCORES"),
					(score) -> score.equals("inf") ? Long.MAX_VALUE : (long) Double.parseDouble(score));
		}

	}

}
