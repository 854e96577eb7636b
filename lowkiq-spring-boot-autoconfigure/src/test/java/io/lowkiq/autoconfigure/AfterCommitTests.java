package io.lowkiq.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

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
import io.lowkiq.store.Fetch;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.FetchResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AfterCommitTests {

	private final RecordingStore pushed = new RecordingStore();

	private final AfterCommitShardStore store = new AfterCommitShardStore(this.pushed);

	private final TestTransactions manager = new TestTransactions();

	private final TransactionTemplate transaction = new TransactionTemplate(this.manager);

	@Test
	void pushesAtOnceOutsideOfATransaction() {
		push(1);
		assertThat(this.pushed.shards).containsExactly(1);
	}

	@Test
	void pushesAtOnceWhereNoTransactionIsNeeded() {
		this.transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
		this.transaction.executeWithoutResult((status) -> {
			push(1);
			assertThat(this.pushed.shards).containsExactly(1);
		});
	}

	@Test
	void pushesInOrderAfterTheCommit() {
		this.transaction.executeWithoutResult((status) -> {
			push(2);
			push(1);
			push(2);
			assertThat(this.pushed.shards).isEmpty();
		});
		assertThat(this.pushed.shards).containsExactly(2, 1, 2);
	}

	@Test
	void pushesNothingAfterARollback() {
		this.transaction.executeWithoutResult((status) -> {
			push(1);
			status.setRollbackOnly();
		});
		assertThat(this.pushed.shards).isEmpty();
	}

	@Test
	void anInnerTransactionCommitsForItself() {
		TransactionTemplate inner = new TransactionTemplate(this.manager);
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.executeWithoutResult((status) -> {
			push(1);
			inner.executeWithoutResult((innerStatus) -> push(2));
			assertThat(this.pushed.shards).containsExactly(2);
			status.setRollbackOnly();
		});
		assertThat(this.pushed.shards).containsExactly(2);
	}

	@Test
	void aRollbackToASavepointDropsWhatCameAfterIt() {
		PendingPushes pending = new PendingPushes(this.pushed);
		pending.add(new Shard("orders", 1, 1), pushes());
		pending.savepoint("savepoint");
		pending.add(new Shard("orders", 1, 2), pushes());
		pending.savepointRollback("savepoint");
		pending.afterCommit();
		assertThat(this.pushed.shards).containsExactly(1);
	}

	@Test
	void aRollbackToASavepointBeforeTheFirstPushDropsAll() {
		PendingPushes pending = new PendingPushes(this.pushed);
		pending.add(new Shard("orders", 1, 1), pushes());
		pending.savepointRollback("unknown");
		pending.afterCommit();
		assertThat(this.pushed.shards).isEmpty();
	}

	@Test
	void pushesWhatOthersEnqueueAfterTheCommit() {
		this.transaction.executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
					@Override
					public void afterCommit() {
						push(1);
					}
				}));
		assertThat(this.pushed.shards).containsExactly(1);
	}

	@Test
	void theCallerOfTheCommitIsToldOfAFailureAndTheOtherShardsArePushed() {
		this.pushed.failing = 1;
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				push(1);
				push(2);
			}));
		assertThat(this.pushed.shards).containsExactly(2);
	}

	@Test
	void pushesNothingWhenTheCommitFails() {
		this.manager.failing = true;
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> push(1)));
		assertThat(this.pushed.shards).isEmpty();
	}

	private void push(int shard) {
		this.store.push(new Shard("orders", 1, shard), pushes());
	}

	private static List<NewPayload> pushes() {
		return List.of(new NewPayload("42", "payload".getBytes(StandardCharsets.UTF_8), null, null, 0));
	}

	private static final class RecordingStore implements ShardStore {

		private final List<Integer> shards = new ArrayList<>();

		private int failing = -1;

		@Override
		public EnqueueResult push(Shard shard, List<NewPayload> pushes) {
			if (shard.index() == this.failing) {
				throw new StoreException("Out of reach", null);
			}
			this.shards.add(shard.index());
			return new EnqueueResult(0, 0);
		}

		@Override
		public Acquisition acquire(Shard shard, Claim claim) {
			throw new UnsupportedOperationException();
		}

		@Override
		public FetchResult turn(Lease lease, long sequence, List<Outcome> outcomes, Fetch fetch) {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean release(Lease lease, long sequence, List<Outcome> outcomes) {
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
