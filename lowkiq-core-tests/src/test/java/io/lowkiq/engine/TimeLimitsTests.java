package io.lowkiq.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.FailurePolicy;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.PayloadWorker;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.Worker;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a running server does with performs that last too long. The limit is far away
 * until the clock is moved.
 */
class TimeLimitsTests {

	private static final Duration LIMIT = Duration.ofMinutes(10);

	private static final Duration GRACE = Duration.ofSeconds(5);

	private static final String TEXT = "The perform lasted longer than perform-timeout (10m)";

	private final ServerFixture fixture = new ServerFixture();

	private final AtomicLong moved = new AtomicLong();

	private final Gate gate = new Gate();

	@AfterEach
	void stopServers() {
		this.gate.open();
		this.fixture.close();
	}

	/**
	 * Performs jobs, those whose id begins with "slow" until they are interrupted, and
	 * those whose id begins with "deaf" until they are let go.
	 */
	private static final class Gate implements Worker<Integer> {

		final List<String> begun = new CopyOnWriteArrayList<>();

		final AtomicInteger interrupts = new AtomicInteger();

		private final CountDownLatch open = new CountDownLatch(1);

		private final Set<String> running = ConcurrentHashMap.newKeySet();

		private final AtomicInteger overlaps = new AtomicInteger();

		@Override
		public void perform(String id, List<Integer> payloads) throws Exception {
			if (!this.running.add(id)) {
				this.overlaps.incrementAndGet();
			}
			this.begun.add(id);
			try {
				if (id.startsWith("slow")) {
					this.open.await();
				}
				else if (id.startsWith("deaf")) {
					awaitOpen();
				}
			}
			finally {
				this.running.remove(id);
			}
		}

		private void awaitOpen() {
			while (this.open.getCount() > 0) {
				try {
					this.open.await();
				}
				catch (InterruptedException ex) {
					this.interrupts.incrementAndGet();
				}
			}
		}

		void open() {
			this.open.countDown();
		}

		void awaitBegun(String... ids) {
			await().atMost(PATIENCE).until(() -> this.begun.containsAll(List.of(ids)));
		}

	}

	private LowkiqServer started(int threads) {
		return this.fixture.started((builder) -> builder.settings(settings(threads, Duration.ofHours(1)))
			.nanoTime(() -> System.nanoTime() + this.moved.get()));
	}

	private void move(LowkiqServer server, Duration duration) {
		this.moved.addAndGet(duration.toNanos());
		server.clockMoved();
	}

	private void worker(String queue, int shards, QueueWorker<Integer> worker, Class<?> type) {
		FailurePolicy policy = new FailurePolicy(Set.of(), Set.of(), RetriesExhausted.BURY_OLDEST,
				FailurePolicy.DEFAULT_UNREADABLE_GRACE, LIMIT);
		this.fixture.worker(
				new RegisteredWorker(queue, type, Integer.class, settings(shards, 3, 5).with(policy), () -> worker));
	}

	private JobView failed(String id) {
		await().atMost(PATIENCE)
			.until(() -> this.fixture.inspection.find(this.fixture.shard("orders", 0), JobView.State.QUEUED, id, 10)
				.filter((job) -> job.error() != null)
				.isPresent());
		return this.fixture.job("orders", JobView.State.QUEUED, id);
	}

