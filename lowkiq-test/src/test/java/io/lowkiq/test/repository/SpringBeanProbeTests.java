package io.lowkiq.test.repository;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lowkiq.PayloadWorker;
import io.lowkiq.Worker;
import io.lowkiq.test.probe.Fault;
import io.lowkiq.test.probe.ProbeReport;
import io.lowkiq.test.probe.WorkerProbe;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Probes of beans, with their transactions, and of repositories that others can't see.
 */
class SpringBeanProbeTests {

	/** Two tables, changed in transactions. */
	static class Tables extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		private transient Map<String, Integer> committed = new HashMap<>();

		private transient Map<String, Integer> current = new HashMap<>();

		private boolean active;

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected boolean isExistingTransaction(Object transaction) {
			return this.active;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			this.active = true;
			this.current = new HashMap<>(this.committed);
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.committed = this.current;
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			this.current = this.committed;
		}

		@Override
		protected void doSetRollbackOnly(DefaultTransactionStatus status) {
		}

		@Override
		protected void doCleanupAfterCompletion(Object transaction) {
			this.active = false;
		}

		Map<String, Integer> state() {
			return Map.copyOf(this.committed);
		}

		void clear() {
			this.committed = new HashMap<>();
			this.current = this.committed;
		}

	}

	interface Balances {

		int entries(String id);

		void add(String id, int amount);

		void enter(String id, int entry);

	}

	@Transactional
	static class TableBalances implements Balances {

		private final Tables tables;

		TableBalances(Tables tables) {
			this.tables = tables;
		}

		@Override
		public int entries(String id) {
			return this.tables.current.getOrDefault("last " + id, 0);
		}

		@Override
		public void add(String id, int amount) {
			this.tables.current.merge(id, amount, Integer::sum);
		}

		@Override
		public void enter(String id, int entry) {
			this.tables.current.put("last " + id, entry);
		}

	}

	/** Right only if both writes are in one transaction. */
	static class BalanceWorker implements Worker<Integer> {

		private final Balances balances;

		BalanceWorker(Balances balances) {
			this.balances = balances;
		}

		@Override
		@Transactional
		public void perform(String id, List<Integer> payloads) {
			for (Integer entry : payloads) {
				if (entry > this.balances.entries(id)) {
					this.balances.add(id, entry);
					this.balances.enter(id, entry);
				}
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Application {

		@Bean
		Tables tables() {
			return new Tables();
		}

		@Bean
		Balances balances(Tables tables) {
			return new TableBalances(tables);
		}

		@Bean
		Worker<Integer> balanceWorker(Balances balances) {
			return new BalanceWorker(balances);
		}

	}

	@Test
	@SuppressWarnings("unchecked")
	void transactionalBeanIsProbedWithItsTransactions() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Application.class)) {
			Tables tables = context.getBean(Tables.class);
			WorkerProbe<Integer> probe = new WorkerProbe<Integer>().cutOffAtBean(context.getBean(Balances.class))
				.payloads("42", 1, 2, 3)
				.state(tables::state)
				.reset(tables::clear);
			ProbeReport right = probe.worker(() -> context.getBean(Worker.class)).run();
			assertThat(right.deviations()).noneMatch((deviation) -> deviation.fault() == Fault.NOT_IDEMPOTENT);
			assertThat(right.schedules()).isGreaterThan(20);
			assertThat(right.toString()).startsWith("BalanceWorker, 3 payloads");
			ProbeReport without = probe.worker(() -> new BalanceWorker(context.getBean(Balances.class))).run();
			assertThat(without.faults()).as("without its transaction").contains(Fault.NOT_IDEMPOTENT);
			tables.clear();
			context.getBean(Balances.class).add("43", 1);
			assertThat(tables.state()).as("no longer watched").containsEntry("43", 1);
		}
	}

	@Test
	void interfaceThatIsPackagePrivateIsWatched() {
		Tables tables = new Tables();
		WorkerProbe<Integer> probe = new WorkerProbe<>();
		Balances balances = probe.cutOffAt(Balances.class, new TableBalances(tables));
		ProbeReport report = probe.worker(() -> new BalanceWorker(balances))
			.payloads("42", 1, 2)
			.state(tables::state)
			.reset(tables::clear)
			.run();
		assertThat(report.faults()).contains(Fault.NOT_IDEMPOTENT);
	}

	@Test
	void classIsWatched() {
		Tables tables = new Tables();
		WorkerProbe<Integer> probe = new WorkerProbe<>();
		TableBalances balances = probe.cutOffAt(TableBalances.class, new TableBalances(tables));
		PayloadWorker<Integer> worker = (id, payload) -> balances.enter(id, payload);
		assertThat(probe.worker(() -> worker)
			.payloads("42", 1, 2)
			.state(tables::state)
			.reset(tables::clear)
			.run()
			.schedules()).isGreaterThan(5);
	}

	@Test
	void saysThatCallsCameFromAnotherThread() {
		Tables tables = new Tables();
		WorkerProbe<Integer> probe = new WorkerProbe<>();
		Balances balances = probe.cutOffAt(Balances.class, new TableBalances(tables));
		PayloadWorker<Integer> worker = (id, payload) -> {
			Thread thread = new Thread(() -> balances.enter(id, payload));
			thread.start();
			thread.join();
		};
		probe.worker(() -> worker).payloads("42", 1, 2).state(tables::state).reset(tables::clear);
		assertThatIllegalStateException().isThrownBy(probe::run)
			.withMessageContaining("makes its calls on another thread");
	}

	@Test
	void whatIsNoProxyIsRefused() {
		WorkerProbe<Integer> probe = new WorkerProbe<>();
		assertThatIllegalArgumentException().isThrownBy(() -> probe.cutOffAtBean("text"))
			.withMessageContaining("text is no proxy of Spring");
		assertThatIllegalArgumentException().isThrownBy(() -> probe.cutOffAt(String.class, "text"))
			.withMessageContaining("isn't final");
	}

}
