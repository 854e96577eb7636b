package io.lowkiq.reliability.outbox;

import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.LowkiqClient;

/**
 * An application that changes orders in transactions, a third of which it rolls back, and
 * enqueues each change. It serves no queue. Prints {@code READY} when it begins; ends
 * only by being killed.
 */
public final class OutboxProgram {

	static final String QUEUE = "orders";

	/** Gets a job of each tenth transaction, if the program is told so. */
	static final String REMOVED_QUEUE = "removed";

	private static final int ORDERS = 1_000;

	/** Half of the changes are those of the first orders. */
	private static final int HOT_ORDERS = 50;

	private static final int THREADS = 3;

	/** Between nested changes, which go on for minutes. */
	private static final long PAUSE = Duration.ofMillis(10).toNanos();

	private final LowkiqClient client;

	private final JdbcTemplate jdbc;

	private final TransactionTemplate transaction;

	private final long limit;

	private final boolean usesRemovedQueue;

	/** Null if there are no nested transactions, and no pauses. */
	private final @Nullable NestedChanges nested;

	/** How a number is taken of the sequence. */
	private final String nextNumber;

	private OutboxProgram(ConfigurableApplicationContext context, String[] arguments) {
		this.client = context.getBean(LowkiqClient.class);
		this.jdbc = context.getBean(JdbcTemplate.class);
		PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
		this.transaction = new TransactionTemplate(manager);
		this.limit = Long.parseLong(arguments[4]);
		this.usesRemovedQueue = Boolean.parseBoolean(arguments[5]);
		this.nested = Boolean.parseBoolean(arguments[6]) ? new NestedChanges(manager) : null;
		this.nextNumber = arguments[0].startsWith("jdbc:postgresql") ? "select nextval('transactions')"
				: "select next value for transactions";
	}

	/**
	 * Runs until it is killed.
	 * @param arguments the URL and the user of the database, the URL of Redis, the prefix
	 * of the keys, the number of the last transaction (0 for a program that only empties
	 * the outbox), whether each tenth transaction also enqueues into
	 * {@link #REMOVED_QUEUE}, whether changes are nested, on a lazy data source, and how
	 * long sent rows are kept, if they are
	 */
	public static void main(String[] arguments) throws InterruptedException {
		SpringApplication application = new SpringApplication(
				Boolean.parseBoolean(arguments[6]) ? LazySettings.class : Settings.class);
		application.setDefaultProperties(
				Map.of("spring.datasource.url", arguments[0], "spring.datasource.username", arguments[1],
						"spring.data.redis.url", arguments[2], "spring.data.redis.timeout", "2s", "lowkiq.key-prefix",
						arguments[3], "lowkiq.client.transactional", "outbox", "lowkiq.outbox.poll-interval", "500ms",
						"lowkiq.outbox.keep-sent", (arguments.length > 7) ? arguments[7] : "0"));
		OutboxProgram program = new OutboxProgram(application.run(), arguments);
		for (int i = 0; i < THREADS; i++) {
			new Thread(program::changeOrders, "orders-" + i).start();
		}
		System.out.println("READY");
		new CountDownLatch(1).await();
	}

	static void createTables(JdbcTemplate jdbc) {
		jdbc.execute("create table orders (id bigint primary key, version bigint not null)");
		jdbc.execute("create table changes (order_id bigint, version bigint, transaction bigint)");
		jdbc.execute("create sequence transactions");
		for (int order = 0; order < ORDERS; order++) {
			jdbc.update("insert into orders values (?, 0)", order);
		}
	}

	private void changeOrders() {
		long number = 0;
		while (number < this.limit) {
			try {
				number = number(this.nextNumber);
				long own = number;
				this.transaction.executeWithoutResult((status) -> changeOrders(own, status));
				if (this.nested != null) {
					LockSupport.parkNanos(PAUSE);
				}
			}
			catch (DataAccessException | TransactionException ex) {
				ex.printStackTrace();
			}
		}
	}

	private void changeOrders(long number, TransactionStatus status) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		// In one order everywhere, so that nobody waits in a circle
		TreeSet<Integer> orders = new TreeSet<>();
		for (int i = random.nextInt(3); i >= 0; i--) {
			orders.add(random.nextInt(random.nextBoolean() ? HOT_ORDERS : ORDERS));
		}
		for (int order : orders) {
			if (this.nested != null) {
				this.nested.run(status, () -> change(order, number));
			}
			else {
				change(order, number);
			}
		}
		if (this.usesRemovedQueue && number % 10 == 0) {
			this.client.enqueue(REMOVED_QUEUE, Long.toString(number), new OrderChange(0, number));
		}
		if (number % 3 == 0) {
			status.setRollbackOnly();
		}
	}

	/** A change that was rolled back, and made again, is another one. */
	private void change(int order, long transaction) {
		long number = (this.nested != null) ? number(this.nextNumber) : transaction;
		long version = number("select version from orders where id = %d for update".formatted(order)) + 1;
		this.jdbc.update("update orders set version = ? where id = ?", version, order);
		this.jdbc.update("insert into changes values (?, ?, ?)", order, version, number);
		this.client.enqueue(QUEUE, Integer.toString(order), new OrderChange(version, number));
	}

	private long number(String query) {
		Long number = this.jdbc.queryForObject(query, Long.class);
		return (number != null) ? number : 0;
	}

	/** An application without workers. */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = HibernateJpaAutoConfiguration.class)
	static class Settings {

	}

	/** An application whose transactions take their connection when they need it. */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = HibernateJpaAutoConfiguration.class)
	static class LazySettings {

		private final LazyConnectionDataSourceProxy lazy;

		LazySettings(DataSource dataSource) {
			this.lazy = new LazyConnectionDataSourceProxy(dataSource);
		}

		@Bean
		JdbcTransactionManager transactionManager() {
			return new JdbcTransactionManager(this.lazy);
		}

		@Bean
		JdbcTemplate jdbcTemplate() {
			return new JdbcTemplate(this.lazy);
		}

	}

}