	@Test
	void performThatLastsTooLongIsInterruptedAndHasFailed() {
		worker("orders", 1, this.gate, Worker.class);
		LowkiqServer server = started(2);
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "slow", 1);
		this.gate.awaitBegun("slow");
		move(server, LIMIT.minusMinutes(1));
		client.enqueue("orders", "other", 1);
		this.gate.awaitBegun("other");
		assertThat(this.fixture.counts("orders", 0).busy()).isPositive();
		move(server, Duration.ofMinutes(1));
		JobView failed = failed("slow");
		assertThat(failed.error()).contains(TEXT).contains("InterruptedException");
		assertThat(failed.retryCount()).isZero();
		client.enqueue("orders", "next", 1);
		this.gate.awaitBegun("next");
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 2);
		assertThat(this.fixture.counts("orders", 0).failed()).isEqualTo(1);
	}

	@Test
	void eachPayloadOfAnIdHasTheWholeTime() {
		List<Integer> done = new CopyOnWriteArrayList<>();
		Map<Integer, CountDownLatch> gates = Map.of(1, new CountDownLatch(1), 2, new CountDownLatch(1));
		CountDownLatch never = new CountDownLatch(1);
		List<Integer> begun = new CopyOnWriteArrayList<>();
		worker("orders", 1, (PayloadWorker<Integer>) (id, payload) -> {
			begun.add(payload);
			gates.getOrDefault(payload, never).await();
			done.add(payload);
		}, PayloadWorker.class);
		LowkiqClient client = this.fixture.client();
		client.enqueueAll("orders",
				List.of(JobRequest.of("a", 1), JobRequest.of("a", 2), JobRequest.of("a", 3), JobRequest.of("a", 4)));
		LowkiqServer server = started(1);
		for (int payload : List.of(1, 2)) {
			await().atMost(PATIENCE).until(() -> begun.contains(payload));
			move(server, LIMIT.minusMinutes(1));
			gates.get(payload).countDown();
		}
		await().atMost(PATIENCE).until(() -> begun.contains(3));
		assertThat(done).containsExactly(1, 2);
		move(server, LIMIT);
		assertThat(failed("a").payloadCount()).isEqualTo(2);
		assertThat(begun).containsExactly(1, 2, 3);
	}

	@Test
	void jobsOfABatchThatAreMarkedDoneAreNotPerformedAgain() {
		CountDownLatch never = new CountDownLatch(1);
		AtomicInteger begun = new AtomicInteger();
		worker("orders", 1, (BatchWorker<Integer>) (batch) -> {
			batch.jobs().stream().filter((job) -> job.id().startsWith("good")).forEach(Batch.Job::done);
			begun.incrementAndGet();
			never.await();
		}, BatchWorker.class);
		this.fixture.client()
			.enqueueAll("orders",
					List.of(JobRequest.of("good1", 1), JobRequest.of("bad", 2), JobRequest.of("good2", 3)));
		LowkiqServer server = started(1);
		await().atMost(PATIENCE).until(() -> begun.get() == 1);
		move(server, LIMIT);
		assertThat(failed("bad").error()).contains(TEXT);
		assertThat(this.fixture.counts("orders", 0).processed()).isEqualTo(2);
		assertThat(this.fixture.counts("orders", 0).failed()).isEqualTo(1);
	}

	@Test
	void workerThatIgnoresTheInterruptKeepsItsIdAndTheOthersGoOn() {
		worker("orders", 1, this.gate, Worker.class);
		LowkiqServer server = started(2);
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "deaf", 1);
		this.gate.awaitBegun("deaf");
		move(server, LIMIT);
		await().atMost(PATIENCE).until(() -> this.gate.interrupts.get() == 1);
		client.enqueue("orders", "deaf", 2);
		for (int i = 0; i < 5; i++) {
			move(server, LIMIT.dividedBy(4));
			client.enqueue("orders", "other" + i, 1);
			this.gate.awaitBegun("other" + i);
		}
		assertThat(this.gate.begun).containsOnlyOnce("deaf");
		assertThat(this.fixture.job("orders", JobView.State.BUSY, "deaf").payloadCount()).isEqualTo(1);
		this.gate.open();
		JobView failed = failed("deaf");
		assertThat(failed.error()).contains(TEXT);
		assertThat(failed.payloadCount()).isEqualTo(2);
		assertThat(this.gate.interrupts).hasValue(1);
		assertThat(this.gate.overlaps).hasValue(0);
	}

	@Test
	void suspectThatIgnoresTheInterruptHoldsNoOtherSuspectBack() {
		worker("orders", 1, this.gate, Worker.class);
		worker("mails", 1, this.gate, Worker.class);
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "deaf", 1);
		client.enqueue("orders", "suspect", 1);
		client.enqueue("mails", "other-suspect", 1);
		dieWhilePerforming("dead-1");
		dieWhilePerforming("dead-2");
		LowkiqServer server = started(4);
		this.gate.awaitBegun("deaf");
		move(server, LIMIT);
		await().atMost(PATIENCE).until(() -> this.gate.interrupts.get() == 1);
		client.enqueue("orders", "fresh", 1);
		client.enqueue("mails", "fresh-mail", 1);
		this.gate.awaitBegun("fresh", "fresh-mail");
		assertThat(this.gate.begun).doesNotContain("suspect");
		move(server, GRACE);
		this.gate.awaitBegun("suspect", "other-suspect");
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("mails"));
		assertThat(this.fixture.job("orders", JobView.State.BUSY, "deaf").payloadCount()).isEqualTo(1);
		assertThat(this.gate.begun).containsOnlyOnce("deaf");
	}

	@Test
	void shardWithAWorkerThatIgnoresTheInterruptIsServedAgainAfterARestart() {
		worker("orders", 2, this.gate, Worker.class);
		LowkiqServer server = started(2);
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "deaf", 1);
		this.gate.awaitBegun("deaf");
		move(server, LIMIT.plus(GRACE));
		await().atMost(PATIENCE).until(() -> this.gate.interrupts.get() == 1);
		assertThat(server.stop(Duration.ZERO)).isFalse();
		client.enqueue("orders", "deaf", 2);
		this.gate.open();
		server.start();
		await().atMost(PATIENCE).until(() -> {
			// The session of the first run ends by itself
			move(server, Duration.ofMinutes(20));
			return this.gate.begun.stream().filter("deaf"::equals).count() == 2;
		});
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders"));
		assertThat(this.gate.overlaps).hasValue(0);
	}

	/** A node that fetches all jobs and dies. */
	private void dieWhilePerforming(String session) {
		for (String queue : List.of("orders", "mails")) {
			Shard shard = this.fixture.shard(queue, 0);
			this.fixture.takeAsDeadNode(session + queue, shard);
			assertThat(this.fixture.nodes.end(session + queue, 0, true)).isTrue();
		}
	}

}
