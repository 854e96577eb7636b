package io.lowkiq.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.StoreException;
import io.lowkiq.Worker;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.Faults;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What follows a job reaches its queue exactly if the job is done. */
class FollowUpTests {

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final RedisStore memory = this.redis.store();

	private final AtomicBoolean refusing = new AtomicBoolean();

	/** Until this is complete, no follow-up gets into the queue mails. */
	private volatile CompletableFuture<?> hanging = CompletableFuture.completedFuture(null);

	/** Notified before follow-ups are enqueued. */
	private volatile Consumer<List<NewPayload>> enqueued = (payloads) -> {
	};

	/** Into which nothing can be enqueued at times. */
	private final ObservedShardStore shards = new ObservedShardStore(this.memory.shards()) {

		@Override
		public CompletableFuture<EnqueueResult> enqueueFollowUps(Shard shard, List<NewPayload> payloads,
				Remembered remembered) {
			if (FollowUpTests.this.refusing.get() && shard.queue().equals("mails")) {
				return CompletableFuture.failedFuture(new StoreException("refused", null));
			}
			FollowUpTests.this.enqueued.accept(payloads);
			if (shard.queue().equals("mails")) {
				return FollowUpTests.this.hanging
					.thenCompose((over) -> super.enqueueFollowUps(shard, payloads, remembered));
			}
			return super.enqueueFollowUps(shard, payloads, remembered);
		}

	};

	@AutoClose
	private final ServerFixture fixture = new ServerFixture(this.memory, this.shards);

	private final List<String> seen = new CopyOnWriteArrayList<>();

	private ThreadPerformContext context() {
		return new ThreadPerformContext((keep) -> this.fixture.client().keeping(keep));
	}

	private Worker<Integer> noting(String queue) {
		return (id, payloads) -> payloads.forEach((payload) -> this.seen.add(queue + " " + id + " " + payload));
	}

	@Test
	void aChainGoesThroughItsQueues() {
		for (String queue : List.of("orders", "mails", "prints")) {
			this.fixture.worker(queue, settings(3, 1, 3), noting(queue));
		}
		this.fixture.started();
		LowkiqClient client = this.fixture.client();
		IntStream.range(0, 100)
			.forEach((i) -> client.enqueue("orders",
					JobRequest.of("o" + i, i)
						.then("mails", JobRequest.of("m" + i, i))
						.then("prints", JobRequest.of("p" + i, i))));
		await().atMost(PATIENCE).until(() -> this.seen.size() == 300);
		assertThat(this.seen).doesNotHaveDuplicates();
		for (int i = 0; i < 100; i++) {
			assertThat(this.seen).containsSubsequence("orders o" + i + " " + i, "mails m" + i + " " + i,
					"prints p" + i + " " + i);
		}
	}

