package io.lowkiq.autoconfigure.outbox;

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.lowkiq.EnqueueRolledBackException;
import io.lowkiq.InvalidJobException;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.ReadOnlyTransactionException;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.StoredPayload;
import io.lowkiq.testing.TestTransactions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.Ordered;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class OutboxEnqueuerTests {

	@AutoClose
	private final OutboxFixture outbox = new OutboxFixture();

	@Test
	void jobsAreCommittedWithTheTransaction() {
		this.outbox.jdbc.execute("create table orders (id varchar(10))");
		this.outbox.transaction.executeWithoutResult((status) -> {
			this.outbox.enqueue("1", "2");
			this.outbox.jdbc.update("insert into orders values ('1')");
			this.outbox.enqueue("1");
			assertThat(this.outbox.rows()).isZero();
		});
		assertThat(this.outbox.all()).extracting((row) -> row.payload().id()).containsExactly("1", "2", "1");
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
	void theRowsAreInsertedByTheConnectionOfTheTransactionAfterAllCallbacks() {
		List<Long> rows = new ArrayList<>();
		this.outbox.manager.addListener(new TransactionExecutionListener() {
			@Override
			public void beforeCommit(TransactionExecution transaction) {
				rows.add(OutboxEnqueuerTests.this.outbox.rows());
			}
		});
		this.outbox.transaction.executeWithoutResult((status) -> {
			this.outbox.enqueue("1");
			register(new TransactionSynchronization() {
				@Override
				public void beforeCompletion() {
					rows.add(OutboxEnqueuerTests.this.outbox.rows());
				}
			});
		});
		assertThat(rows).containsExactly(0L, 1L);
		this.outbox.manager.addListener(new TransactionExecutionListener() {
			@Override
			public void beforeCommit(TransactionExecution transaction) {
				throw new IllegalStateException("after the rows");
			}
		});
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.outbox.transaction.executeWithoutResult((status) -> this.outbox.enqueue("2")));
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
		assertThat(this.outbox.all()).extracting((row) -> row.payload().id()).containsExactly("1", "3");
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
		assertThat(this.outbox.all()).extracting((row) -> row.payload().id()).containsExactly("2");
	}

	@Test
	void withoutATransactionTheRowsHaveOneOfTheirOwn() {
		this.outbox.enqueue("1", "2");
		assertThat(this.outbox.rows()).isEqualTo(2);
	}

	@Test
	void whatCallbacksEnqueueIsPartOfTheTransactionUntilTheCommit() {
		List<CompletableFuture<Void>> ends = new ArrayList<>();
		Consumer<String> enqueue = (id) -> ends
			.add(this.outbox.enqueuer.enqueueAsync("orders", OutboxFixture.payloads(id)));
		this.outbox.manager.addListener(new TransactionExecutionListener() {
			@Override
			public void beforeCommit(TransactionExecution transaction) {
				enqueue.accept("4");
			}
		});
		TransactionSynchronization callbacks = new TransactionSynchronization() {

			@Override
			public void beforeCommit(boolean readOnly) {
				enqueue.accept("2");
			}

			@Override
			public void beforeCompletion() {
				enqueue.accept("3");
			}

			@Override
			public void afterCommit() {
				enqueue.accept("5");
			}

			@Override
			public void afterCompletion(int status) {
				enqueue.accept("6");
			}

		};
		this.outbox.transaction.executeWithoutResult((status) -> {
			enqueue.accept("1");
			register(callbacks);
		});
		assertThat(ids()).containsExactly("1", "2", "3", "4", "5", "6");
		assertThat(ends).hasSize(6).allMatch((end) -> end.isDone() && !end.isCompletedExceptionally());
	}

	@Test
	void whatOnlyACallbackEnqueuesIsRolledBackWithTheTransaction() {
		TransactionTemplate rolledBack = new TransactionTemplate(this.outbox.manager);
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> rolledBack.executeWithoutResult((status) -> register(new TransactionSynchronization() {
				@Override
				public void beforeCommit(boolean readOnly) {
					OutboxEnqueuerTests.this.outbox.enqueue("1");
					throw new IllegalStateException("refused");
				}
			})));
		assertThat(this.outbox.rows()).isZero();
	}

	@Test
	void callbacksOfEveryOrderMayEnqueueAfterTheCommit() {
		for (int order : new int[] { Ordered.HIGHEST_PRECEDENCE, Ordered.LOWEST_PRECEDENCE }) {
			this.outbox.transaction.executeWithoutResult((status) -> register(new TransactionSynchronization() {

				@Override
				public int getOrder() {
					return order;
				}

				@Override
				public void afterCommit() {
					OutboxEnqueuerTests.this.outbox.enqueue("commit " + order);
				}

				@Override
				public void afterCompletion(int status) {
					OutboxEnqueuerTests.this.outbox.enqueue("completion " + order);
				}

			}));
		}
		assertThat(ids()).hasSize(4);
	}

	@Test
	void aTransactionThatACallbackBeginsLeavesTheConnectionToTheNextCallback() {
		TransactionTemplate inner = new TransactionTemplate(this.outbox.manager);
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		List<CompletableFuture<Void>> ends = new ArrayList<>();
		this.outbox.transaction.executeWithoutResult((status) -> register(new TransactionSynchronization() {
			@Override
			public void afterCompletion(int status) {
				inner.executeWithoutResult((begun) -> OutboxEnqueuerTests.this.outbox.enqueue("1"));
				ends.add(OutboxEnqueuerTests.this.outbox.enqueuer.enqueueAsync("orders", OutboxFixture.payloads("2")));
			}
		}));
		assertThat(ends.get(0)).isCompleted();
		assertThat(ids()).containsExactly("1", "2");
	}

	@Test
	void aCallbackAfterARollbackMayEnqueue() {
		this.outbox.transaction.executeWithoutResult((status) -> {
			register(new TransactionSynchronization() {
				@Override
				public void afterCompletion(int status) {
					OutboxEnqueuerTests.this.outbox.enqueue("failed");
				}
			});
			this.outbox.enqueue("1");
			status.setRollbackOnly();
		});
		assertThat(ids()).containsExactly("failed");
	}

	@Test
	void aReadOnlyTransactionRefusesAtTheCall() {
		this.outbox.transaction.setReadOnly(true);
		this.outbox.transaction.executeWithoutResult((status) -> {
			assertThatExceptionOfType(ReadOnlyTransactionException.class).isThrownBy(() -> this.outbox.enqueue("1"));
			register(new TransactionSynchronization() {
				@Override
				public void afterCompletion(int status) {
					assertThatExceptionOfType(ReadOnlyTransactionException.class)
						.isThrownBy(() -> OutboxEnqueuerTests.this.outbox.enqueue("2"));
				}
			});
		});
		assertThat(this.outbox.rows()).isZero();
	}

	private static void register(TransactionSynchronization callbacks) {
		TransactionSynchronizationManager.registerSynchronization(callbacks);
	}

	private List<String> ids() {
		return this.outbox.all().stream().map((row) -> row.payload().id()).toList();
	}

	@Test
	void aConnectionWithoutAutoCommitBelongsToNoTransactionOfAnotherResource() {
		DataSource manual = withoutAutoCommit();
		OutboxDatabase database = OutboxFixture.database(manual);
		HandedOverJobs handedOver = new HandedOverJobs(database, new OutboxWriter(database, this.outbox.table));
		OutboxEnqueuer enqueuer = new OutboxEnqueuer(database, this.outbox.table, handedOver, () -> {
		});
		TransactionTemplate other = new TransactionTemplate(told(new TestTransactions(), enqueuer));
		CompletableFuture<Void> end = other.execute((status) -> {
			new JdbcTemplate(manual).queryForList("select 1");
			return enqueuer.enqueueAsync("orders", OutboxFixture.payloads("1"));
		});
		assertThat(end).isNotDone();
		assertThat(handedOver.write()).isNull();
		assertThat(end).isCompleted();
		assertThat(ids()).containsExactly("1");
	}

	@Test
	void whatACallbackEnqueuesAfterTheCommitIsCommittedAlsoWithoutAutoCommit() {
		DataSource manual = withoutAutoCommit();
		OutboxEnqueuer enqueuer = OutboxFixture.enqueuer(manual, this.outbox.table, () -> {
		});
		new TransactionTemplate(told(new JdbcTransactionManager(manual), enqueuer)).executeWithoutResult((status) -> {
			register(new TransactionSynchronization() {

				@Override
				public int getOrder() {
					return Ordered.HIGHEST_PRECEDENCE;
				}

				@Override
				public void afterCommit() {
					enqueuer.enqueue("orders", OutboxFixture.payloads("2"));
				}

			});
			enqueuer.enqueue("orders", OutboxFixture.payloads("1"));
		});
		assertThat(ids()).containsExactly("1", "2");
	}

	/** As every transaction manager of an application is. */
	private static <T extends AbstractPlatformTransactionManager> T told(T manager, OutboxEnqueuer enqueuer) {
		OutboxTransactions transactions = new OutboxTransactions();
		transactions.connect(enqueuer);
		manager.addListener(transactions.listener());
		return manager;
	}

	private DataSource withoutAutoCommit() {
		return new DriverManagerDataSource(((DriverManagerDataSource) this.outbox.dataSource).getUrl()) {
			@Override
			protected Connection getConnectionFromDriverManager(String url, Properties properties) throws SQLException {
				Connection connection = super.getConnectionFromDriverManager(url, properties);
				connection.setAutoCommit(false);
				return connection;
			}
		};
	}

	@Test
	void aTransactionOfAnotherResourceEnqueuesAfterItsCommitAndWarnsOnce(CapturedOutput output) {
		TestTransactions resource = told(new TestTransactions(), this.outbox.enqueuer);
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
		assertThat(this.outbox.handedOver.write()).isNull();
		assertThat(this.outbox.all()).extracting((row) -> row.payload().id()).containsExactly("2", "3");
		assertThat(output.toString().split("does not belong to the database with the table", -1)).hasSize(2);
	}

	@Test
	void aTransactionThatJoinsOneThatHasEndedIsNotOneOfAnotherResource(CapturedOutput output) {
		AtomicReference<CompletableFuture<Void>> end = new AtomicReference<>();
		this.outbox.transaction.executeWithoutResult((status) -> register(new TransactionSynchronization() {
			@Override
			public void afterCompletion(int status) {
				OutboxEnqueuerTests.this.outbox.transaction.executeWithoutResult((joining) -> end
					.set(OutboxEnqueuerTests.this.outbox.enqueuer.enqueueAsync("orders", OutboxFixture.payloads("1"))));
			}
		}));
		assertThat(end.get()).isCompleted();
		assertThat(ids()).containsExactly("1");
		assertThat(output).doesNotContain("does not belong");
		new TransactionTemplate(told(new TestTransactions(), this.outbox.enqueuer))
			.executeWithoutResult((status) -> this.outbox.enqueue("2"));
		assertThat(output).contains("does not belong");
	}

	@Test
	void aTransactionOfAnotherResourceDoesNotCommitTheOneAroundIt() {
		this.outbox.jdbc.execute("create table orders (id varchar(10))");
		TransactionTemplate other = new TransactionTemplate(told(new TestTransactions(), this.outbox.enqueuer));
		this.outbox.transaction.executeWithoutResult((status) -> {
			this.outbox.jdbc.update("insert into orders values ('1')");
			other.executeWithoutResult((inner) -> this.outbox.enqueue("1"));
			status.setRollbackOnly();
		});
		assertThat(this.outbox.jdbc.queryForList("select * from orders")).isEmpty();
		assertThat(this.outbox.handedOver.write()).isNull();
		assertThat(ids()).containsExactly("1");
	}

	@Test
	void aTransactionWithoutSynchronizationIsNotCommittedHalfway() {
		this.outbox.jdbc.execute("create table orders (id varchar(10))");
		this.outbox.manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		this.outbox.transaction.executeWithoutResult((status) -> {
			this.outbox.jdbc.update("insert into orders values ('1')");
			this.outbox.enqueue("1");
			status.setRollbackOnly();
		});
		assertThat(this.outbox.jdbc.queryForList("select * from orders")).isEmpty();
		assertThat(this.outbox.handedOver.write()).isNull();
		assertThat(ids()).containsExactly("1");
	}

	@Test
	void jobsOfAnotherResourceAreBoundedAndLostWithAWordWhenTheOutboxStops(CapturedOutput output) {
		TransactionTemplate other = new TransactionTemplate(told(new TestTransactions(), this.outbox.enqueuer));
		byte[] large = new byte[40 << 20];
		List<CompletableFuture<Void>> ends = new ArrayList<>();
		for (String id : List.of("1", "2")) {
			other.executeWithoutResult((status) -> ends
				.add(this.outbox.enqueuer.enqueueAsync("orders", List.of(NewPayload.of(id, large)))));
		}
		assertThat(ends.get(0)).isNotDone();
		assertThat(ends.get(1)).isCompletedExceptionally();
		assertThat(output).contains("may be lost; their ids: '2'").doesNotContain("'1'");
		this.outbox.handedOver.close();
		assertThat(ends.get(0)).isCompletedExceptionally();
		assertThat(output).contains("and are lost; their ids: '1'");
		other.executeWithoutResult(
				(status) -> ends.add(this.outbox.enqueuer.enqueueAsync("orders", OutboxFixture.payloads("3"))));
		assertThat(ends.get(2)).isCompletedExceptionally();
		this.outbox.handedOver.open();
		other.executeWithoutResult((status) -> this.outbox.enqueue("4"));
		assertThat(this.outbox.handedOver.write()).isNull();
		assertThat(ids()).containsExactly("4");
	}

	@Test
	void whatTheTableRefusesIsLostWithAWordAndTheOthersAreWritten(CapturedOutput output) {
		this.outbox.jdbc.execute("alter table lowkiq_outbox add check (job_id <> 'refused')");
		TransactionTemplate other = new TransactionTemplate(told(new TestTransactions(), this.outbox.enqueuer));
		CompletableFuture<Void> refused = other
			.execute((status) -> this.outbox.enqueuer.enqueueAsync("orders", OutboxFixture.payloads("refused")));
		other.executeWithoutResult((status) -> this.outbox.enqueue("2"));
		assertThat(this.outbox.handedOver.write()).isNull();
		assertThat(refused).isCompletedExceptionally();
		assertThat(output).contains("and are lost; their ids: 'refused'");
		assertThat(ids()).containsExactly("2");
	}

	@Test
	void whatCanNotBeWrittenAtPresentIsWrittenLater() {
		this.outbox.jdbc.execute("alter table lowkiq_outbox rename to away");
		CompletableFuture<Void> end = new TransactionTemplate(told(new TestTransactions(), this.outbox.enqueuer))
			.execute((status) -> this.outbox.enqueuer.enqueueAsync("orders", OutboxFixture.payloads("1")));
		assertThat(this.outbox.handedOver.write()).hasMessageContaining("can't be written");
		assertThat(end).isNotDone();
		this.outbox.jdbc.execute("alter table away rename to lowkiq_outbox");
		assertThat(this.outbox.handedOver.write()).isNull();
		assertThat(end).isCompleted();
		assertThat(ids()).containsExactly("1");
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
	void aTransactionWhoseRowsAreRefusedIsNotCommittedEvenIfItsConnectionIsLost() {
		DriverManagerDataSource lost = new DriverManagerDataSource(
				((DriverManagerDataSource) this.outbox.dataSource).getUrl()) {
			@Override
			protected Connection getConnectionFromDriverManager(String url, Properties properties) throws SQLException {
				Connection connection = super.getConnectionFromDriverManager(url, properties);
				return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(),
						new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
							if (method.getName().equals("rollback")) {
								throw new SQLException("The connection is lost");
							}
							return method.invoke(connection, arguments);
						});
			}
		};
		OutboxEnqueuer enqueuer = OutboxFixture.enqueuer(lost, this.outbox.table, () -> {
		});
		JdbcTransactionManager manager = told(new JdbcTransactionManager(lost), enqueuer);
		this.outbox.jdbc.execute("drop table lowkiq_outbox");
		List<CompletableFuture<Void>> ends = new ArrayList<>();
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> new TransactionTemplate(manager)
			.executeWithoutResult((status) -> ends.add(enqueuer.enqueueAsync("orders", OutboxFixture.payloads("1")))));
		assertThat(ends.get(0)).isCompletedExceptionally();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(ends.get(0)::join)
			.withCauseInstanceOf(EnqueueRolledBackException.class);
	}

	@Test
	void anIdThatARowCanNotHoldIsRefusedAtTheCall() {
		this.outbox.transaction.executeWithoutResult((status) -> assertThatExceptionOfType(InvalidJobException.class)
			.isThrownBy(() -> this.outbox.enqueue("1", "a\0b"))
			.withMessageContaining("NUL"));
		assertThat(this.outbox.rows()).isZero();
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
		assertThat(this.outbox.all()).satisfiesExactly((row) -> {
			assertThat(row.queue()).isEqualTo("orders");
			assertThat(row.payload().id()).isEqualTo("ü");
			assertThat(row.payload().payload()).isEqualTo(bytes);
			assertThat(row.payload().score()).isEqualTo(0.1);
			assertThat(row.payload().performAt()).isEqualTo(5);
			assertThat(row.payload().delay()).isZero();
			assertThat(row.createdAt()).isGreaterThan(this.outbox.now.toEpochMilli());
		}, (row) -> {
			assertThat(row.payload().score()).isNull();
			assertThat(row.payload().performAt()).isNull();
			assertThat(row.payload().delay()).isEqualTo(7);
		});
	}

	@Test
	void aRowKeepsWhatFollowsItsPayloadAndNoPayloadCanPassForSuch() {
		byte[] bytes = "payload".getBytes(StandardCharsets.UTF_8);
		byte[] next = new FollowUp("mails", NewPayload.of("m", bytes)).toBytes();
		byte[] forged = StoredPayload.of(bytes, next);
		this.outbox.enqueuer.enqueue("orders",
				List.of(NewPayload.of("a", bytes).followedBy(next), NewPayload.of("b", forged)));
		assertThat(this.outbox.all()).satisfiesExactly((row) -> {
			assertThat(row.payload().payload()).isEqualTo(bytes);
			assertThat(row.payload().next()).isEqualTo(next);
			assertThat(row.toSend(0).next()).isEqualTo(next);
		}, (row) -> {
			assertThat(row.payload().payload()).isEqualTo(forged);
			assertThat(row.payload().next()).isNull();
		});
	}

}
