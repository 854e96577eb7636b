package io.lowkiq.snippets.recipes;

import javax.sql.DataSource;

import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.autoconfigure.LowkiqTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** A job of a transaction exists once the transaction is committed. */
@LowkiqTest(properties = "lowkiq.client.transactional=outbox")
@Import({ Journal.class, Recipes.Checkout.class, AfterCommitTests.Transactions.class })
class AfterCommitTests {

	@Autowired
	private Recipes.Checkout checkout;

	@Autowired
	private TransactionTemplate transaction;

	@Autowired
	private LowkiqTester lowkiq;

	@Autowired
	private Journal journal;

	@AfterEach
	void clear() {
		this.journal.clear();
	}

	@Test
	void jobComesWithTheCommit() {
		this.transaction.executeWithoutResult((status) -> {
			this.checkout.pay("42");
			assertThat(this.lowkiq.queue("receipts")).isEmpty();
		});
		this.lowkiq.drain();
		assertThat(this.journal.lines()).containsExactly("paid 42", "receipt 42");
	}

	@Test
	void nothingComesOfARollback() {
		this.transaction.executeWithoutResult((status) -> {
			this.checkout.pay("42");
			status.setRollbackOnly();
		});
		assertThat(this.lowkiq.queue("receipts")).isEmpty();
	}

	@TestConfiguration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Transactions {

		@Bean
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		TransactionTemplate transaction(PlatformTransactionManager transactionManager) {
			return new TransactionTemplate(transactionManager);
		}

	}

}
