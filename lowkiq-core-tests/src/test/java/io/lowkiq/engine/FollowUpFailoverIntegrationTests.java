package io.lowkiq.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.EnqueuedFollowUps;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FollowUp;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.NextFollowUps;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Remembered;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.testing.ForwardingShardStore;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A replica that is cut off when follow-ups wait, and promoted while they are moved. No
 * lease changes.
 */
@Timeout(120)
class FollowUpFailoverIntegrationTests {

	/** More than one batch. */
	private static final int FOLLOW_UPS = 250;

	private final RedisProcess master = TestRedis.startPrivate("--repl-diskless-sync-delay", "0");

	private final RedisProcess replica = TestRedis.startPrivate("--replicaof", this.master.host(),
			Integer.toString(this.master.port()));

	private final LettuceConnectionFactory toMaster = TestRedis.connectionFactory(this.master.url());

	private final LettuceConnectionFactory toReplica = TestRedis.connectionFactory(this.replica.url());

	private final RedisStore before = new RedisStore(this.toMaster, "lowkiq", null);

	private final RedisStore after = new RedisStore(this.toReplica, "lowkiq", null);

	private final AtomicReference<RedisStore> current = new AtomicReference<>(this.before);

	private final Semaphore answers = new Semaphore(0);

	/** When the replica takes over. */
	private Moment moment = Moment.NEVER;

	private final FollowUpMover mover = new FollowUpMover(new ForwardingShardStore(current()) {

		@Override
		public CompletableFuture<EnqueueResult> enqueueFollowUps(Shard shard, List<NewPayload> payloads,
				Remembered remembered) {
			return super.enqueueFollowUps(shard, payloads, remembered).thenApply((result) -> {
				promoteAt(Moment.ENQUEUED);
				return result;
			});
		}

		@Override
		public CompletableFuture<NextFollowUps> moveFollowUps(Lease lease, Collection<EnqueuedFollowUps> enqueued,
				long after) {
			return super.moveFollowUps(lease, enqueued, after).thenApply((result) -> {
				if (!enqueued.isEmpty()) {
					promoteAt(Moment.READ_AGAIN);
				}
				return result;
			});
		}

	}, this.before.queues(), LowkiqObserver.NONE);

	/** When the replica takes over. */
	enum Moment {

		/** After the first follow-ups are enqueued, before they are removed. */
		ENQUEUED,

		/** After they are removed and the next ones are read. */
		READ_AGAIN,

		/** After all were moved. */
		MOVED,

		NEVER

	}

	@AfterEach
	void close() {
		this.before.close();
		this.after.close();
		this.toMaster.destroy();
		this.toReplica.destroy();
		this.replica.close();
		this.master.close();
	}

