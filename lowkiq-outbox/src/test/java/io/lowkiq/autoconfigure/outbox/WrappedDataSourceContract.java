package io.lowkiq.autoconfigure.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Transactions and outbox whose data sources are different objects around one pool, with
 * fewer connections than threads.
 */
@ExtendWith(OutputCaptureExtension.class)
abstract class WrappedDataSourceContract {

	private static final int TRANSACTIONS = 100;

	private static final int THREADS = 16;

	@AutoClose
	private final CountingPool pool = new CountingPool();

	private final OutboxFixture.Target target = new OutboxFixture.Target();

	/** The URL of a database. */
	abstract String url();

	/** Its user. */
	abstract String user();

	/** The name of its scripts. */
	abstract String platform();

	@BeforeEach
	void prepare() {
		this.pool.setJdbcUrl(url());
		this.pool.setUsername(user());
		this.pool.setMaximumPoolSize(4);
		this.pool.setConnectionTimeout(5_000);
		LowkiqOutboxProperties properties = new LowkiqOutboxProperties();
		properties.setInitializeSchema(DatabaseInitializationMode.ALWAYS);
		properties.setPlatform(platform());
		new PropertiesBasedDataSourceScriptDatabaseInitializer<>(this.pool, properties).initializeDatabase();
		JdbcTemplate jdbc = new JdbcTemplate(this.pool);
		jdbc.execute("create table if not exists orders (id varchar(10))");
		jdbc.update("delete from orders");
		jdbc.update("delete from lowkiq_outbox");
	}

	@ParameterizedTest
	@EnumSource
	void jobsArePartOfTheTransaction(Wrapping wrapping, CapturedOutput output) throws Exception {
		Outbox outbox = outbox(wrapping.outbox(this.pool));
		perform(outbox.enqueuer(), wrapping.manager(this.pool));
		JdbcTemplate jdbc = new JdbcTemplate(this.pool);
		assertThat(jdbc.queryForList("select job_id from lowkiq_outbox")).hasSize(TRANSACTIONS);
		assertThat(jdbc.queryForList("select id from orders")).hasSize(TRANSACTIONS);
		assertThat(output).doesNotContain("does not belong");
		while (outbox.flush().step()) {
			// The next step
		}
		assertThat(this.target.ids()).hasSize(TRANSACTIONS).doesNotHaveDuplicates();
	}

