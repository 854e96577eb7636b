package io.lowkiq.autoconfigure.thread;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.lowkiq.OpenTransactionException;

import static org.assertj.core.api.Assertions.assertThat;

/** What becomes of a transaction that a run leaves open. */
class OpenTransactionsTests {

	/** The only connection is missing if it isn't given back. */
	private final JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:open-transactions", "", "");

	private final JdbcTemplate jdbc = new JdbcTemplate(this.pool);

	private final JdbcTransactionManager manager = new JdbcTransactionManager(this.pool);

	private final BegunTransactions begun = new BegunTransactions();

	private final OpenTransactions transactions = new OpenTransactions(this.begun);

	@BeforeEach
	void createTable() {
		this.begun.postProcessAfterInitialization(this.manager, "manager");
		this.pool.setMaxConnections(1);
		this.pool.setLoginTimeout(5);
		this.jdbc.execute("drop table if exists orders");
		this.jdbc.execute("create table orders (id varchar(10))");
	}

	@AfterEach
	void nothingIsLeft() {
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
		assertThat(this.pool.getActiveConnections()).isZero();
		this.pool.dispose();
	}

	private TransactionStatus begin() {
		DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
		definition.setReadOnly(true);
		definition.setName("left");
		TransactionStatus status = this.manager.getTransaction(definition);
		this.jdbc.update("insert into orders values ('42')");
		return status;
	}

	private int rows() {
		return this.jdbc.queryForList("select id from orders").size();
	}

	@Test
	void aTransactionThatIsLeftOpenIsRolledBackAndItsConnectionGivenBack() throws SQLException {
		begin();
		assertThat(this.transactions.restore()).isInstanceOf(OpenTransactionException.class)
			.hasMessageContaining("was rolled back")
			.hasNoCause();
		assertThat(rows()).isZero();
		try (Connection connection = this.pool.getConnection()) {
			assertThat(connection.getAutoCommit()).isTrue();
		}
		assertThat(TransactionSynchronizationManager.isCurrentTransactionReadOnly()).isFalse();
		assertThat(TransactionSynchronizationManager.getCurrentTransactionName()).isNull();
		assertThat(this.transactions.restore()).isNull();
	}

	@Test
	void suspendedTransactionsAreRolledBackToo() {
		this.pool.setMaxConnections(3);
		for (int i = 0; i < 3; i++) {
			this.manager
				.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
			this.jdbc.update("insert into orders values ('42')");
		}
		assertThat(this.transactions.restore()).isInstanceOf(OpenTransactionException.class)
			.hasMessageContaining("was rolled back")
			.hasNoCause();
		assertThat(rows()).isZero();
		assertThat(this.transactions.restore()).isNull();
	}

	@Test
	void aTransactionThatItsManagerHasEndedIsNone() {
		this.manager.commit(begin());
		this.manager.rollback(begin());
		assertThat(this.transactions.restore()).isNull();
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void whoWaitsForTheEndOfTheTransactionLearnsOfTheRollback() {
		begin();
		List<Integer> ends = new ArrayList<>();
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void beforeCompletion() {
				ends.add(-1);
			}

			@Override
			public void afterCompletion(int status) {
				ends.add(status);
			}

		});
		assertThat(this.transactions.restore()).isNotNull();
		assertThat(ends).containsExactly(-1, TransactionSynchronization.STATUS_ROLLED_BACK);
	}

	@Test
	void aTransactionOfAManagerThatSynchronizesNothingIsRolledBack() {
		this.manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		begin();
		assertThat(this.transactions.restore()).isInstanceOf(OpenTransactionException.class);
		assertThat(rows()).isZero();
	}

	@Test
	void aTransactionOfAnUnknownKindIsOnlyUnbound() {
		List<Integer> ends = new ArrayList<>();
		ResourceHolderSupport session = new ResourceHolderSupport() {
		};
		session.setSynchronizedWithTransaction(true);
		TransactionSynchronizationManager.bindResource("MongoDB", session);
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				ends.add(status);
			}

		});
		assertThat(this.transactions.restore()).isInstanceOf(OpenTransactionException.class)
			.hasMessageContaining("was unbound; its manager could not be asked");
		assertThat(ends).containsExactly(TransactionSynchronization.STATUS_UNKNOWN);
	}

	@Test
	void aTransactionThatBindsNothingIsOnlyUnbound() {
		TransactionSynchronizationManager.setActualTransactionActive(true);
		assertThat(this.transactions.restore()).hasMessageContaining("was unbound");
	}

	@Test
	void aSynchronizationWithoutATransactionIsLeftOpenToo() {
		TransactionSynchronizationManager.initSynchronization();
		assertThat(this.transactions.restore()).isInstanceOf(OpenTransactionException.class);
	}

	@Test
	void whatIsOnlyBoundIsUnboundAndNoFailure() {
		TransactionSynchronizationManager.bindResource("key", "value");
		TransactionSynchronizationManager.setCurrentTransactionReadOnly(true);
		assertThat(this.transactions.restore()).isNull();
		assertThat(TransactionSynchronizationManager.isCurrentTransactionReadOnly()).isFalse();
	}

	@Test
	void aManagerThatCanNotRollBackSaysWhy() {
		JdbcTransactionManager broken = new JdbcTransactionManager(this.pool) {

			@Override
			protected void doRollback(DefaultTransactionStatus status) {
				throw new TransactionSystemException("broken");
			}

		};
		this.begun.postProcessAfterInitialization(broken, "broken");
		broken.getTransaction(null);
		assertThat(this.transactions.restore()).isInstanceOf(OpenTransactionException.class)
			.hasMessageContaining("could not be rolled back")
			.hasCauseInstanceOf(TransactionSystemException.class);
	}

}
