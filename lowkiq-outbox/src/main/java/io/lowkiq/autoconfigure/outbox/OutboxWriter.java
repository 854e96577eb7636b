package io.lowkiq.autoconfigure.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import io.lowkiq.store.job.NewPayload;

import org.springframework.jdbc.datasource.DataSourceUtils;

/** Writes by the connection that is bound to this thread, or its own. Thread-safe. */
final class OutboxWriter {

	private final OutboxDatabase database;

	private final OutboxTable table;

	OutboxWriter(OutboxDatabase database, OutboxTable table) {
		this.database = database;
		this.table = table;
	}

	void write(DataSource dataSource, Map<String, List<NewPayload>> jobs) {
		withConnection(dataSource, (connection) -> {
			this.database.check(connection);
			this.table.insert(connection, jobs);
		});
	}

	/** Writes jobs in a transaction of their own. */
	void writeAndCommit(DataSource dataSource, String queue, List<NewPayload> payloads) {
		withConnection(dataSource, (connection) -> {
			this.database.check(connection);
			insertAndCommit(connection, queue, payloads);
		});
	}

	private void insertAndCommit(Connection connection, String queue, List<NewPayload> payloads) throws SQLException {
		boolean autoCommit = connection.getAutoCommit();
		if (autoCommit) {
			connection.setAutoCommit(false);
		}
		try {
			this.table.insert(connection, Map.of(queue, payloads));
			connection.commit();
		}
		catch (SQLException | RuntimeException ex) {
			connection.rollback();
			throw ex;
		}
		finally {
			if (autoCommit) {
				connection.setAutoCommit(true);
			}
		}
	}

	/** Commits what was written after the commit of a transaction. */
	void commit(DataSource dataSource) {
		withConnection(dataSource, (connection) -> {
			if (!connection.getAutoCommit()) {
				connection.commit();
			}
		});
	}

	private void withConnection(DataSource dataSource, Work work) {
		Connection connection = DataSourceUtils.getConnection(dataSource);
		try {
			work.run(connection);
		}
		catch (SQLException ex) {
			throw this.table.translated("write jobs to the outbox", null, ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, dataSource);
		}
	}

	@FunctionalInterface
	private interface Work {

		void run(Connection connection) throws SQLException;

	}

}
