package io.lowkiq.simulation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Looks at all data of Redis, without a network: what is left, whether counts equal what
 * is there, and whether every key belongs to something.
 */
final class EndCheck {

	private static final Set<String> FIXED = Set.of("meta", "jobs", "ready", "delayed", "suspects", "busy", "retries",
			"morgue", "morgue-times", "follow-ups", "resting", "void", "turns");

	/** No list of a run is longer. */
	private static final int MOST = 1_000;

	private static final Set<String> COMMON = Set.of("lowkiq:{queues}", "lowkiq:{nodes}");

	/** Settings of groups, which stay as long as their queue is recorded. */
	private static final Pattern OF_GROUPS = Pattern.compile("lowkiq:\\{queues}:group(s|-changes):\\d+:.*");

	private static final Pattern OF_SHARD = Pattern.compile("lowkiq:\\{(\\w+):(\\d+):(\\d+)}:(.*)", Pattern.DOTALL);

	private static final Pattern NUMBER = Pattern.compile(".*\"number\":(\\d+)", Pattern.DOTALL);

	private final InMemoryRedis server;

	private final RedisStore store;

	private final List<Shard> shards;

	EndCheck(InMemoryRedis server, List<Shard> shards) {
		this.server = server;
		this.store = server.store();
		this.shards = shards;
	}

	/** How many jobs are queued or busy, or follow others. */
	long left() {
		return busy() + sum((counts) -> counts.queued() + counts.followUps());
	}

	/** How many jobs are busy. */
	long busy() {
		return sum(ShardCounts::busy);
	}

	private long sum(ToLongFunction<ShardCounts> jobs) {
		return this.shards.stream().map(this.store.inspection()::counts).mapToLong(jobs).sum();
	}

	/** Names what is left, and what is dead. */
	List<Event> events(long time) {
		List<Event> events = new ArrayList<>();
		for (Shard shard : this.shards) {
			for (JobList list : List.of(JobList.QUEUED, JobList.BUSY)) {
				list(shard, list).forEach((job) -> events.add(new Event.FoundLeft(time, shard.queue(), job.id())));
			}
			if (this.store.inspection().counts(shard).followUps() > 0) {
				events.add(new Event.FoundLeft(time, shard.queue(), "follow-ups"));
			}
			for (JobView job : list(shard, JobList.DEAD)) {
				for (Payload payload : job.payloads()) {
					Matcher number = NUMBER.matcher(new String(payload.bytes(), StandardCharsets.UTF_8));
					if (number.find()) {
						events.add(new Event.FoundDead(time, shard.queue(), job.id(), Long.parseLong(number.group(1))));
					}
				}
			}
		}
		return events;
	}

	/** Names what doesn't fit together. */
	void check(Consumer<String> problems) {
		for (Shard shard : this.shards) {
			ShardCounts counts = counts(shard);
			expect(shard + " queued", list(shard, JobList.QUEUED).size(), counts.queued(), problems);
			expect(shard + " busy", list(shard, JobList.BUSY).size(), counts.busy(), problems);
			expect(shard + " dead", list(shard, JobList.DEAD).size(), counts.dead(), problems);
			expect(shard + " retries", list(shard, JobList.RETRIES).size(), counts.retry(), problems);
			checkOnePlace(shard, problems);
		}
		for (String key : new TreeSet<>(this.server.faults().snapshot().keys())) {
			checkKey(key, problems);
		}
	}

	private static void expect(String what, long found, long counted, Consumer<String> problems) {
		if (found != counted) {
			problems.accept("%s: %d counted, %d found".formatted(what, counted, found));
		}
	}

