package io.lowkiq.autoconfigure.outbox;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.Ordered;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.EnqueueRolledBackException;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.autoconfigure.outbox.OutboxTable.FirstRows;
import io.lowkiq.store.NewPayload;
import io.lowkiq.testing.TestTransactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class OutboxEnqueuerTests {

	private final OutboxFixture outbox = new OutboxFixture();

	@AfterEach
	void close() {
		this.outbox.close();
	}

	@Test
	void jobsAreCommittedWithTheTransaction() {
		this.outbox.jdbc.execute("create table orders (id varchar(10))");
		this.outbox.transaction.executeWithoutResult((status) -> {
			this.outbox.enqueue("1", "2");
			this.outbox.jdbc.update("insert into orders values ('1')");
			this.outbox.enqueue("1");
			assertThat(this.outbox.rows()).isZero();
		});
		assertThat(rows().rows()).extracting((row) -> row.payload().id()).containsExactly("1", "2", "1");
	}

	@Test
	void jobsAreRolledBackWithTheTransaction() {
		this.outbox.transaction.executeWithoutResult((status) -> {
			this.outbox.enqueue("1");
			status.setRollbackOnly();
		});
		assertThat(this.outbox.rows()).isZero();
	}

	@Test
	void whoDoesNotWaitLearnsHowTheTransactionEnded() {
		CompletableFuture<Void> committed = this.outbox.transaction.execute((status) -> {
			CompletableFuture<Void> end = this.outbox.enqueuer.enqueueAsync("orders", OutboxFixture.payloads("1"));
			assertThat(end).isNotDone();
			return end;
		});
		assertThat(committed).isCompleted();
		assertThat(this.outbox.rows()).isEqualTo(1);
		CompletableFuture<Void> rolledBack = this.outbox.transaction.execute((status) -> {
			status.setRollbackOnly();
			return this.outbox.enqueuer.enqueueAsync("orders", OutboxFixture.payloads("2"));
		});
		assertThat(rolledBack).isCompletedExceptionally();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(rolledBack::join)
			.withCauseInstanceOf(EnqueueRolledBackException.class);
		assertThat(this.outbox.enqueuer.enqueueAsync("orders", OutboxFixture.payloads("3"))).isCompleted();
		assertThat(this.outbox.rows()).isEqualTo(2);
	}

	@Test
	void theRowsAreInsertedByTheConnectionOfTheTransaction() {
		AtomicLong before = new AtomicLong();
		this.outbox.transaction.executeWithoutResult((status) -> {
			this.outbox.enqueue("1");
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public void beforeCompletion() {
					before.set(OutboxEnqueuerTests.this.outbox.rows());
				}
			});
		});
		assertThat(before).hasValue(1);
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.outbox.transaction.executeWithoutResult((status) -> {
				this.outbox.enqueue("2");
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
					@Override
					public void beforeCommit(boolean readOnly) {
						throw new IllegalStateException("after the rows");
					}
				});
			}));
		assertThat(this.outbox.rows()).isOne();
	}

	@Test
	void aRollbackToASavepointDropsWhatCameAfterIt() {
		TransactionTemplate nested = new TransactionTemplate(this.outbox.manager);
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		this.outbox.transaction.executeWithoutResult((status) -> {
			this.outbox.enqueue("1");
			nested.executeWithoutResult((inner) -> {
				this.outbox.enqueue("2");
				inner.setRollbackOnly();
			});
			nested.executeWithoutResult((inner) -> this.outbox.enqueue("3"));
		});
		assertThat(rows().rows()).extracting((row) -> row.payload().id()).containsExactly("1", "3");
	}

	@Test
	void anInnerTransactionCommitsForItself() {
		TransactionTemplate inner = new TransactionTemplate(this.outbox.manager);
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.outbox.transaction.executeWithoutResult((status) -> {
			this.outbox.enqueue("1");
			inner.executeWithoutResult((innerStatus) -> this.outbox.enqueue("2"));
			status.setRollbackOnly();
		});
		assertThat(rows().rows()).extracting((row) -> row.payload().id()).containsExactly("2");
	}

	@Test
	void withoutATransactionTheRowsHaveOneOfTheirOwn() {
		this.outbox.enqueue("1", "2");
		assertThat(this.outbox.rows()).isEqualTo(2);
	}

	@Test
	void whatIsEnqueuedAroundTheCommitIsNotLost() {
		this.outbox.transaction.executeWithoutResult((status) -> {
			this.outbox.enqueue("1");
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public int getOrder() {
					return Ordered.LOWEST_PRECEDENCE;
				}

				@Override
				public void beforeCommit(boolean readOnly) {
					OutboxEnqueuerTests.this.outbox.enqueue("2");
				}

				@Override
				public void beforeCompletion() {
					OutboxEnqueuerTests.this.outbox.enqueue("3");
				}

				@Override
				public void afterCommit() {
					OutboxEnqueuerTests.this.outbox.enqueue("4");
				}

				@Override
				public void afterCompletion(int status) {
					OutboxEnqueuerTests.this.outbox.enqueue("5");
				}

			});
		});
		assertThat(rows().rows()).extracting((row) -> row.payload().id()).containsExactly("1", "2", "3", "4", "5");
	}

	@Test
	void aReadOnlyTransactionEnqueuesAfterItsEnd() {
		this.outbox.transaction.setReadOnly(true);
		AtomicLong before = new AtomicLong(-1);
		this.outbox.transaction.executeWithoutResult((status) -> {
			this.outbox.enqueue("1");
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public void beforeCompletion() {
					before.set(OutboxEnqueuerTests.this.outbox.rows());
				}
			});
		});
		assertThat(before).hasValue(0);
		assertThat(this.outbox.rows()).isOne();
	}

	@Test
	void aTransactionOfAnotherResourceEnqueuesAfterItsCommitAndWarnsOnce(CapturedOutput output) {
		TestTransactions resource = new TestTransactions();
		TransactionTemplate other = new TransactionTemplate(resource);
		other.executeWithoutResult((status) -> {
			this.outbox.enqueue("1");
			status.setRollbackOnly();
		});
		other.executeWithoutResult((status) -> {
			// A connection that is bound to the thread and commits each statement
			this.outbox.jdbc.queryForList("select 1");
			this.outbox.enqueue("2");
		});
		other.executeWithoutResult((status) -> this.outbox.enqueue("3"));
		resource.fail();
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> other.executeWithoutResult((status) -> {
				this.outbox.jdbc.queryForList("select 1");
				this.outbox.enqueue("4");
			}));
		assertThat(rows().rows()).extracting((row) -> row.payload().id()).containsExactly("2", "3");
		assertThat(output.toString().split("does not belong to the database with the table", -1)).hasSize(2);
	}

	@Test
	void theTransactionFailsIfTheTableIsMissing() {
		this.outbox.jdbc.execute("create table orders (id varchar(10))");
		this.outbox.jdbc.execute("drop table lowkiq_outbox");
		assertThatExceptionOfType(DataAccessException.class)
			.isThrownBy(() -> this.outbox.transaction.executeWithoutResult((status) -> {
				this.outbox.jdbc.update("insert into orders values ('1')");
				this.outbox.enqueue("1");
			}))
			.withMessageContaining("write jobs to the outbox");
		assertThat(this.outbox.jdbc.queryForList("select * from orders")).isEmpty();
	}

	@Test
	void aNameThatIsNoneIsRefusedAtOnce() {
		this.outbox.transaction.executeWithoutResult((status) -> assertThatExceptionOfType(InvalidQueueException.class)
			.isThrownBy(() -> this.outbox.enqueuer.enqueue("no name", OutboxFixture.payloads("1"))));
	}

	@Test
	void aRowKeepsEverythingOfItsPayload() {
		byte[] bytes = "payload".getBytes(StandardCharsets.UTF_8);
		this.outbox.enqueuer.enqueue("orders",
				List.of(new NewPayload("ü", bytes, 0.1, 5L, 0), new NewPayload("b", bytes, null, null, 7)));
		assertThat(rows().rows()).satisfiesExactly((row) -> {
			assertThat(row.queue()).isEqualTo("orders");
			assertThat(row.payload().id()).isEqualTo("ü");
			assertThat(row.payload().payload()).isEqualTo(bytes);
			assertThat(row.payload().score()).isEqualTo(0.1);
			assertThat(row.payload().performAt()).isEqualTo(5);
			assertThat(row.payload().delay()).isZero();
			assertThat(row.createdAt()).isEqualTo(this.outbox.now.toEpochMilli());
		}, (row) -> {
			assertThat(row.payload().score()).isNull();
			assertThat(row.payload().performAt()).isNull();
			assertThat(row.payload().delay()).isEqualTo(7);
		});
	}

	private FirstRows rows() {
		return this.outbox.table.first(100, List.of());
	}

}
