package io.lowkiq.reliability.outbox;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.PostUpdate;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.LowkiqClient;
import io.lowkiq.ReadOnlyTransactionException;

/**
 * An application that enqueues at every point of a transaction, by many threads that
 * share few connections. Ends itself right after the last commit, without a chance to do
 * anything; with no transactions to make, it only empties the outbox.
 */
public final class LateProgram {

	static final String QUEUE = "accounts";

	static final int ACCOUNTS = 8;

	private final ConfigurableApplicationContext context;

	private final LowkiqClient client;

	private LateProgram(ConfigurableApplicationContext context) {
		this.context = context;
		this.client = context.getBean(LowkiqClient.class);
	}

	/**
	 * Runs until it ends itself, or is killed.
	 * @param arguments the URL and the user of the database, the URL of Redis, the prefix
	 * of the keys, the size of the pool, the numbers of threads and of transactions of
	 * each kind, and a file for the numbers of committed and refused ones
	 * @throws Exception if a transaction fails that should not
	 */
	public static void main(String[] arguments) throws Exception {
		SpringApplication application = new SpringApplication(Settings.class);
		application.setDefaultProperties(Map.of("spring.datasource.url", arguments[0], "spring.datasource.username",
				arguments[1], "spring.data.redis.url", arguments[2], "lowkiq.key-prefix", arguments[3],
				"spring.datasource.hikari.maximum-pool-size", arguments[4],
				"spring.datasource.hikari.connection-timeout", "120000", "spring.jpa.hibernate.ddl-auto", "update",
				"lowkiq.client.transactional", "outbox", "lowkiq.outbox.initialize-schema", "always"));
		LateProgram program = new LateProgram(application.run());
		int transactions = Integer.parseInt(arguments[6]);
		if (transactions > 0) {
			try {
				program.run(Integer.parseInt(arguments[5]), transactions, Path.of(arguments[7]));
				Runtime.getRuntime().halt(0);
			}
			catch (Exception ex) {
				ex.printStackTrace();
				Runtime.getRuntime().halt(1);
			}
		}
		System.out.println("READY");
		new CountDownLatch(1).await();
	}

	private void run(int threads, int transactions, Path file) throws Exception {
		List<String> lines = new ArrayList<>();
		for (Kind kind : Kind.values()) {
			createAccounts(kind);
			ExecutorService executor = Executors.newFixedThreadPool(threads);
			List<Future<Boolean>> ends = new ArrayList<>();
			for (int i = 0; i < transactions; i++) {
				long number = i % ACCOUNTS;
				ends.add(executor.submit(() -> change(kind, number)));
			}
			int committed = 0;
			for (Future<Boolean> end : ends) {
				committed += end.get() ? 1 : 0;
			}
			executor.shutdown();
			lines.add(kind + " " + committed);
			Files.write(file, lines);
		}
	}

	private void createAccounts(Kind kind) {
		transaction(false).executeWithoutResult((status) -> {
			for (long i = 0; i < ACCOUNTS; i++) {
				Account account = new Account();
				account.id = kind.ordinal() * ACCOUNTS + i;
				account.kind = kind.name();
				entities().persist(account);
			}
		});
	}

	/** Returns whether a job was enqueued by a transaction that was committed. */
	private boolean change(Kind kind, long number) {
		return Boolean.TRUE.equals(transaction(kind == Kind.READ_ONLY).execute((status) -> {
			Account account = entities().find(Account.class, kind.ordinal() * ACCOUNTS + number,
					(kind == Kind.READ_ONLY) ? LockModeType.NONE : LockModeType.PESSIMISTIC_WRITE);
			account.version++;
			switch (kind) {
				case METHOD -> enqueue(this.client, account);
				case READ_ONLY -> {
					return isTaken(account);
				}
				case BEFORE_COMMIT -> this.context.publishEvent(new Before(account));
				case AFTER_COMMIT -> this.context.publishEvent(new After(account));
				case ENTITY_LISTENER -> {
					// Its change is sent by the commit
				}
			}
			return true;
		}));
	}

	private boolean isTaken(Account account) {
		try {
			enqueue(this.client, account);
			return true;
		}
		catch (ReadOnlyTransactionException ex) {
			return false;
		}
	}

	private static void enqueue(LowkiqClient client, Account account) {
		client.enqueue(QUEUE, account.kind + "-" + account.id % ACCOUNTS, account.version);
	}

	private TransactionTemplate transaction(boolean readOnly) {
		TransactionTemplate transaction = new TransactionTemplate(
				this.context.getBean(PlatformTransactionManager.class));
		transaction.setReadOnly(readOnly);
		return transaction;
	}

	private EntityManager entities() {
		EntityManager entities = EntityManagerFactoryUtils
			.getTransactionalEntityManager(this.context.getBean(EntityManagerFactory.class));
		if (entities == null) {
			throw new IllegalStateException("There is no transaction");
		}
		return entities;
	}

	/**
	 * What enqueues.
	 */
	enum Kind {

		METHOD, READ_ONLY, BEFORE_COMMIT, ENTITY_LISTENER, AFTER_COMMIT

	}

	record Before(Account account) {
	}

	record After(Account account) {
	}

	/**
	 * A row that transactions change.
	 */
	@Entity(name = "late_account")
	@EntityListeners(AccountListener.class)
	static class Account {

		@Id
		long id;

		int version;

		String kind = "";

	}

	/**
	 * Enqueues during the flush.
	 */
	static class AccountListener {

		private final ObjectProvider<LowkiqClient> client;

		AccountListener(ObjectProvider<LowkiqClient> client) {
			this.client = client;
		}

		@PostUpdate
		void changed(Account account) {
			if (account.kind.equals(Kind.ENTITY_LISTENER.name())) {
				enqueue(this.client.getObject(), account);
			}
		}

	}

	/**
	 * Enqueues when notified by an event.
	 */
	@Component
	static class EventListeners {

		private final LowkiqClient client;

		EventListeners(LowkiqClient client) {
			this.client = client;
		}

		@TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
		void before(Before event) {
			enqueue(this.client, event.account());
		}

		@TransactionalEventListener
		void after(After event) {
			enqueue(this.client, event.account());
		}

	}

	/**
	 * An application without workers.
	 */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EntityScan(basePackageClasses = LateProgram.class)
	@Import(EventListeners.class)
	static class Settings {

	}

}
