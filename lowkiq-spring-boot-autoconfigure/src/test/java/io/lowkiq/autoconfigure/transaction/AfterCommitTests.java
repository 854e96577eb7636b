package io.lowkiq.autoconfigure.transaction;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import io.lowkiq.EnqueueRolledBackException;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.StoreException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.ForwardingShardStore;
import io.lowkiq.testing.TestTransactions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

@ExtendWith(OutputCaptureExtension.class)
class AfterCommitTests {

	private final RedisStore queues = InMemoryRedis.newStore(InstantSource.system());

	private final RecordingStore store = new RecordingStore();

	private final Counts counts = new Counts();

	private final AfterCommitEnqueuer enqueuer = new AfterCommitEnqueuer(
			new StoreEnqueuer(new WorkerRegistry(List.of()), List.of(), this.store, this.queues.queues(), this.counts));

	private final TestTransactions manager = new TestTransactions();

	private final TransactionTemplate transaction = new TransactionTemplate(this.manager);

	@BeforeEach
	void recordQueues() {
		this.queues.queues().register("orders", 1);
		this.queues.queues().register("mails", 1);
	}

	@Test
	void enqueuesAtOnceOutsideOfATransaction() {
		enqueue("1");
		assertThat(this.store.ids).containsExactly("1");
	}

