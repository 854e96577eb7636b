package io.lowkiq.testing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lowkiq.QueueDeclaration;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.GroupTurns;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.Failure;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.NodeInfo;
import org.jspecify.annotations.Nullable;

/** A queue that a test fills with jobs in whatever state it wants to look at. */
public final class TestQueue {

	/** The error of a failed job in a test. */
	public static final String ERROR = """
			java.lang.IllegalStateException: the order is locked
			\tat com.example.orders.OrderWorker.perform(OrderWorker.java:42)
			\tat com.example.orders.OrderWorker.perform(OrderWorker.java:17)
			Caused by: java.sql.SQLException: deadlock detected
			\t... 12 more""";

	private final RedisStore store;

	private final QueueLayout layout;

	private final Map<Shard, Lease> leases = new LinkedHashMap<>();

	private final Map<Shard, Long> sequences = new LinkedHashMap<>();

	private final Map<Shard, Integer> busy = new LinkedHashMap<>();

	private final String session = UUID.randomUUID().toString();

	public TestQueue(RedisStore store, String name, int shards) {
		this(store, new QueueDeclaration(name, shards));
	}

	public TestQueue(RedisStore store, QueueDeclaration declared) {
		this.store = store;
		this.layout = store.queues().register(declared);
	}

	public QueueLayout layout() {
		return this.layout;
	}

	public TestQueue enqueue(String... ids) {
		return enqueue((id) -> NewPayload.of(id, payload(id)), ids);
	}

	public TestQueue enqueue(Function<String, NewPayload> payload, String... ids) {
		Map<Shard, List<NewPayload>> byShard = Arrays.stream(ids)
			.collect(Collectors.groupingBy(this.layout::shardOf, Collectors.mapping(payload, Collectors.toList())));
		byShard.forEach((shard, payloads) -> {
			for (int from = 0; from < payloads.size(); from += 1_000) {
				this.store.shards().enqueue(shard, payloads.subList(from, Math.min(from + 1_000, payloads.size())));
			}
		});
		return this;
	}

	/** Adds jobs to the next generation, as if the record came from a backup. */
	public TestQueue strand(String... ids) {
		QueueLayout later = new QueueLayout(this.layout.name(), this.layout.generation() + 1, this.layout.shards());
		for (String id : ids) {
			this.store.actions().pause(later.shardOf(id), false);
			this.store.shards().enqueue(later.shardOf(id), List.of(NewPayload.of(id, payload(id))));
		}
		return this;
	}

	public TestQueue fail(String... ids) {
		return finish((id) -> new Outcome.Retry(id, Duration.ofMinutes(5).toMillis(), ERROR), ids);
	}

	public TestQueue failWith(String error, String... ids) {
		return failWith(new Failure(error), ids);
	}

	public TestQueue failWith(Failure failure, String... ids) {
		return finish((id) -> new Outcome.Retry(id, Duration.ofMinutes(5).toMillis(), failure, false), ids);
	}

	public TestQueue buryWith(String error, String... ids) {
		return buryWith(new Failure(error), ids);
	}

	public TestQueue buryWith(Failure failure, String... ids) {
		return finish((id) -> new Outcome.PartlyDone(id, List.of(), List.of(0), failure, true), ids);
	}

	public TestQueue exhaustMemory(String... ids) {
		return finish((id) -> new Outcome.Retry(id, Duration.ofMinutes(5).toMillis(), ERROR, true), ids);
	}

	public TestQueue bury(String... ids) {
		return finish((id) -> new Outcome.PartlyDone(id, List.of(), List.of(0), ERROR, true), ids);
	}

	/** Jobs whose payloads no node could read until now. They are tried again at once. */
	public TestQueue unreadable(String... ids) {
		return finish((id) -> new Outcome.Unreadable(id, 0, "No enum constant 'LATE'"), ids);
	}

	public TestQueue hold(String... ids) {
		return finish((id) -> new Outcome.Hold(id, ERROR), ids);
	}

	public TestQueue done(String... ids) {
		return finish(Outcome.Done::new, ids);
	}

	/** Completes a job that others follow. They wait, since nobody moves them. */
	public TestQueue done(String id, List<FollowUp> next) {
		Shard shard = this.layout.shardOf(id);
		enqueue(id);
		fetch(shard);
		List<Outcome> outcomes = new ArrayList<>();
		next.forEach((each) -> outcomes.add(new Outcome.FollowUp(id, outcomes.size() + 1L, each)));
		outcomes.add(new Outcome.Done(id));
		call(shard, outcomes, Fetch.NONE);
		// Only one of the outcomes ends a busy job
		this.busy.merge(shard, next.size(), Integer::sum);
		return this;
	}

	/** Enqueues jobs, has them fetched, and leaves them busy. */
	public TestQueue busy(String... ids) {
		enqueue(ids);
		for (Shard shard : shardsOf(ids)) {
			fetch(shard);
		}
		return this;
	}

