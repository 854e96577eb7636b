package io.lowkiq.autoconfigure.outbox;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import javax.sql.DataSource;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.PostUpdate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.EnqueueRolledBackException;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.OpenTransactionException;
import io.lowkiq.ReadOnlyTransactionException;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.autoconfigure.thread.BegunTransactions;
import io.lowkiq.autoconfigure.thread.SpringThreadStates;
import io.lowkiq.engine.perform.ThreadState;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Jobs that are enqueued late in a transaction, by many threads that share few
 * connections. Nobody serves their queue, so that their rows stay in the table.
 */
abstract class LateEnqueueContract {

	private static final int ACCOUNTS = 8;

	private static final int TRANSACTIONS_PER_THREAD = 25;

	/** Nobody knows their queue, so they wait. */
	private static final String JOBS = """
			select seq, job_id, payload from lowkiq_outbox
			union all select seq, job_id, payload from lowkiq_outbox_aside""";

	/** The URL, user and password of the database, as properties. */
	abstract String[] database();

	private ApplicationContextRunner application(int pool) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					HibernateJpaAutoConfiguration.class, TransactionAutoConfiguration.class,
					LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
					LowkiqServerAutoConfiguration.class, LowkiqOutboxAutoConfiguration.class))
			.withUserConfiguration(MemoryStoreConfiguration.class, Application.class)
			.withPropertyValues(database())
			.withPropertyValues("spring.datasource.hikari.maximum-pool-size=" + pool,
					"spring.jpa.hibernate.ddl-auto=create", "lowkiq.client.transactional=outbox",
					"lowkiq.outbox.initialize-schema=always", "lowkiq.outbox.poll-interval=1m");
	}

	@ParameterizedTest
	@CsvSource({ "METHOD,4,16", "METHOD,1,4", "BEFORE_COMMIT,4,16", "BEFORE_COMMIT,1,4", "ENTITY_LISTENER,4,16",
			"ENTITY_LISTENER,1,4" })
	void jobsArePartOfTheTransactionInTheOrderOfTheCommits(Kind kind, int pool, int threads) {
		application(pool).run((context) -> {
			prepare(context);
			changeByMany(context, kind, threads);
			assertThat(rows(context)).isEqualTo((long) threads * TRANSACTIONS_PER_THREAD);
			versions(context).forEach((id, versions) -> assertThat(versions).as(id).isSorted().doesNotHaveDuplicates());
		});
	}

	@ParameterizedTest
	@CsvSource({ "4,16", "1,4" })
	void jobsOfListenersAfterTheCommitAreWritten(int pool, int threads) {
		application(pool).run((context) -> {
			prepare(context);
			changeByMany(context, Kind.AFTER_COMMIT, threads);
			assertThat(rows(context)).isEqualTo((long) threads * TRANSACTIONS_PER_THREAD);
		});
	}

	@ParameterizedTest
	@CsvSource({ "4,16", "1,4" })
	void readOnlyTransactionsRefuseAtTheCall(int pool, int threads) {
		application(pool).run((context) -> {
			prepare(context);
			TransactionTemplate readOnly = transaction(context);
			readOnly.setReadOnly(true);
			LowkiqClient client = context.getBean(LowkiqClient.class);
			byMany(threads, (i) -> {
				readOnly.executeWithoutResult((status) -> assertThatExceptionOfType(ReadOnlyTransactionException.class)
					.isThrownBy(() -> client.enqueue("accounts", "1", "changed")));
				return null;
			});
			assertThat(rows(context)).isZero();
		});
	}

	@Test
	void changesOfEntitiesAreSentBeforeTheRowsAreInserted() {
		application(1).run((context) -> {
			prepare(context);
			transaction(context).executeWithoutResult((status) -> {
				entities(context).find(Account.class, 1L).version = RowsAtUpdate.VERSION;
				context.getBean(LowkiqClient.class).enqueue("accounts", "1", "changed");
			});
			assertThat(context.getBean(RowsAtUpdate.class).rows).isZero();
			assertThat(rows(context)).isOne();
		});
	}

	@Test
	void aTransactionThatARunLeavesOpenIsRolledBackWithItsJobs() {
		application(1).run((context) -> {
			prepare(context);
			List<ThreadState> states = SpringThreadStates.of(null, context.getBean(BegunTransactions.class))
				.stream()
				.map(Supplier::get)
				.toList();
			context.getBean(PlatformTransactionManager.class).getTransaction(null);
			entities(context).find(Account.class, 1L).version = 1_000;
			entities(context).flush();
			CompletableFuture<Void> enqueued = context.getBean(LowkiqClient.class)
				.enqueueAsync("accounts", JobRequest.of("1", "changed"));
			assertThat(states.stream().map(ThreadState::restore).filter(Objects::nonNull)).singleElement()
				.isInstanceOf(OpenTransactionException.class)
				.extracting(Throwable::getCause)
				.isNull();
			assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
			assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
			assertThat(rows(context)).isZero();
			transaction(context).executeWithoutResult(
					(status) -> assertThat(entities(context).find(Account.class, 1L).version).isNotEqualTo(1_000));
			assertThatExceptionOfType(CompletionException.class).isThrownBy(enqueued::join)
				.withCauseInstanceOf(EnqueueRolledBackException.class);
		});
	}

	private static TransactionTemplate transaction(ApplicationContext context) {
		return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
	}

	private static EntityManager entities(ApplicationContext context) {
		return EntityManagerFactoryUtils.getTransactionalEntityManager(context.getBean(EntityManagerFactory.class));
	}

	private static void changeByMany(ApplicationContext context, Kind kind, int threads)
			throws ExecutionException, InterruptedException {
		TransactionTemplate transaction = transaction(context);
		byMany(threads, (i) -> {
			transaction.executeWithoutResult((status) -> change(context, kind, i % ACCOUNTS));
			return null;
		});
	}

	private static void change(ApplicationContext context, Kind kind, long id) {
		Account account = entities(context).find(Account.class, id, LockModeType.PESSIMISTIC_WRITE);
		account.version++;
		account.told = kind == Kind.ENTITY_LISTENER;
		switch (kind) {
			case METHOD -> context.getBean(LowkiqClient.class).enqueue("accounts", String.valueOf(id), account.version);
			case BEFORE_COMMIT -> context.publishEvent(new Before(id, account.version));
			case AFTER_COMMIT -> context.publishEvent(new After(id, account.version));
			case ENTITY_LISTENER -> {
				// Its change is sent by the commit
			}
		}
	}

	private interface Numbered {

		Void call(int number) throws Exception;

	}

	private static void byMany(int threads, Numbered task) throws ExecutionException, InterruptedException {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Callable<Void>> tasks = new ArrayList<>();
			for (int i = 0; i < threads * TRANSACTIONS_PER_THREAD; i++) {
				int number = i;
				tasks.add(() -> task.call(number));
			}
			for (Future<Void> each : executor.invokeAll(tasks)) {
				each.get();
			}
		}
		finally {
			executor.shutdown();
		}
	}

	private static void prepare(ApplicationContext context) {
		JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
		jdbc.update("delete from lowkiq_outbox");
		jdbc.update("delete from lowkiq_outbox_aside");
		for (long id = 0; id < ACCOUNTS; id++) {
			jdbc.update("insert into late_account (id, version, told) values (?, 0, ?)", id, false);
		}
	}

	private static long rows(ApplicationContext context) {
		Long rows = new JdbcTemplate(context.getBean(DataSource.class))
			.queryForObject("select count(*) from (%s) jobs".formatted(JOBS), Long.class);
		return (rows != null) ? rows : 0;
	}

	/** The versions by id, in the order of the sequence. */
	private static Map<String, List<Integer>> versions(ApplicationContext context) {
		Map<String, List<Integer>> versions = new HashMap<>();
		new JdbcTemplate(context.getBean(DataSource.class))
			.query("select job_id, payload from (%s) jobs order by seq".formatted(JOBS), (row) -> {
				versions.computeIfAbsent(row.getString(1), (id) -> new ArrayList<>())
					.add(Integer.valueOf(new String(row.getBytes(2), java.nio.charset.StandardCharsets.UTF_8)));
			});
		return versions;
	}

	/** What enqueues. */
	enum Kind {

		METHOD, BEFORE_COMMIT, AFTER_COMMIT, ENTITY_LISTENER

	}

	record Before(long id, int version) {
	}

	record After(long id, int version) {
	}

	/** A row that transactions change. */
	@Entity(name = "late_account")
	@EntityListeners(AccountListener.class)
	static class Account {

		@Id
		long id;

		int version;

		boolean told;

	}

	/** Enqueues during the flush. */
	static class AccountListener {

		private final ObjectProvider<LowkiqClient> client;

		private final ObjectProvider<RowsAtUpdate> rows;

		AccountListener(ObjectProvider<LowkiqClient> client, ObjectProvider<RowsAtUpdate> rows) {
			this.client = client;
			this.rows = rows;
		}

		@PostUpdate
		void changed(Account account) {
			if (account.told) {
				this.client.getObject().enqueue("accounts", String.valueOf(account.id), account.version);
			}
			if (account.version == RowsAtUpdate.VERSION) {
				this.rows.getObject().count();
			}
		}

	}

	/**
	 * How many rows the transaction has inserted when its change is sent to the database.
	 */
	@Component
	static class RowsAtUpdate {

		/** The version of the account whose change is looked at. */
		static final int VERSION = 1_000_000;

		private final DataSource dataSource;

		private long rows = -1;

		RowsAtUpdate(DataSource dataSource) {
			this.dataSource = dataSource;
		}

		void count() {
			Long count = new JdbcTemplate(this.dataSource).queryForObject("select count(*) from lowkiq_outbox",
					Long.class);
			this.rows = (count != null) ? count : 0;
		}

	}

	/** Enqueues when told by an event. */
	@Component
	static class EventListeners {

		private final LowkiqClient client;

		EventListeners(LowkiqClient client) {
			this.client = client;
		}

		@TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
		void before(Before event) {
			this.client.enqueue("accounts", String.valueOf(event.id()), event.version());
		}

		@TransactionalEventListener
		void after(After event) {
			this.client.enqueue("accounts", String.valueOf(event.id()), event.version());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EntityScan(basePackageClasses = LateEnqueueContract.class)
	@Import({ EventListeners.class, RowsAtUpdate.class })
	static class Application {

	}

}
