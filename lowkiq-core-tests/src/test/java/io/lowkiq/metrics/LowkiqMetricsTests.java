package io.lowkiq.metrics;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.QueueDeclaration;
import io.lowkiq.StoreException;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.RedisConnections;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.GroupTurns;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.TestTurns;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.testing.Intercepted;
import io.lowkiq.testing.TestQueue;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LowkiqMetricsTests {

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);

	private final RedisStore memory = InMemoryRedis.newStore(this.now::get);

	private final AtomicInteger readings = new AtomicInteger();

	/** A key of each shard whose groups were read. */
	private final List<String> groupReadings = new CopyOnWriteArrayList<>();

	private volatile boolean away;

	private volatile boolean groupsAway;

	private final QueueStatistics statistics = statistics(2);

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final LowkiqMetrics metrics = new LowkiqMetrics(this.statistics, () -> null);

	@BeforeEach
	void bind() {
		this.metrics.bindTo(this.registry);
	}

	@Test
	void eventsAreCounted() {
		this.metrics.performed("orders", 3, 1, Duration.ofMillis(10));
		this.metrics.performed("orders", 2, 0, Duration.ofMillis(10));
		this.metrics.enqueued("orders", 5, 2, Duration.ofMillis(1));
		this.metrics.buried("orders", 4);
		this.metrics.fenced("orders");
		this.metrics.ungrouped("orders", 6);
		this.metrics.leaseLost();
		assertThat(this.registry.get("lowkiq.redis.forgotten").counters()).hasSize(2)
			.allMatch((counter) -> counter.count() == 0);
		this.metrics.everythingForgotten();
		this.metrics.callsForgotten(12);
		this.metrics.callsForgotten(3);
		assertThat(count("lowkiq.jobs.processed")).isEqualTo(5);
		assertThat(count("lowkiq.jobs.failed")).isEqualTo(1);
		assertThat(count("lowkiq.jobs.merged")).isEqualTo(2);
		assertThat(count("lowkiq.jobs.buried")).isEqualTo(4);
		assertThat(count("lowkiq.calls.fenced")).isEqualTo(1);
		assertThat(count("lowkiq.jobs.ungrouped")).isEqualTo(6);
		assertThat(this.registry.get("lowkiq.leases.lost").counter().count()).isEqualTo(1);
		assertThat(this.registry.get("lowkiq.redis.forgotten").tags("degree", "everything").counter().count())
			.isEqualTo(1);
		assertThat(this.registry.get("lowkiq.redis.forgotten").tags("degree", "calls").counter().count()).isEqualTo(2);
		assertThat(this.registry.get("lowkiq.perform").tags("queue", "orders", "outcome", "done").timer().count())
			.isEqualTo(1);
		assertThat(this.registry.get("lowkiq.enqueue").tags("queue", "orders").timer().count()).isEqualTo(1);
	}

	@Test
	void aQueueThatIsLeftToAnotherApplicationCountsOnceWithItsInternalOnes() {
		SortedMap<String, String> foreign = new TreeMap<>();
		Stream.of("orders", InternalQueue.SCHEDULES.nameFor("orders"), InternalQueue.RECORDS.nameFor("orders"))
			.forEach((queue) -> foreign.put(queue, "billing (com.acme.Invoice)"));
		ServerStatus status = new ServerStatus(ServerStatus.State.RUNNING, "node-1", null, null, null, null, null,
				List.of(), List.of(), foreign, List.of(), List.of(), Map.of());
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		new LowkiqMetrics(this.statistics, () -> status).bindTo(meters);
		assertThat(meters.get("lowkiq.queues.foreign").gauge().value()).isEqualTo(1);
	}

	@Test
	void waitsAndPayloadsAreMeasured() {
		this.metrics.begins("orders", 3, Duration.ofMillis(200));
		this.metrics.begins("orders", 1, Duration.ofMillis(400));
		assertThat(this.registry.get("lowkiq.wait").tags("queue", "orders").timer().totalTime(TimeUnit.MILLISECONDS))
			.isEqualTo(600);
		assertThat(this.registry.get("lowkiq.perform.payloads").tags("queue", "orders").summary().takeSnapshot())
			.satisfies((payloads) -> {
				assertThat(payloads.total()).isEqualTo(4);
				assertThat(payloads.max()).isEqualTo(3);
			});
	}

	private double count(String name) {
		return this.registry.get(name).tags("queue", "orders").counter().count();
	}

	@Test
	void gaugesOfAllQueuesReadOneSnapshot() {
		QueueLayout orders = this.memory.queues().register("orders", 2);
		this.memory.shards()
			.enqueue(orders.shard(1),
					List.of(NewPayload.of("a", new byte[] { 1 }), NewPayload.of("b", new byte[] { 2 })));
		this.now.set(Instant.ofEpochSecond(30));
		assertThat(gauge("lowkiq.shards.unowned")).isEqualTo(2);
		int before = this.readings.get();
		assertThat(this.registry.get("lowkiq.queue.size").tags("queue", "orders", "state", "fresh").gauge().value())
			.isEqualTo(2);
		assertThat(this.registry.get("lowkiq.queue.size").tags("queue", "orders", "state", "morgue").gauge().value())
			.isZero();
		assertThat(gauge("lowkiq.queue.lag")).isEqualTo(30);
		assertThat(this.readings).hasValue(before);
		this.now.set(Instant.ofEpochSecond(35));
		assertThat(gauge("lowkiq.queue.lag")).isEqualTo(35);
		assertThat(this.readings).hasValue(before + 2);
	}

	@Test
	void whatFollowsJobsAndWaitsIsCounted() {
		Shard shard = this.memory.queues().register("orders", 2).shard(1);
		this.memory.shards().enqueue(shard, List.of(NewPayload.of("a", new byte[] { 1 })));
		Lease lease = ((Acquisition.Acquired) this.memory.shards()
			.acquire(shard, LeaseRequest.forFreeShard("s"))
			.join()).lease();
		this.memory.shards().completeAndFetch(lease, 1, 0, List.of(), new Fetch(1, 1, false)).join();
		FollowUp followUp = new FollowUp("mails", NewPayload.of("m", new byte[] { 2 }));
		this.memory.shards()
			.completeAndFetch(lease, 2, 1, List.of(new Outcome.FollowUp("a", 1, followUp), new Outcome.Done("a")),
					new Fetch(1, 1, false))
			.join();
		assertThat(gauge("lowkiq.shards.unowned")).isEqualTo(2);
		assertThat(gauge("lowkiq.queue.follow.ups")).isEqualTo(1);
	}

	@Test
	void aStoreOutOfReachMakesGaugesNaNAndIsAskedOncePerTime() {
		this.memory.queues().register("orders", 1);
		this.away = true;
		assertThat(gauge("lowkiq.shards.unowned")).isNaN();
		assertThat(gauge("lowkiq.shards.unowned")).isNaN();
		assertThat(this.readings).hasValue(1);
		assertThat(gauge("lowkiq.shards.owned")).isZero();
	}

	private double gauge(String name) {
		return this.registry.get(name).gauge().value();
	}

	@Test
	void aShardWhoseOwnerIsGoneCountsAsUnowned() {
		QueueLayout orders = this.memory.queues().register("orders", 3);
		this.memory.nodes().join("alive", new NodeInfo("node", 0, Duration.ofSeconds(15), Set.of("orders"), false));
		this.memory.shards().acquire(orders.shard(0), LeaseRequest.forFreeShard("alive")).join();
		this.memory.shards().acquire(orders.shard(1), LeaseRequest.forFreeShard("gone")).join();
		assertThat(gauge("lowkiq.shards.unowned")).isEqualTo(2);
	}

	@Test
	void theLargestGroupsHaveGauges() {
		TestQueue queue = new TestQueue(this.memory, "sync", 2);
		queue.enqueue(TestQueue.ids("acme:", 9))
			.enqueue(TestQueue.ids("globex:", 4))
			.enqueue(TestQueue.ids("hooli:", 2))
			.distribute(":");
		assertThat(this.memory.inspection().groups(queue.layout().allShards(), "", 9).groups())
			.as("a group in both shards")
			.filteredOn((group) -> group.name().equals("acme"))
			.hasSize(2);
		assertThat(waitingGroups()).isEqualTo(Map.of("sync acme", 9.0, "sync globex", 4.0));

		queue.enqueue(TestQueue.ids("hooli:more-", 8)).distribute(":");
		assertThat(waitingGroups()).as("a reading is kept").isEqualTo(Map.of("sync acme", 9.0, "sync globex", 4.0));
		this.now.set(Instant.ofEpochSecond(5));
		assertThat(waitingGroups()).isEqualTo(Map.of("sync hooli", 10.0, "sync acme", 9.0));
	}

	@Test
	void eachQueueHasItsLargestGroups() {
		new TestQueue(this.memory, "sync", 1).enqueue("acme:1", "acme:2", "1", "2", "3", "globex:1").distribute(":");
		new TestQueue(this.memory, "mails", 1).enqueue("acme:1").distribute(":");
		assertThat(waitingGroups()).isEqualTo(Map.of("sync (none)", 3.0, "sync acme", 2.0, "mails acme", 1.0));
	}

	@Test
	void jobsThatWereNotGivenToTheirGroupsYetCount() {
		new TestQueue(this.memory, "sync", 1).enqueue("acme:1").distribute(":").enqueue("acme:2", "globex:1");
		new TestQueue(this.memory, new QueueDeclaration("mails", 1, "/")).enqueue("acme/1");
		assertThat(waitingGroups()).isEqualTo(Map.of("sync acme", 2.0, "sync globex", 1.0, "mails acme", 1.0));
	}

	@Test
	void lagOfJobsThatAreHeldBackHasItsOwnGauge() {
		new TestQueue(this.memory, "sync", 1).enqueue("acme:1").distribute(":", "acme");
		this.now.set(Instant.ofEpochSecond(7));
		gauge("lowkiq.shards.unowned");
		assertThat(gauge("lowkiq.queue.lag")).isZero();
		assertThat(gauge("lowkiq.queue.lag.all")).isEqualTo(7);
	}

	@Test
	void aGroupWhoseJobsAreGoneHasNoGauge() {
		Shard shard = this.memory.queues().register("sync", 1).shard(0);
		this.memory.shards().enqueue(shard, List.of(NewPayload.of("acme:1", new byte[] { 1 })));
		Lease lease = ((Acquisition.Acquired) this.memory.shards()
			.acquire(shard, LeaseRequest.forFreeShard("s"))
			.join()).lease();
		GroupTurns turns = TestTurns.of(":");
		this.memory.shards().completeAndFetch(lease, 1, 0, List.of(), new Fetch(0, 1, false, turns)).join();
		assertThat(waitingGroups()).containsOnlyKeys("sync acme");
		this.memory.shards().completeAndFetch(lease, 2, 0, List.of(), new Fetch(1, 1, false, turns)).join();
		this.now.set(Instant.ofEpochSecond(5));
		assertThat(waitingGroups()).isEmpty();
	}

	@Test
	void groupsAreReadOfShardsInWhichSomeWait() {
		new TestQueue(this.memory, "orders", 3).enqueue("acme:1", "acme:2");
		assertThat(waitingGroups()).isEmpty();
		assertThat(this.groupReadings).isEmpty();

		TestQueue queue = new TestQueue(this.memory, "sync", 8).enqueue("acme:1").distribute(":");
		this.now.set(Instant.ofEpochSecond(5));
		assertThat(waitingGroups()).containsOnlyKeys("sync acme");
		assertThat(this.groupReadings).singleElement()
			.asString()
			.contains("{%s}".formatted(queue.layout().shardOf("acme:1")));
	}

	@Test
	void shardsWhoseJobsNobodyPerformsHaveNoOwner() {
		new TestQueue(this.memory, "orders", 1).node("shop").strand("1");
		assertThat(gauge("lowkiq.shards.unowned")).isEqualTo(1);
	}

	@Test
	void noGroupIsReadIfNoneIsWanted() {
		new TestQueue(this.memory, "sync", 1).enqueue("acme:1").distribute(":");
		SimpleMeterRegistry without = new SimpleMeterRegistry();
		new LowkiqMetrics(statistics(0), () -> null).bindTo(without);
		assertThat(without.get("lowkiq.shards.unowned").gauge().value()).isEqualTo(1);
		assertThat(without.find("lowkiq.group.waiting").gauges()).isEmpty();
		assertThat(this.groupReadings).isEmpty();
	}

	@Test
	void groupsOutOfReachAreNaN() {
		new TestQueue(this.memory, "sync", 1).enqueue("acme:1").distribute(":");
		assertThat(waitingGroups()).isEqualTo(Map.of("sync acme", 1.0));
		this.groupsAway = true;
		this.now.set(Instant.ofEpochSecond(5));
		assertThat(waitingGroups()).isEqualTo(Map.of("sync acme", Double.NaN));
		assertThat(gauge("lowkiq.shards.unowned")).isEqualTo(1);
		this.away = true;
		this.now.set(Instant.ofEpochSecond(10));
		assertThat(waitingGroups()).isEqualTo(Map.of("sync acme", Double.NaN));
	}

	/** The values of all gauges of groups after a scrape, by queue and group. */
	private Map<String, Double> waitingGroups() {
		gauge("lowkiq.shards.unowned");
		return this.registry.find("lowkiq.group.waiting")
			.gauges()
			.stream()
			.collect(Collectors.toMap((gauge) -> gauge.getId().getTag("queue") + " " + gauge.getId().getTag("group"),
					Gauge::value));
	}

	private QueueStatistics statistics(int groups) {
		return new QueueStatistics(countingStore(), this.now::get, Duration.ofSeconds(5), groups,
				(queue) -> queue.equals("sync") ? ":" : "");
	}

	private RedisStore countingStore() {
		return new RedisStore(
				Intercepted.of(RedisConnections.class, (RedisConnections) this.memory.scripts(),
						(method, call) -> method.equals("begin") ? begin(call) : call.make()),
				this.memory.keyPrefix(), null);
	}

	private @Nullable Object begin(Intercepted.Call call) throws Throwable {
		boolean isAway = switch (((LuaScript) call.argument(0)).task()) {
			case "count jobs" -> {
				this.readings.incrementAndGet();
				yield this.away;
			}
			case "list groups" -> {
				this.groupReadings.add(new String(((byte[][]) call.argument(1))[0], StandardCharsets.UTF_8));
				yield this.groupsAway;
			}
			default -> false;
		};
		if (isAway) {
			throw new StoreException("away", null);
		}
		return call.make();
	}

}