	/** Gives what waits to its groups. Those that are named may begin nothing. */
	public TestQueue distribute(String separator, String... parked) {
		GroupTurns turns = new GroupTurns(separator, true, Integer.MAX_VALUE, 0, 0, 1, 0,
				Arrays.stream(parked).map((group) -> new GroupTurns.Use(group, 0, 1, 1, 0)).toList());
		this.layout.allShards().forEach((shard) -> call(shard, List.of(), new Fetch(0, 1, false, turns)));
		return this;
	}

	/**
	 * A node that owns all shards, with a thread busy with each of the given ids, and an
	 * idle thread.
	 */
	public TestQueue node(String name, String... performed) {
		return node(name, performed.length + 1, performed);
	}

	/**
	 * A node that owns all shards, with a number of threads: one busy with each of the
	 * given ids, and the rest idle.
	 */
	public TestQueue node(String name, int threads, String... performed) {
		List<String> described = new ArrayList<>();
		for (int i = 0; i < performed.length; i++) {
			described.add("{\"name\":\"lowkiq-perform-%s\",\"queue\":\"%s\",\"shard\":%s,\"ids\":[\"%s\"],\"since\":%s}"
				.formatted(i, this.layout.name(), this.layout.shardOf(performed[i]).index(), performed[i],
						System.currentTimeMillis() - 180_000));
		}
		for (int i = performed.length; i < threads; i++) {
			described.add("{\"name\":\"lowkiq-perform-%s\",\"ids\":[]}".formatted(i));
		}
		this.store.nodes()
			.join(this.session, new NodeInfo(name, System.currentTimeMillis() - 3_600_000, Duration.ofHours(1),
					Set.of(this.layout.name()), false));
		this.store.nodes()
			.report(this.session,
					"{\"threadCount\":%s,\"threads\":[%s]}".formatted(threads, String.join(",", described)));
		this.layout.allShards().forEach(this::lease);
		return this;
	}

	public String session() {
		return this.session;
	}

	public static String[] ids(String prefix, int count) {
		return IntStream.range(0, count).mapToObj((i) -> prefix + i).toArray(String[]::new);
	}

	public static byte[] payload(String id) {
		return "{\"order\":\"%s\",\"version\":7,\"status\":\"PAID\",\"total\":12345678901234567890.10,\"lines\":[{\"sku\":\"A-1\",\"quantity\":2}]}"
			.formatted(id.replaceAll("[^A-Za-z0-9-]", "_"))
			.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Enqueues jobs, fetches what is due, up to 10,000 a shard, and gives the rest back.
	 */
	private TestQueue finish(Function<String, Outcome> outcome, String... ids) {
		enqueue(ids);
		Set<String> wanted = Set.copyOf(Arrays.asList(ids));
		for (Shard shard : shardsOf(ids)) {
			List<Outcome> outcomes = fetch(shard).stream()
				.map(FetchedJob::id)
				.filter(wanted::contains)
				.map(outcome)
				.toList();
			Lease lease = lease(shard);
			for (int from = 0; from < outcomes.size(); from += 1_000) {
				call(shard, outcomes.subList(from, Math.min(from + 1_000, outcomes.size())), Fetch.NONE);
			}
			this.store.shards().release(lease, sequence(shard), List.of()).join();
			this.leases.remove(shard);
			this.sequences.remove(shard);
			this.busy.remove(shard);
		}
		return this;
	}

	private List<Shard> shardsOf(String... ids) {
		return Arrays.stream(ids).map(this.layout::shardOf).distinct().toList();
	}

	private List<FetchedJob> fetch(Shard shard) {
		List<FetchedJob> all = new ArrayList<>();
		List<FetchedJob> some;
		do {
			some = call(shard, List.of(), new Fetch(1_000, 1_000, false));
			all.addAll(some);
		}
		while (some.size() == 1_000 && all.size() < 10_000);
		return all;
	}

	private List<FetchedJob> call(Shard shard, List<Outcome> outcomes, Fetch fetch) {
		int before = this.busy.getOrDefault(shard, 0);
		FetchResult result = this.store.shards()
			.completeAndFetch(lease(shard), sequence(shard), before, outcomes, fetch)
			.join();
		List<FetchedJob> jobs = ((FetchResult.Fetched) result).jobs();
		this.busy.put(shard, before - outcomes.size() + jobs.size());
		return jobs;
	}

	private Lease lease(Shard shard) {
		@Nullable Lease held = this.leases.get(shard);
		if (held == null) {
			held = ((Acquisition.Acquired) this.store.shards()
				.acquire(shard, LeaseRequest.forFreeShard(this.session))
				.join()).lease();
			this.leases.put(shard, held);
		}
		return held;
	}

	private long sequence(Shard shard) {
		return this.sequences.merge(shard, 1L, Long::sum);
	}

}