	/**
	 * The shard of the job has forgotten nothing but that, so it is not acquired again.
	 */
	@Test
	void whatAFailoverForgotWasMovedIsMovedAgainAtOnce() {
		AtomicReference<Faults.Snapshot> replica = new AtomicReference<>();
		this.enqueued = (payloads) -> replica.compareAndSet(null, this.redis.faults().snapshot());
		this.fixture.worker("orders", settings(1, 1, 3), noting("orders"));
		this.fixture.worker("mails", settings(1, 1, 3), noting("mails"));
		LowkiqServer server = this.fixture.started();
		this.fixture.client().enqueue("orders", JobRequest.of("o", 1).then("mails", JobRequest.of("m", 1)));
		await().atMost(PATIENCE).until(() -> this.seen.contains("mails m 1"));
		ServerFixture.awaitHeld(2, server);
		this.redis.faults().promote(Objects.requireNonNull(replica.get()));
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.seen).filteredOn("mails m 1"::equals).hasSize(2));
		assertThat(this.seen).filteredOn("orders o 1"::equals).hasSize(1);
	}

	@Test
	void whatAWorkerEnqueuesOnSuccessOfAJobComesAfterIt() {
		ThreadPerformContext context = context();
		AtomicBoolean failed = new AtomicBoolean();
		this.fixture.worker("orders", settings(3, 1, 3), new Worker<>() {

			@Override
			public void perform(String id, List<Integer> payloads) {
				context.onSuccess().enqueue("mails", "m", failed.get() ? 2 : 1);
				if (!failed.getAndSet(true)) {
					throw new IllegalStateException("first");
				}
			}

			@Override
			public java.time.Duration retryIn(int retryCount, Throwable error) {
				return java.time.Duration.ZERO;
			}

		});
		this.fixture.worker("mails", settings(3, 1, 3), noting("mails"));
		this.fixture.started((builder) -> builder.performContext(context));
		this.fixture.client().enqueue("orders", "1", 1);
		await().atMost(PATIENCE).until(() -> !this.seen.isEmpty());
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders") && this.fixture.isEmpty("mails"));
		assertThat(this.seen).containsExactly("mails m 2");
	}

	@Test
	void othersForgetWhatHasComeFromAShardInWhichNothingHasWaitedForAMinute() {
		AtomicLong ahead = new AtomicLong();
		for (String queue : List.of("orders", "returns", "mails")) {
			this.fixture.worker(queue, settings(1, 1, 3), noting(queue));
		}
		this.fixture.started((builder) -> builder.settings(ServerFixture.settings(5, Duration.ofHours(1)))
			.nanoTime(() -> System.nanoTime() + ahead.get()));
		this.fixture.client().enqueue("orders", JobRequest.of("o", 1).then("mails", JobRequest.of("m", 2)));
		await().atMost(PATIENCE).until(() -> entries("orders").equals(List.of("sent:mails:1:0")));
		ahead.set(Duration.ofSeconds(61).toNanos());
		this.fixture.client().enqueue("returns", JobRequest.of("r", 3).then("mails", JobRequest.of("m", 4)));
		await().atMost(PATIENCE).until(() -> entries("orders").isEmpty());
		await().atMost(PATIENCE)
			.until(() -> Set.copyOf(entries("mails"))
				.equals(Set.of("forgotten", "epoch:returns:1:0", "number:returns:1:0")));
		assertThat(entries("returns")).containsExactly("sent:mails:1:0");
		this.fixture.client().enqueue("orders", JobRequest.of("o", 5).then("mails", JobRequest.of("m", 6)));
		await().atMost(PATIENCE).until(() -> this.seen.size() == 6);
		assertThat(this.seen).doesNotHaveDuplicates();
	}

	/** The follow-ups of the first shard of a queue, and what it remembers of others. */
	private List<String> entries(String queue) {
		List<?> members = (List<?>) this.redis
			.call(bytes("ZRANGE"), bytes("lowkiq:{" + queue + ":1:0}:follow-ups"), bytes("0"), bytes("-1"))
			.join();
		return members.stream().map((member) -> new String((byte[]) member, StandardCharsets.UTF_8)).toList();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Test
	void shardsTakeTurns() {
		int each = 2_000;
		List<Shard> sources = List.of(this.fixture.queues.register("orders", 1).shard(0),
				this.fixture.queues.register("returns", 1).shard(0));
		this.fixture.queues.register("mails", 1);
		sources.forEach((shard) -> leave(shard, each));
		List<Shard> moved = new CopyOnWriteArrayList<>();
		Set<Origin> origins = ConcurrentHashMap.newKeySet();
		this.enqueued = (payloads) -> {
			Origin origin = payloads.get(0).origin();
			if (origin != null) {
				if (moved.isEmpty()) {
					await().atMost(PATIENCE).until(() -> sources.stream().allMatch(this::isServed));
				}
				moved.add(origin.shard());
				payloads.forEach((payload) -> origins.add(Objects.requireNonNull(payload.origin())));
			}
		};
		this.fixture.worker("orders", settings(1, 1, 3), noting("orders"));
		this.fixture.worker("returns", settings(1, 1, 3), noting("returns"));
		this.fixture.started((builder) -> builder.settings(ServerFixture.BRIEF_LEASE));
		await().atMost(PATIENCE).until(() -> origins.size() == sources.size() * each);
		Shard first = moved.get(0);
		Shard second = sources.get(1 - sources.indexOf(first));
		assertThat(moved.indexOf(second)).isLessThan(moved.lastIndexOf(first));
	}

	private boolean isServed(Shard shard) {
		String session = this.memory.inspection().counts(shard).session();
		return session != null && !session.equals("dead");
	}

	/** Leaves follow-ups in a shard, as a node that died. */
	private void leave(Shard shard, int count) {
		this.fixture.takeAsDeadNode("dead", shard);
		Lease lease = ((Acquisition.Acquired) this.memory.shards()
			.acquire(shard, LeaseRequest.forFreeShard("dead"))
			.join()).lease();
		this.memory.shards().enqueue(shard, List.of(NewPayload.of("1", new byte[] { '1' })));
		this.memory.shards().completeAndFetch(lease, 1, 0, List.of(), new Fetch(1, 10, false)).join();
		List<Outcome> outcomes = new ArrayList<>();
		for (int i = 1; i <= count; i++) {
			FollowUp followUp = new FollowUp("mails", NewPayload.of("m" + i, new byte[] { '7' }));
			outcomes.add(new Outcome.FollowUp("1", i, followUp));
		}
		outcomes.add(new Outcome.Done("1"));
		this.memory.shards().completeAndFetch(lease, 2, 1, outcomes, Fetch.NONE).join();
	}

	@Test
	void whatIsRefusedIsTriedAgainUntilItIsEnqueued() {
		this.fixture.worker("orders", settings(1, 1, 3), noting("orders"));
		this.fixture.worker("mails", settings(1, 1, 3), noting("mails"));
		this.refusing.set(true);
		LowkiqServer server = this.fixture.started();
		this.fixture.client().enqueue("orders", JobRequest.of("1", 1).then("mails", JobRequest.of("m", 2)));
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 1);
		assertThat(this.seen).containsExactly("orders 1 1");
		await().atMost(PATIENCE).until(() -> server.loop().status().problem() != null);
		assertThat(server.loop().status().problem()).contains("Follow-ups of shards could not be enqueued",
				"orders:1:0", "refused");
		this.refusing.set(false);
		await().atMost(PATIENCE).until(() -> this.seen.contains("mails m 2"));
		await().atMost(PATIENCE).until(() -> server.loop().status().problem() == null);
	}

	@Test
	void noJobsAreFetchedWhileTooManyFollowUpsWait() {
		int jobs = 3_000;
		CompletableFuture<Object> over = new CompletableFuture<>();
		this.hanging = over;
		AtomicInteger performed = new AtomicInteger();
		Worker<Integer> counting = (id, payloads) -> performed.incrementAndGet();
		this.fixture.worker("orders", settings(1, 1, 3), counting);
		this.fixture.worker("mails", settings(1, 1, 3), noting("mails"));
		LowkiqClient client = this.fixture.client();
		client.enqueueAll("orders",
				IntStream.range(0, jobs)
					.mapToObj((i) -> JobRequest.of("o" + i, i).then("mails", JobRequest.of("m" + i, i)))
					.toList());
		this.fixture.started();
		await().atMost(PATIENCE)
			.until(() -> performed.get() == jobs
					|| (performed.get() > 1_000 && this.fixture.counts("orders", 0).busy() == 0));
		assertThat(performed.get()).isLessThan(1_500);
		over.complete(new Object());
		await().atMost(PATIENCE).until(() -> this.seen.size() == jobs);
		assertThat(this.seen).doesNotHaveDuplicates();
	}

}
