package io.lowkiq.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Claim;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardPayloads;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.StoreException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AfterCommitTests {

	private final RecordingStore target = new RecordingStore();

	private final AfterCommitShardStore store = new AfterCommitShardStore(this.target);

	private final TestTransactions manager = new TestTransactions();

	private final TransactionTemplate transaction = new TransactionTemplate(this.manager);

	@Test
	void enqueuesAtOnceOutsideOfATransaction() {
		enqueue(1);
		assertThat(this.target.shards).containsExactly(1);
	}

	@Test
	void enqueuesAtOnceWhereNoTransactionIsNeeded() {
		this.transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
		this.transaction.executeWithoutResult((status) -> {
			enqueue(1);
			assertThat(this.target.shards).containsExactly(1);
		});
	}

	@Test
	void enqueuesInOrderAfterTheCommit() {
		this.transaction.executeWithoutResult((status) -> {
			enqueue(2);
			enqueue(1);
			enqueue(2);
			assertThat(this.target.shards).isEmpty();
		});
		assertThat(this.target.shards).containsExactly(2, 1, 2);
	}

	@Test
	void severalShardsAreEnqueuedByOneCallOutsideOfATransaction() {
		this.store.enqueueAll(all(2, 1));
		assertThat(this.target.shards).containsExactly(2, 1);
		assertThat(this.target.bulks).isOne();
	}

	@Test
	void severalShardsAreEnqueuedAfterTheCommit() {
		this.transaction.executeWithoutResult((status) -> {
			this.store.enqueueAll(all(2, 1));
			assertThat(this.target.shards).isEmpty();
		});
		assertThat(this.target.shards).containsExactly(2, 1);
	}

	@Test
	void enqueuesNothingAfterARollback() {
		this.transaction.executeWithoutResult((status) -> {
			enqueue(1);
			status.setRollbackOnly();
		});
		assertThat(this.target.shards).isEmpty();
	}

	@Test
	void anInnerTransactionCommitsForItself() {
		TransactionTemplate inner = new TransactionTemplate(this.manager);
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.executeWithoutResult((status) -> {
			enqueue(1);
			inner.executeWithoutResult((innerStatus) -> enqueue(2));
			assertThat(this.target.shards).containsExactly(2);
			status.setRollbackOnly();
		});
		assertThat(this.target.shards).containsExactly(2);
	}

	@Test
	void aRollbackToASavepointDropsWhatCameAfterIt() {
		PendingPayloads pending = new PendingPayloads(this.target);
		pending.add(new Shard("orders", 1, 1), payloads());
		pending.savepoint("savepoint");
		pending.add(new Shard("orders", 1, 2), payloads());
		pending.savepointRollback("savepoint");
		pending.afterCommit();
		assertThat(this.target.shards).containsExactly(1);
	}

	@Test
	void aRollbackToASavepointBeforeTheFirstEnqueueDropsAll() {
		PendingPayloads pending = new PendingPayloads(this.target);
		pending.add(new Shard("orders", 1, 1), payloads());
		pending.savepointRollback("unknown");
		pending.afterCommit();
		assertThat(this.target.shards).isEmpty();
	}

	@Test
	void enqueuesWhatOthersAddAfterTheCommit() {
		this.transaction.executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
					@Override
					public void afterCommit() {
						enqueue(1);
					}
				}));
		assertThat(this.target.shards).containsExactly(1);
	}

	@Test
	void theCallerOfTheCommitSeesAFailureAndTheOtherShardsAreWritten() {
		this.target.failing = 1;
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				enqueue(1);
				enqueue(2);
			}));
		assertThat(this.target.shards).containsExactly(2);
	}

	@Test
	void enqueuesNothingWhenTheCommitFails() {
		this.manager.failing = true;
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> enqueue(1)));
		assertThat(this.target.shards).isEmpty();
	}

	private void enqueue(int shard) {
		this.store.enqueue(new Shard("orders", 1, shard), payloads());
	}

	private static List<ShardPayloads> all(int... shards) {
		return Arrays.stream(shards)
			.mapToObj((shard) -> new ShardPayloads(new Shard("orders", 1, shard), payloads()))
			.toList();
	}

	private static List<NewPayload> payloads() {
		return List.of(new NewPayload("42", "payload".getBytes(StandardCharsets.UTF_8), null, null, 0));
	}

	private static final class RecordingStore implements ShardStore {

		private final List<Integer> shards = new ArrayList<>();

		private int bulks;

		private int failing = -1;

		@Override
		public EnqueueResult enqueue(Shard shard, List<NewPayload> payloads) {
			if (shard.index() == this.failing) {
				throw new StoreException("Out of reach", null);
			}
			this.shards.add(shard.index());
			return new EnqueueResult(0, 0);
		}

		@Override
		public EnqueueResult enqueueAll(List<ShardPayloads> all) {
			this.bulks++;
			return ShardStore.super.enqueueAll(all);
		}

		@Override
		public boolean isQueued(Shard shard, String id) {
			throw new UnsupportedOperationException();
		}

		@Override
		public CompletableFuture<Acquisition> acquire(Shard shard, Claim claim) {
			throw new UnsupportedOperationException();
		}

		@Override
		public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy,
				List<Outcome> outcomes, Fetch fetch) {
			throw new UnsupportedOperationException();
		}

		@Override
		public CompletableFuture<Boolean> release(Lease lease, long sequence, List<Outcome> outcomes) {
			throw new UnsupportedOperationException();
		}

	}

	/**
	 * Transactions of nothing.
	 */
	private static final class TestTransactions extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		private transient Object current;

		private boolean failing;

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected boolean isExistingTransaction(Object transaction) {
			return this.current != null;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			this.current = transaction;
		}

		@Override
		protected Object doSuspend(Object transaction) {
			Object suspended = this.current;
			this.current = null;
			return suspended;
		}

		@Override
		protected void doResume(Object transaction, Object suspendedResources) {
			this.current = suspendedResources;
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			if (this.failing) {
				throw new TransactionSystemException("The connection broke");
			}
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

		@Override
		protected void doSetRollbackOnly(DefaultTransactionStatus status) {
			status.setRollbackOnly();
		}

		@Override
		protected void doCleanupAfterCompletion(Object transaction) {
			this.current = null;
		}

	}

}
