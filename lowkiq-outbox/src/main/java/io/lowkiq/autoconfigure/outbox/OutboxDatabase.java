package io.lowkiq.autoconfigure.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.lowkiq.OtherDatabaseException;

/**
 * The database with the outbox: which transactions belong to it, and which of its
 * connections lead to the rows that are sent. A data source may choose another database
 * for each connection. Thread-safe.
 */
final class OutboxDatabase {

	private final DataSource dataSource;

	/** Where rows are sent from. Written at startup and by the outbox, read by all. */
	private volatile @Nullable String url;

	/** Written by all, read and cleared by {@code lowkiq-outbox}. */
	private volatile boolean isDoubtful = true;

	OutboxDatabase(DataSource dataSource) {
		DataSource target = (dataSource instanceof TransactionAwareDataSourceProxy proxy) ? proxy.getTargetDataSource()
				: null;
		this.dataSource = (target != null) ? target : dataSource;
	}

	DataSource dataSource() {
		return this.dataSource;
	}

	/**
	 * The data source to whose transactions one belongs, begun by the manager of this
	 * database: a connection that another manager's transaction happens to use commits
	 * for itself.
	 */
	@Nullable DataSource dataSourceOf(TransactionExecution transaction) {
		ConnectionHolder holder = holder(transaction);
		return (holder != null) ? bound(holder) : null;
	}

	private static @Nullable ConnectionHolder holder(TransactionExecution transaction) {
		return (transaction instanceof DefaultTransactionStatus status && status.hasTransaction()
				&& status.getTransaction() instanceof JdbcTransactionObjectSupport object
				&& object.hasConnectionHolder()) ? object.getConnectionHolder() : null;
	}

	/** The data source of this database with a connection, or with exactly this one. */
	private @Nullable DataSource bound(@Nullable ConnectionHolder holder) {
		for (Map.Entry<Object, Object> each : TransactionSynchronizationManager.getResourceMap().entrySet()) {
			if ((holder == null || holder == each.getValue()) && each.getValue() instanceof ConnectionHolder
					&& each.getKey() instanceof DataSource key && DataSourceIdentity.isSame(this.dataSource, key)) {
				return key;
			}
		}
		return null;
	}

	/** Reads where rows are sent from, unless that is known. */
	void readUrl() {
		if (this.isDoubtful) {
			this.isDoubtful = false;
			try (Connection connection = this.dataSource.getConnection()) {
				this.url = url(connection);
			}
			catch (SQLException ex) {
				this.isDoubtful = true;
				throw new DataAccessResourceFailureException("The database with the outbox can't be reached", ex);
			}
		}
	}

	/** Empty if the driver doesn't know it. */
	private static String url(Connection connection) throws SQLException {
		String url = connection.getMetaData().getURL();
		return (url != null) ? url : "";
	}

	/**
	 * Refuses the connection of this thread's transaction, if any, to another database.
	 * @throws OtherDatabaseException if it is one
	 */
	void checkTransaction() {
		DataSource key = bound(null);
		if (key != null) {
			Connection connection = DataSourceUtils.getConnection(key);
			try {
				check(connection);
			}
			catch (SQLException ex) {
				throw new DataAccessResourceFailureException("The connection of the transaction can't be used", ex);
			}
			finally {
				DataSourceUtils.releaseConnection(connection, key);
			}
		}
	}

	/**
	 * @throws OtherDatabaseException unless the rows are sent from its database
	 */
	void check(Connection connection) throws SQLException {
		String actual = url(connection);
		String expected = this.url;
		if (expected == null || !(expected.equals(actual) || expected.isEmpty())) {
			// It may have moved: the thread of the outbox looks again
			this.isDoubtful = true;
			throw new OtherDatabaseException(withoutSecrets(actual),
					(expected != null) ? withoutSecrets(expected) : null);
		}
	}

	/** The part of a URL that names the database, for people. */
	static String withoutSecrets(String url) {
		return url.replaceAll("[?;].*", "").replaceAll("//[^/]*@", "//");
	}

}
