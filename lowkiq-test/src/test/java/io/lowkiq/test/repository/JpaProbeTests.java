package io.lowkiq.test.repository;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.lowkiq.Worker;
import io.lowkiq.test.probe.Fault;
import io.lowkiq.test.probe.ProbeReport;
import io.lowkiq.test.probe.WorkerProbe;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Probes of a worker over JPA, with repositories of Spring Data that are package-private.
 */
class JpaProbeTests {

	@Entity(name = "Balance")
	static class Balance {

		@Id
		private String id = "";

		private int amount;

		@Version
		private @Nullable Integer version;

		protected Balance() {
		}

		Balance(String id) {
			this.id = id;
		}

	}

	@Entity(name = "Entry")
	static class Entry {

		@Id
		private String id = "";

		@Version
		private @Nullable Integer version;

		protected Entry() {
		}

		Entry(String id) {
			this.id = id;
		}

	}

	interface Balances extends JpaRepository<Balance, String> {

	}

	interface Entries extends JpaRepository<Entry, String> {

	}

	/** Right only if all is in one transaction. */
	static class BookingWorker implements Worker<Integer> {

		private final Balances balances;

		private final Entries entries;

		BookingWorker(Balances balances, Entries entries) {
			this.balances = balances;
			this.entries = entries;
		}

		@Override
		@Transactional
		public void perform(String id, List<Integer> amounts) {
			for (Integer amount : amounts) {
				if (!this.entries.existsById(id + "-" + amount)) {
					Balance balance = this.balances.findById(id).orElseGet(() -> new Balance(id));
					balance.amount += amount;
					this.balances.save(balance);
					this.entries.save(new Entry(id + "-" + amount));
				}
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	@EnableJpaRepositories(considerNestedRepositories = true, basePackageClasses = JpaProbeTests.class)
	static class Application {

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory() {
			JdbcDataSource dataSource = new JdbcDataSource();
			dataSource.setUrl("jdbc:h2:mem:probe;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000");
			HibernateJpaVendorAdapter hibernate = new HibernateJpaVendorAdapter();
			hibernate.setGenerateDdl(true);
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setDataSource(dataSource);
			factory.setJpaVendorAdapter(hibernate);
			factory.setPackagesToScan(JpaProbeTests.class.getPackageName());
			return factory;
		}

		@Bean
		JpaTransactionManager transactionManager(EntityManagerFactory entityManagerFactory) {
			return new JpaTransactionManager(entityManagerFactory);
		}

		@Bean
		Worker<Integer> bookingWorker(Balances balances, Entries entries) {
			return new BookingWorker(balances, entries);
		}

	}

	@Test
	@SuppressWarnings("unchecked")
	void transactionalWorkerIsRightAndTheSameWithoutItsTransactionIsNot() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Application.class)) {
			Balances balances = context.getBean(Balances.class);
			Entries entries = context.getBean(Entries.class);
			WorkerProbe<Integer> probe = new WorkerProbe<Integer>().cutOffAtBean(balances)
				.cutOffAtBean(entries)
				.payloads("42", 10, 20)
				.lockPatience(Duration.ofMillis(30))
				.state(() -> state(balances, entries))
				.reset(() -> {
					balances.deleteAll();
					entries.deleteAll();
				});
			ProbeReport right = probe.worker(() -> context.getBean(Worker.class)).check();
			assertThat(right.faults()).isEmpty();
			assertThat(right.schedules()).isGreaterThan(40);
			ProbeReport without = probe.worker(() -> new BookingWorker(balances, entries)).run();
			assertThat(without.faults()).as("without its transaction").contains(Fault.NOT_IDEMPOTENT);
		}
	}

	private static Map<String, Integer> state(Balances balances, Entries entries) {
		Map<String, Integer> state = new TreeMap<>();
		balances.findAll().forEach((balance) -> state.put(balance.id, balance.amount));
		entries.findAll().forEach((entry) -> state.put(entry.id, 0));
		return state;
	}

}