	@Test
	@SuppressWarnings("FutureReturnValueIgnored")
	void whoDoesNotWaitLearnsHowTheTransactionEnded() {
		List<CompletableFuture<Void>> ends = new ArrayList<>();
		this.transaction.executeWithoutResult((status) -> {
			ends.add(enqueueAsync("1"));
			ends.add(enqueueAsync("2"));
			assertThat(ends).noneMatch(CompletableFuture::isDone);
		});
		assertThat(ends).allMatch((end) -> end.isDone() && !end.isCompletedExceptionally());
		assertThat(this.store.ids).containsExactly("1", "2");
		ends.clear();
		this.transaction.executeWithoutResult((status) -> {
			ends.add(enqueueAsync("3"));
			status.setRollbackOnly();
		});
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> ends.get(0).join())
			.withCauseInstanceOf(EnqueueRolledBackException.class);
		enqueueAsync("4").join();
		assertThat(this.store.ids).containsExactly("1", "2", "4");
		assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> this.transaction
			.executeWithoutResult((status) -> this.enqueuer.enqueueAsync("unknown", List.of(payload("5")))));
	}

	private CompletableFuture<Void> enqueueAsync(String id) {
		return this.enqueuer.enqueueAsync("orders", List.of(payload(id)));
	}

	private static NewPayload payload(String id) {
		return NewPayload.of(id, id.getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void enqueuesAtOnceWhereNoTransactionIsNeeded() {
		this.transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
		this.transaction.executeWithoutResult((status) -> {
			enqueue("1");
			assertThat(this.store.ids).containsExactly("1");
		});
	}

	@Test
	void enqueuesInOrderAndByOneCallAfterTheCommit() {
		this.transaction.executeWithoutResult((status) -> {
			enqueue("2");
			enqueue("1", "3");
			enqueue("2");
			assertThat(this.store.ids).isEmpty();
		});
		assertThat(this.store.ids).containsExactly("2", "1", "3", "2");
		assertThat(this.store.calls).isOne();
	}

	@Test
	void enqueuesNothingAfterARollback() {
		this.transaction.executeWithoutResult((status) -> {
			enqueue("1");
			status.setRollbackOnly();
		});
		assertThat(this.store.ids).isEmpty();
	}

	@Test
	void onlyWhatReachesTheStoreCountsAsEnqueued() {
		this.transaction.executeWithoutResult((status) -> {
			enqueue("1");
			assertThat(this.counts.enqueued).isZero();
			status.setRollbackOnly();
		});
		assertThat(this.counts.enqueued).isZero();
		this.transaction.executeWithoutResult((status) -> enqueue("1", "2"));
		assertThat(this.counts.enqueued).isEqualTo(2);
	}

	@Test
	void anInnerTransactionCommitsForItself() {
		TransactionTemplate inner = new TransactionTemplate(this.manager);
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.executeWithoutResult((status) -> {
			enqueue("1");
			inner.executeWithoutResult((innerStatus) -> enqueue("2"));
			assertThat(this.store.ids).containsExactly("2");
			status.setRollbackOnly();
		});
		assertThat(this.store.ids).containsExactly("2");
	}

	@Test
	void aRollbackToASavepointDropsWhatCameAfterIt() {
		this.transaction.executeWithoutResult((status) -> {
			enqueue("1");
			synchronizations().forEach((each) -> each.savepoint("savepoint"));
			enqueue("2");
			synchronizations().forEach((each) -> each.savepointRollback("savepoint"));
		});
		assertThat(this.store.ids).containsExactly("1");
	}

	@Test
	void aRollbackToASavepointBeforeTheFirstEnqueueDropsAll() {
		this.transaction.executeWithoutResult((status) -> {
			enqueue("1");
			synchronizations().forEach((each) -> each.savepointRollback("unknown"));
		});
		assertThat(this.store.ids).isEmpty();
	}

	private static List<TransactionSynchronization> synchronizations() {
		return TransactionSynchronizationManager.getSynchronizations();
	}

	@Test
	void enqueuesWhatOthersAddAfterTheCommit() {
		this.transaction.executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
					@Override
					public void afterCommit() {
						enqueue("1");
					}
				}));
		assertThat(this.store.ids).containsExactly("1");
	}

	@Test
	void theCallerOfTheCommitSeesNoFailureAndTheOtherQueuesAreWritten(CapturedOutput output) {
		this.store.failing = "4\n2";
		assertThatNoException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
			enqueue("4\n2", "43");
			this.enqueuer.enqueue("mails", payloads("44"));
		}));
		assertThat(this.store.ids).containsExactly("44");
		assertThat(this.counts.failed).isEqualTo(2);
		assertThat(output).contains("ERROR", "2 jobs", "queue 'orders'", "'4\\n2', '43'", "Out of reach");
	}

	@Test
	void anUnknownQueueIsRefusedInTheTransaction() {
		this.transaction.executeWithoutResult((status) -> assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> this.enqueuer.enqueue("other", payloads("1"))));
	}

	@Test
	void enqueuesNothingWhenTheCommitFails() {
		this.manager.fail();
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> enqueue("1")));
		assertThat(this.store.ids).isEmpty();
	}

	@Test
	void anEnqueueOnAThreadThatMustNotBlockIsToldOnce(CapturedOutput output) {
		enqueue("1");
		assertThat(output).doesNotContain("Reactor");
		for (String id : List.of("2", "3")) {
			Mono.fromRunnable(() -> enqueue(id)).subscribeOn(Schedulers.parallel()).block();
		}
		assertThat(this.store.ids).containsExactly("1", "2", "3");
		assertThat(output).containsOnlyOnce("on which Reactor forbids blocking");
	}

	private void enqueue(String... ids) {
		this.enqueuer.enqueue("orders", payloads(ids));
	}

	private static List<NewPayload> payloads(String... ids) {
		return Stream.of(ids).map((id) -> NewPayload.of(id, "payload".getBytes(StandardCharsets.UTF_8))).toList();
	}

	private static final class Counts implements LowkiqObserver {

		private int enqueued;

		private int failed;

		@Override
		public void enqueued(String queue, int jobs, int merged, Duration took) {
			this.enqueued += jobs;
		}

		@Override
		public void enqueueFailed(String queue, int jobs, Duration took) {
			this.failed += jobs;
		}

	}

	private static final class RecordingStore extends ForwardingShardStore {

		private final List<String> ids = new ArrayList<>();

		private int calls;

		private String failing = "";

		@Override
		public EnqueueResult enqueue(Shard shard, List<NewPayload> payloads) {
			if (payloads.get(0).id().equals(this.failing)) {
				throw new StoreException("Out of reach", null);
			}
			this.calls++;
			payloads.forEach((payload) -> this.ids.add(payload.id()));
			return new EnqueueResult(0, 0);
		}

	}

}
