package io.lowkiq.engine;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lowkiq.JobRequest;
import io.lowkiq.NewerVersionException;
import io.lowkiq.Worker;
import io.lowkiq.engine.lease.ShardCalls;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Build;
import io.lowkiq.testing.LogLines;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.idIn;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** A node beside a newer version that has written one of its shards. */
class NewerShardServerTests {

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final RedisStore memory = this.redis.store();

	/** How many calls were refused because of a newer version. */
	private final AtomicInteger refused = new AtomicInteger();

	@AutoClose
	private final ServerFixture fixture = new ServerFixture(this.memory, new ObservedShardStore(this.memory.shards()) {

		private <T> CompletableFuture<T> counted(CompletableFuture<T> call) {
			return call.whenComplete((answer, problem) -> {
				if (problem != null && (problem instanceof NewerVersionException
						|| problem.getCause() instanceof NewerVersionException)) {
					NewerShardServerTests.this.refused.incrementAndGet();
				}
			});
		}

		@Override
		public CompletableFuture<Acquisition> acquire(Shard shard, LeaseRequest request) {
			return counted(super.acquire(shard, request));
		}

		@Override
		public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy, List<Outcome> sent,
				Fetch fetch) {
			return counted(super.completeAndFetch(lease, sequence, busy, sent, fetch));
		}

		@Override
		public CompletableFuture<EnqueueResult> enqueueFollowUps(Shard shard, List<NewPayload> payloads,
				Remembered remembered) {
			return counted(super.enqueueFollowUps(shard, payloads, remembered));
		}

	});

	private final QueueLayout orders = this.memory.queues().register("orders", 2);

	private final List<String> performed = new CopyOnWriteArrayList<>();

	@RegisterExtension
	private final LogLines log = new LogLines(ShardCalls.class);

	/** Sets the flags of a shard. */
	private void flags(Shard shard, int flags) {
		byte[] meta = meta(shard);
		meta[1] = (byte) flags;
		call("SET", shard, meta);
	}

	private byte[] meta(Shard shard) {
		return (byte[]) Objects.requireNonNull(call("GET", shard));
	}

	private Object call(String command, Shard shard, byte[]... value) {
		byte[] key = bytes("lowkiq:{" + shard + "}:meta");
		return (value.length == 0) ? this.redis.call(bytes(command), key).join()
				: this.redis.call(bytes(command), key, value[0]).join();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private void awaitRefused(int more) {
		int before = this.refused.get();
		await().atMost(PATIENCE).until(() -> this.refused.get() >= before + more);
	}

	private static boolean isNewer(LowkiqServer server, Shard shard) {
		return server.status()
			.shards()
			.stream()
			.anyMatch((status) -> status.shard().equals(shard) && status.newer() && !status.held());
	}

	@Test
	void aNodeThatIsRefusedServesItsOtherShardsAndSaysSoOnce() {
		this.fixture.worker("orders", settings(2, 1, 3), (Worker<Integer>) (id, payloads) -> this.performed.add(id));
		Shard newer = this.orders.shard(1);
		this.fixture.client().enqueue("orders", idIn(this.orders, 1), 1);
		this.memory.actions().pause(newer, false);
		flags(newer, 4);
		byte[] before = meta(newer);
		LowkiqServer server = this.fixture.started();
		awaitRefused(4);
		this.fixture.client().enqueue("orders", idIn(this.orders, 0), 1);
		await().atMost(PATIENCE).until(() -> this.performed.contains(idIn(this.orders, 0)));
		assertThat(isNewer(server, newer)).isTrue();
		assertThat(server.status().storeProblem()).isNull();
		assertThat(this.log.warnings()).singleElement()
			.asString()
			.startsWith("Shard 1 of orders was written by a newer version; this node doesn't serve it.");
		assertThatExceptionOfType(NewerVersionException.class)
			.isThrownBy(() -> this.fixture.client().enqueue("orders", idIn(this.orders, 1), 2));
		assertThat(meta(newer)).isEqualTo(before);
		flags(newer, 0);
		await().atMost(PATIENCE).until(() -> this.performed.contains(idIn(this.orders, 1)));
		assertThat(isNewer(server, newer)).isFalse();
		assertThat(this.performed).doesNotHaveDuplicates();
	}

	@Test
	void whatEndsWhileAShardIsRefusedIsReportedLaterAndNotPerformedAgain() throws InterruptedException {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch open = new CountDownLatch(1);
		this.fixture.worker("orders", settings(2, 1, 3), (Worker<Integer>) (id, payloads) -> {
			this.performed.add(id);
			begun.countDown();
			open.await();
		});
		LowkiqServer server = this.fixture.started();
		this.fixture.client().enqueue("orders", idIn(this.orders, 1), 1);
		assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
		Shard newer = this.orders.shard(1);
		flags(newer, 8);
		open.countDown();
		awaitRefused(3);
		assertThat(server.status().storeProblem()).isNull();
		assertThat(this.memory.inspection().counts(newer).busy()).isEqualTo(1);
		assertThat(this.log.warnings()).hasSize(1);
		flags(newer, 0);
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders"));
		assertThat(this.performed).containsExactly(idIn(this.orders, 1));
		assertThat(this.fixture.processed("orders")).isEqualTo(1);
	}

	@Test
	void aNodeTellsTheOthersItsBuild() {
		this.fixture.worker("orders", settings(2, 1, 3), (Worker<Integer>) (id, payloads) -> this.performed.add(id));
		this.fixture.started();
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.memory.nodes().members().members()).singleElement()
				.satisfies((member) -> assertThat(member.info().build()).isEqualTo(Build.THIS)));
	}

	@Test
	void aQueueWhoseRecordIsNewerIsNotServedAndTheOthersAre() {
		for (String queue : List.of("orders", "mails")) {
			this.fixture.worker(queue, settings(2, 1, 3), (Worker<Integer>) (id, payloads) -> this.performed.add(id));
		}
		this.redis.call(bytes("HSET"), bytes("lowkiq:{queues}"), bytes("orders"), bytes("1:2:ring")).join();
		LowkiqServer server = this.fixture.server();
		server.registerQueues();
		server.start();
		this.fixture.client().enqueue("mails", "1", 1);
		await().atMost(PATIENCE).until(() -> this.performed.contains("1"));
		assertThat(server.status().refusedQueues()).singleElement().satisfies((refused) -> {
			assertThat(refused.queue()).isEqualTo("orders");
			assertThat(refused.reason()).contains("1:2:ring", "newer version");
		});
	}

	@Test
	void followUpsWaitForARefusedShardAndPassToOthers() {
		QueueLayout mails = this.memory.queues().register("mails", 2);
		for (String queue : List.of("orders", "mails")) {
			this.fixture.worker(queue, settings(2, 1, 3), (Worker<Integer>) (id, payloads) -> {
				if (queue.equals("mails")) {
					this.performed.add(id);
				}
			});
		}
		Shard newer = mails.shard(1);
		this.memory.actions().pause(newer, false);
		flags(newer, 16);
		this.fixture.started();
		for (int shard : new int[] { 1, 0 }) {
			this.fixture.client()
				.enqueue("orders", JobRequest.of("1", 1).then("mails", JobRequest.of(idIn(mails, shard), 1)));
		}
		await().atMost(PATIENCE).until(() -> this.performed.contains(idIn(mails, 0)));
		awaitRefused(3);
		assertThat(this.performed).containsExactly(idIn(mails, 0));
		flags(newer, 0);
		await().atMost(PATIENCE).until(() -> this.performed.contains(idIn(mails, 1)));
		assertThat(this.performed).doesNotHaveDuplicates();
	}

}