	@Test
	void jobsOfAManagerThatCanNotBeKnownAreWrittenByTheThreadOfTheOutbox(CapturedOutput output) throws Exception {
		Outbox outbox = outbox(this.pool);
		List<CompletableFuture<Void>> ends = perform(outbox.enqueuer(), new Opaque(this.pool));
		assertThat(ends).noneMatch(CompletableFuture::isDone);
		OutboxFlusher flusher = outbox.flusher();
		flusher.start();
		try {
			for (CompletableFuture<Void> end : ends) {
				end.get(30, TimeUnit.SECONDS);
			}
		}
		finally {
			flusher.stop();
		}
		assertThat(this.target.ids()).hasSize(TRANSACTIONS).doesNotHaveDuplicates();
		assertThat(output).containsOnlyOnce("does not belong");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aCallbackAfterTheCommitTakesNoSecondConnectionEither(boolean afterAnother) {
		Outbox outbox = outbox(this.pool);
		JdbcTransactionManager manager = told(new Opaque(this.pool), outbox.enqueuer());
		TransactionTemplate another = new TransactionTemplate(manager);
		another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.pool.taken.set(0);
		CompletableFuture<Void> end = new CompletableFuture<>();
		new TransactionTemplate(manager).executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
					@Override
					public void afterCompletion(int ended) {
						if (afterAnother) {
							another.executeWithoutResult((begun) -> {
							});
						}
						var unused = outbox.enqueuer()
							.enqueueAsync("orders", OutboxFixture.payloads("1"))
							.thenAccept(end::complete);
					}
				}));
		assertThat(this.pool.taken).hasValue(afterAnother ? 2 : 1);
		assertThat(outbox.handedOver().write()).isNull();
		assertThat(end).isCompleted();
	}

	private List<CompletableFuture<Void>> perform(OutboxEnqueuer enqueuer, DataSource ofManager) throws Exception {
		TransactionTemplate transaction = new TransactionTemplate(told(ofManager, enqueuer));
		JdbcTemplate jdbc = new JdbcTemplate(ofManager);
		List<CompletableFuture<Void>> ends = Collections.synchronizedList(new ArrayList<>());
		List<Callable<Void>> tasks = new ArrayList<>();
		for (int i = 0; i < TRANSACTIONS; i++) {
			String id = String.valueOf(i);
			tasks.add(() -> {
				transaction.executeWithoutResult((status) -> {
					jdbc.update("insert into orders values (?)", id);
					ends.add(enqueuer.enqueueAsync("orders", OutboxFixture.payloads(id)));
				});
				return null;
			});
		}
		// A lazy data source takes a connection of its own before the first one
		transaction.executeWithoutResult((status) -> jdbc.queryForList("select 1"));
		this.pool.taken.set(0);
		ExecutorService executor = Executors.newFixedThreadPool(THREADS);
		try {
			for (Future<Void> each : executor.invokeAll(tasks)) {
				each.get();
			}
		}
		finally {
			executor.shutdown();
		}
		assertThat(this.pool.taken).hasValue(TRANSACTIONS);
		return ends;
	}

	private static JdbcTransactionManager told(DataSource dataSource, OutboxEnqueuer enqueuer) {
		JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
		OutboxTransactions transactions = new OutboxTransactions();
		transactions.connect(enqueuer);
		manager.addListener(transactions.listener());
		return manager;
	}

	private Outbox outbox(DataSource dataSource) {
		OutboxDatabase database = OutboxFixture.database(dataSource);
		OutboxTable table = new OutboxTable(database.dataSource(), "lowkiq", InstantSource.system());
		table.prepare();
		HandedOverJobs handedOver = new HandedOverJobs(database, new OutboxWriter(database, table));
		OutboxFlush flush = OutboxFixture.flush(database.dataSource(), table, this.target.asTarget(), System::nanoTime,
				new OutboxFlush.Settings(100, Duration.ofSeconds(5)));
		OutboxFlusher flusher = new OutboxFlusher(table, flush, handedOver, Duration.ofSeconds(5), System::nanoTime,
				InstantSource.system());
		return new Outbox(handedOver, flush, flusher, new OutboxEnqueuer(database, table, handedOver, flusher::wake));
	}

	private record Outbox(HandedOverJobs handedOver, OutboxFlush flush, OutboxFlusher flusher,
			OutboxEnqueuer enqueuer) {
	}

	/** Which data sources the outbox and the manager have. */
	enum Wrapping {

		LAZY_OUTBOX {
			@Override
			DataSource outbox(DataSource pool) {
				return new LazyConnectionDataSourceProxy(pool);
			}
		},

		LAZY_MANAGER {
			@Override
			DataSource manager(DataSource pool) {
				return new LazyConnectionDataSourceProxy(pool);
			}
		},

		TRANSACTION_AWARE {
			@Override
			DataSource outbox(DataSource pool) {
				return new TransactionAwareDataSourceProxy(new LazyConnectionDataSourceProxy(pool));
			}

			@Override
			DataSource manager(DataSource pool) {
				return new TransactionAwareDataSourceProxy(new DelegatingDataSource(pool));
			}
		},

		SPRING_PROXY {
			@Override
			DataSource manager(DataSource pool) {
				ProxyFactory factory = new ProxyFactory(pool);
				factory.setProxyTargetClass(false);
				return (DataSource) factory.getProxy();
			}
		},

		SPRING_PROXIES_OF_CLASSES {
			@Override
			DataSource outbox(DataSource pool) {
				return manager(pool);
			}

			@Override
			DataSource manager(DataSource pool) {
				ProxyFactory factory = new ProxyFactory(new LazyConnectionDataSourceProxy(pool));
				factory.setProxyTargetClass(true);
				return (DataSource) factory.getProxy();
			}
		},

		JDK_PROXIES {
			@Override
			DataSource outbox(DataSource pool) {
				return manager(pool);
			}

			@Override
			DataSource manager(DataSource pool) {
				return (DataSource) Proxy.newProxyInstance(getClass().getClassLoader(),
						new Class<?>[] { DataSource.class }, (proxy, method, arguments) -> {
							if (method.getName().equals("equals")) {
								return proxy == arguments[0];
							}
							try {
								return method.invoke(pool, arguments);
							}
							catch (InvocationTargetException ex) {
								throw ex.getTargetException();
							}
						});
			}
		},

		DECORATOR {
			@Override
			DataSource outbox(DataSource pool) {
				return new LazyConnectionDataSourceProxy(pool);
			}

			@Override
			DataSource manager(DataSource pool) {
				return new Opaque(pool) {

					@Override
					public boolean isWrapperFor(Class<?> type) {
						return type.isInstance(this) || type.isInstance(pool);
					}

					@Override
					public <T> T unwrap(Class<T> type) {
						return type.isInstance(this) ? type.cast(this) : type.cast(pool);
					}

				};
			}
		};

		DataSource outbox(DataSource pool) {
			return pool;
		}

		DataSource manager(DataSource pool) {
			return pool;
		}

	}

	/** Doesn't tell what it is wrapped around. */
	private static class Opaque extends AbstractDataSource {

		private final DataSource hidden;

		Opaque(DataSource hidden) {
			this.hidden = hidden;
		}

		@Override
		public Connection getConnection() throws SQLException {
			return this.hidden.getConnection();
		}

		@Override
		public Connection getConnection(String username, String password) throws SQLException {
			return this.hidden.getConnection(username, password);
		}

	}

	/** Counts the connections that threads take, other than that of the outbox. */
	private static final class CountingPool extends HikariDataSource {

		private final AtomicInteger taken = new AtomicInteger();

		@Override
		public Connection getConnection() throws SQLException {
			if (!Thread.currentThread().getName().equals("lowkiq-outbox")) {
				this.taken.incrementAndGet();
			}
			return super.getConnection();
		}

	}

}