	/** The server that serves clients. */
	private ShardStore current() {
		return (ShardStore) Proxy.newProxyInstance(ShardStore.class.getClassLoader(),
				new Class<?>[] { ShardStore.class }, (proxy, method, arguments) -> {
					try {
						return method.invoke(this.current.get().shards(), arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	private void promoteAt(Moment reached) {
		if (this.moment == reached) {
			this.current.set(this.after);
		}
	}

	/** Lets follow-ups wait, and cuts the replica off. */
	private Lease followUps(String... ids) {
		Shard source = this.before.queues().register("src", 1).shard(0);
		this.before.queues().register("dst", 2);
		this.before.shards().enqueue(source, List.of(NewPayload.of("a", new byte[] { 1 })));
		Lease lease = ((Acquisition.Acquired) this.before.shards()
			.acquire(source, LeaseRequest.forFreeShard("s"))
			.join()).lease();
		this.before.shards().completeAndFetch(lease, 1, 0, List.of(), new Fetch(1, 10, false)).join();
		List<Outcome> outcomes = new ArrayList<>();
		for (int i = 1; i <= FOLLOW_UPS; i++) {
			byte[] payload = Integer.toString(1_000 + i).getBytes(StandardCharsets.UTF_8);
			outcomes
				.add(new Outcome.FollowUp("a", i, new FollowUp("dst", NewPayload.of(ids[i % ids.length], payload))));
		}
		outcomes.add(new Outcome.Done("a"));
		this.before.shards().completeAndFetch(lease, 2, 1, outcomes, Fetch.NONE).join();
		await().until(() -> String.valueOf(this.master.call("INFO", "replication")).contains("state=online"));
		assertThat(this.master.call("WAIT", "1", "10000")).isEqualTo("1");
		await().until(() -> this.after.inspection().counts(source).followUps() == FOLLOW_UPS);
		this.replica.call("REPLICAOF", "NO", "ONE");
		return lease;
	}

	private ShardFollowUps followUps(Lease lease) {
		return new ShardFollowUps(this.mover, lease, this.answers::release);
	}

	private void move(ShardFollowUps moving) throws InterruptedException {
		moving.wake();
		for (long wait = moving.advance(true); !moving.isIdle(); wait = moving.advance(true)) {
			awaitAnswer(wait);
		}
	}

	private void awaitAnswer(long wait) throws InterruptedException {
		boolean unused = this.answers.tryAcquire(Math.min(wait, TimeUnit.MILLISECONDS.toNanos(10)),
				TimeUnit.NANOSECONDS);
	}

	private List<String> queued(String id) {
		return this.after.inspection()
			.find(this.after.queues().find("dst").orElseThrow().shardOf(id), JobView.State.QUEUED, id, 1_000)
			.map((job) -> job.payloads()
				.stream()
				.map((payload) -> new String(payload.bytes(), StandardCharsets.UTF_8))
				.toList())
			.orElse(List.of());
	}

	private static List<String> all() {
		return IntStream.rangeClosed(1, FOLLOW_UPS).mapToObj((i) -> Integer.toString(1_000 + i)).toList();
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NEVER")
	void followUpsThatAFailoverForgotAreEnqueuedAgainInTheirOrder(Moment when) throws InterruptedException {
		Lease lease = followUps("m");
		this.moment = when;
		ShardFollowUps moving = followUps(lease);
		move(moving);
		promoteAt(Moment.MOVED);
		move(moving);
		assertThat(this.after.inspection().counts(lease.shard()).followUps()).isZero();
		assertThat(queued("m")).containsExactlyElementsOf(all());
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NEVER")
	void noneOfSeveralTargetsIsLeftOut(Moment when) throws InterruptedException {
		Lease lease = followUps("m", "n", "o");
		this.moment = when;
		ShardFollowUps moving = followUps(lease);
		move(moving);
		promoteAt(Moment.MOVED);
		move(moving);
		assertThat(this.after.inspection().counts(lease.shard()).followUps()).isZero();
		List<String> found = new ArrayList<>();
		for (String id : List.of("m", "n", "o")) {
			assertThat(queued(id)).isSorted();
			found.addAll(queued(id));
		}
		assertThat(found).containsExactlyInAnyOrderElementsOf(all());
	}

	/** The next owner reads what the last one has left, on the server that forgot it. */
	@Test
	void theNextOwnerLeavesNoneOut() throws InterruptedException {
		Lease lease = followUps("m");
		this.moment = Moment.READ_AGAIN;
		ShardFollowUps moving = followUps(lease);
		moving.wake();
		while (this.current.get() == this.before) {
			awaitAnswer(moving.advance(true));
		}
		Lease next = ((Acquisition.Acquired) this.after.shards()
			.acquire(lease.shard(), LeaseRequest.afterCrash("t", "s"))
			.join()).lease();
		move(followUps(next));
		moving.advance(true);
		assertThat(this.after.inspection().counts(lease.shard()).followUps()).isZero();
		assertThat(queued("m")).containsExactlyElementsOf(all());
	}

}
