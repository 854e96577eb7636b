package io.lowkiq.autoconfigure.outbox;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import javax.sql.DataSource;

import io.lowkiq.EnqueueRolledBackException;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.autoconfigure.transaction.AfterCommitEnqueuer;
import io.lowkiq.client.Enqueuer;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.ForwardingShardStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Jobs that are enqueued in nested transactions and between savepoints. */
@ExtendWith(OutputCaptureExtension.class)
abstract class NestedTransactionContract {

	private static final int PROGRAMS = 200;

	private final DataSource dataSource = dataSource();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	private final JdbcTransactionManager manager = new JdbcTransactionManager(this.dataSource);

	private final TransactionTemplate transaction = new TransactionTemplate(this.manager);

	private final TransactionTemplate nested = new TransactionTemplate(this.manager);

	private final List<String> sent = new ArrayList<>();

	private final Map<String, CompletableFuture<Void>> ends = new LinkedHashMap<>();

	private Enqueuer enqueuer;

	/** A database without tables of the outbox. */
	abstract DataSource dataSource();

	/** The name of its scripts. */
	abstract String platform();

	@BeforeEach
	void prepare() {
		LowkiqOutboxProperties properties = new LowkiqOutboxProperties();
		properties.setInitializeSchema(DatabaseInitializationMode.ALWAYS);
		properties.setPlatform(platform());
		new PropertiesBasedDataSourceScriptDatabaseInitializer<>(this.dataSource, properties).initializeDatabase();
		this.jdbc.update("delete from lowkiq_outbox");
		this.nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
	}

	private void use(Mode mode) {
		this.enqueuer = (mode == Mode.OUTBOX) ? outbox() : afterCommit();
	}

	private OutboxEnqueuer outbox() {
		OutboxEnqueuer outbox = OutboxFixture.enqueuer(this.dataSource,
				new OutboxTable(this.dataSource, "lowkiq", InstantSource.system()), () -> {
				});
		OutboxTransactions transactions = new OutboxTransactions();
		transactions.connect(outbox);
		this.manager.addListener(transactions.listener());
		return outbox;
	}

	private AfterCommitEnqueuer afterCommit() {
		RedisStore queues = InMemoryRedis.newStore(InstantSource.system());
		queues.queues().register("orders", 1);
		return new AfterCommitEnqueuer(
				new StoreEnqueuer(new WorkerRegistry(List.of()), List.of(), new ForwardingShardStore() {
					@Override
					public EnqueueResult enqueue(Shard shard, List<NewPayload> payloads) {
						payloads.forEach((payload) -> NestedTransactionContract.this.sent.add(payload.id()));
						return new EnqueueResult(0, 0);
					}
				}, queues.queues(), new LowkiqObserver() {
				}));
	}

	private void enqueue(String id) {
		this.ends.put(id, this.enqueuer.enqueueAsync("orders", OutboxFixture.payloads(id)));
	}

	private List<String> ids(Mode mode) {
		return (mode == Mode.OUTBOX) ? rows() : this.sent;
	}

	private List<String> rows() {
		return this.jdbc.queryForList("select job_id from lowkiq_outbox order by seq", String.class);
	}

