package io.lowkiq.reliability.outbox;

import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
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

	static final int ORDERS = 100;

	private static final int THREADS = 3;

	private final LowkiqClient client;

	private final JdbcTemplate jdbc;

	private final TransactionTemplate transaction;

	private final long limit;

	private final boolean usesRemovedQueue;

	private OutboxProgram(LowkiqClient client, JdbcTemplate jdbc, PlatformTransactionManager manager, long limit,
			boolean usesRemovedQueue) {
		this.client = client;
		this.jdbc = jdbc;
		this.transaction = new TransactionTemplate(manager);
		this.limit = limit;
		this.usesRemovedQueue = usesRemovedQueue;
	}

	/**
	 * Runs until it is killed.
	 * @param arguments the URL of the database, that of Redis, the prefix of the keys,
	 * the number of the last transaction (0 for a program that only empties the outbox),
	 * and whether each tenth transaction also enqueues into {@link #REMOVED_QUEUE}
	 * @throws InterruptedException never
	 */
	public static void main(String[] arguments) throws InterruptedException {
		SpringApplication application = new SpringApplication(Settings.class);
		application.setDefaultProperties(Map.of("spring.datasource.url", arguments[0], "spring.data.redis.url",
				arguments[1], "spring.data.redis.timeout", "2s", "lowkiq.key-prefix", arguments[2],
				"lowkiq.client.transactional", "outbox", "lowkiq.outbox.poll-interval", "500ms"));
		ConfigurableApplicationContext context = application.run();
		OutboxProgram program = new OutboxProgram(context.getBean(LowkiqClient.class),
				context.getBean(JdbcTemplate.class), context.getBean(PlatformTransactionManager.class),
				Long.parseLong(arguments[3]), Boolean.parseBoolean(arguments[4]));
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
			Long next = this.jdbc.queryForObject("select nextval('transactions')", Long.class);
			number = (next != null) ? next : 0;
			long own = number;
			try {
				this.transaction.executeWithoutResult((status) -> changeOrders(own, status));
			}
			catch (DataAccessException ex) {
				ex.printStackTrace();
			}
		}
	}

	private void changeOrders(long number, TransactionStatus status) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		// In one order everywhere, so that nobody waits in a circle
		TreeSet<Integer> orders = new TreeSet<>();
		for (int i = random.nextInt(3); i >= 0; i--) {
			orders.add(random.nextInt(ORDERS));
		}
		for (int order : orders) {
			Long version = this.jdbc.queryForObject(
					"update orders set version = version + 1 where id = ? returning version", Long.class, order);
			this.jdbc.update("insert into changes values (?, ?, ?)", order, version, number);
			this.client.enqueue(QUEUE, Integer.toString(order),
					new OrderChange((version != null) ? version : 0, number));
		}
		if (this.usesRemovedQueue && number % 10 == 0) {
			this.client.enqueue(REMOVED_QUEUE, Long.toString(number), new OrderChange(0, number));
		}
		if (number % 3 == 0) {
			status.setRollbackOnly();
		}
	}

	/**
	 * An application without workers.
	 */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = HibernateJpaAutoConfiguration.class)
	static class Settings {

	}

}