	/** A job that waits is in one list, or behind its busy id. */
	private void checkOnePlace(Shard shard, Consumer<String> problems) {
		Set<String> places = new HashSet<>();
		for (JobList list : List.of(JobList.READY, JobList.DELAYED, JobList.SUSPECTS)) {
			for (JobView job : list(shard, list)) {
				if (!places.add(job.id())) {
					problems.accept("%s/%s is in two places".formatted(shard, job.id()));
				}
			}
		}
		list(shard, JobList.BUSY).forEach((job) -> places.add(job.id()));
		Map<String, Integer> elements = elements(shard);
		for (JobView job : list(shard, JobList.READY)) {
			if (elements.getOrDefault(job.id(), 0) <= 0) {
				problems.accept("%s/%s is ready, and in no list".formatted(shard, job.id()));
			}
		}
		for (JobView job : list(shard, JobList.QUEUED)) {
			if (!places.contains(job.id())) {
				problems.accept("%s/%s is in no place".formatted(shard, job.id()));
			}
		}
	}

	/** How many elements of each id are in the lists and aren't void. */
	private Map<String, Integer> elements(Shard shard) {
		String base = "lowkiq:{%s:%d:%d}:".formatted(shard.queue(), shard.generation(), shard.index());
		Map<String, Integer> elements = new HashMap<>();
		Stream
			.concat(Stream.of(base + "ready"),
					this.server.faults().snapshot().keys().stream().filter((key) -> key.startsWith(base + "g:")))
			.flatMap((list) -> call("LRANGE", list, "0", "-1").stream())
			.forEach((id) -> elements.merge(id, 1, Integer::sum));
		List<String> counts = call("HGETALL", base + "void");
		for (int i = 0; i < counts.size(); i += 2) {
			elements.merge(counts.get(i), -Integer.parseInt(counts.get(i + 1)), Integer::sum);
		}
		return elements;
	}

	private List<String> call(String... command) {
		byte[][] call = Arrays.stream(command)
			.map((text) -> text.getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
		List<?> reply = (List<?>) Objects.requireNonNull(this.server.call(call).join());
		return reply.stream().map((element) -> new String((byte[]) element, StandardCharsets.UTF_8)).toList();
	}

	private void checkKey(String key, Consumer<String> problems) {
		Matcher ofShard = OF_SHARD.matcher(key);
		if (!ofShard.matches()) {
			if (!COMMON.contains(key) && !OF_GROUPS.matcher(key).matches()) {
				problems.accept("The key %s belongs to nothing".formatted(key));
			}
			return;
		}
		Shard shard = shardOf(ofShard);
		String name = ofShard.group(4);
		boolean belongs = switch (name.substring(0, Math.min(2, name.length()))) {
			case "p:" -> isIn(shard, JobView.State.QUEUED, name.substring(2));
			case "g:" -> isInTurn(key.substring(0, key.length() - name.length()));
			case "d:" -> isIn(shard, JobView.State.DEAD, name.substring(2));
			default -> FIXED.contains(name);
		};
		if (!belongs) {
			problems.accept("The key %s belongs to nothing".formatted(key));
		}
	}

	/** The shard of a key; null if it is of none. */
	static @Nullable Shard shardOf(String key) {
		Matcher ofShard = OF_SHARD.matcher(key);
		return ofShard.matches() ? shardOf(ofShard) : null;
	}

	private static Shard shardOf(Matcher key) {
		return new Shard(key.group(1), Integer.parseInt(key.group(2)), Integer.parseInt(key.group(3)));
	}

	/** A group with a list waits for its turn. */
	private boolean isInTurn(String base) {
		return this.server.faults().snapshot().keys().contains(base + "turns");
	}

	private boolean isIn(Shard shard, JobView.State state, String id) {
		return this.store.inspection().find(shard, state, id, 1).isPresent();
	}

	/** The counts of a shard. */
	ShardCounts counts(Shard shard) {
		return this.store.inspection().counts(shard);
	}

	/** The number of busy jobs of a shard. */
	long busy(Shard shard) {
		byte[] key = "lowkiq:{%s:%d:%d}:busy".formatted(shard.queue(), shard.generation(), shard.index())
			.getBytes(StandardCharsets.UTF_8);
		return (Long) Objects.requireNonNull(this.server.call("HLEN".getBytes(StandardCharsets.UTF_8), key).join());
	}

	/** A list of jobs of a shard. */
	List<JobView> list(Shard shard, JobList list) {
		return this.store.inspection().list(shard, new JobQuery(list, false, null, null, MOST, MOST)).jobs();
	}

}