	private void assertEnds(List<String> committed) {
		this.ends.forEach((id, end) -> {
			assertThat(end).as(id).isDone();
			if (committed.contains(id)) {
				assertThat(end).as(id).isCompleted();
			}
			else {
				assertThatExceptionOfType(CompletionException.class).as(id)
					.isThrownBy(end::join)
					.withCauseInstanceOf(EnqueueRolledBackException.class);
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void aNestedTransactionThatCommitsIsNotTheEndOfTheOuterOne(Mode mode) {
		use(mode);
		this.transaction.executeWithoutResult((status) -> {
			enqueue("A");
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> this.nested.executeWithoutResult((middle) -> {
					enqueue("B");
					this.nested.executeWithoutResult((inner) -> enqueue("C"));
					throw new IllegalStateException("rolled back");
				}));
			enqueue("D");
			assertThat(this.ends.get("A")).isNotDone();
		});
		assertThat(ids(mode)).containsExactly("A", "D");
		assertEnds(List.of("A", "D"));
	}

	@Test
	void rowsAreInsertedTogetherAfterTheLastNestedTransaction() {
		use(Mode.OUTBOX);
		this.transaction.executeWithoutResult((status) -> {
			enqueue("A");
			this.nested.executeWithoutResult((inner) -> enqueue("B"));
			status.releaseSavepoint(status.createSavepoint());
			enqueue("C");
			assertThat(rows()).isEmpty();
		});
		assertThat(rows()).containsExactly("A", "B", "C");
		assertEnds(List.of("A", "B", "C"));
	}

	@Test
	void aRollbackToAnOlderSavepointDuringTheCommitKeepsWhatIsOlder() {
		use(Mode.OUTBOX);
		List<Object> savepoint = new ArrayList<>();
		this.manager.addListener(new TransactionExecutionListener() {
			@Override
			public void beforeCommit(TransactionExecution status) {
				((TransactionStatus) status).rollbackToSavepoint(savepoint.get(0));
				enqueue("C");
			}
		});
		this.transaction.executeWithoutResult((status) -> {
			enqueue("A");
			savepoint.add(status.createSavepoint());
			enqueue("B");
		});
		assertThat(rows()).containsExactly("A", "C");
		assertEnds(List.of("A", "C"));
	}

	/** Of enqueues, nested transactions and savepoints that end in any order. */
	@ParameterizedTest
	@EnumSource
	void whatIsNotRolledBackIsEnqueued(Mode mode, CapturedOutput output) {
		use(mode);
		Random random = new Random(Long.getLong("lowkiq.test.seed", 42));
		for (int program = 0; program < PROGRAMS; program++) {
			List<String> expected = new ArrayList<>();
			this.ends.clear();
			this.sent.clear();
			this.jdbc.update("delete from lowkiq_outbox");
			this.transaction.executeWithoutResult((status) -> steps(random, status, expected, 0));
			assertThat(ids(mode)).as("program %s", program).isEqualTo(expected);
			assertEnds(expected);
		}
		assertThat(output).doesNotContain("after the commit");
	}

	private void steps(Random random, TransactionStatus status, List<String> expected, int depth) {
		List<Object> savepoints = new ArrayList<>();
		List<List<String>> atSavepoints = new ArrayList<>();
		for (int i = random.nextInt(6); i >= 0; i--) {
			int step = random.nextInt(7);
			if (step < 3) {
				String id = String.valueOf(this.ends.size());
				enqueue(id);
				expected.add(id);
			}
			else if (step < 5 && depth < 3) {
				nested(random, expected, depth);
			}
			else if (step == 5) {
				savepoints.add(status.createSavepoint());
				atSavepoints.add(List.copyOf(expected));
			}
			else if (!savepoints.isEmpty()) {
				int older = random.nextInt(savepoints.size());
				status.rollbackToSavepoint(savepoints.get(older));
				expected.clear();
				expected.addAll(atSavepoints.get(older));
				savepoints.subList(older + 1, savepoints.size()).clear();
				atSavepoints.subList(older + 1, atSavepoints.size()).clear();
			}
		}
	}

	private void nested(Random random, List<String> expected, int depth) {
		List<String> before = List.copyOf(expected);
		boolean isRolledBack = random.nextInt(3) == 0;
		this.nested.executeWithoutResult((inner) -> {
			steps(random, inner, expected, depth + 1);
			if (isRolledBack) {
				inner.setRollbackOnly();
			}
		});
		if (isRolledBack) {
			expected.clear();
			expected.addAll(before);
		}
	}

	enum Mode {

		OUTBOX, AFTER_COMMIT

	}

}
