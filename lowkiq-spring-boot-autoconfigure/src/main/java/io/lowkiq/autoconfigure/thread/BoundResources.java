package io.lowkiq.autoconfigure.thread;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import jakarta.persistence.EntityTransaction;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.SimpleConnectionHandle;
import org.springframework.orm.jpa.EntityManagerHolder;

/** The resources that transactions of some modules bind to a thread. Thread-safe. */
final class BoundResources {

	private final List<Kind> kinds;

	private BoundResources(List<Kind> kinds) {
		this.kinds = kinds;
	}

	/** A kind of bound resources. */
	private interface Kind {

		boolean rollBack(Object resource) throws SQLException;

		void release(Object resource) throws SQLException;

	}

	/** The kinds of the modules that the application has. */
	static BoundResources of(@Nullable ClassLoader classLoader) {
		List<Kind> kinds = new ArrayList<>();
		if (SpringThreadStates.isPresent("org.springframework.jdbc.datasource.ConnectionHolder", classLoader)) {
			kinds.add(new Connections());
		}
		if (SpringThreadStates.isPresent("org.springframework.orm.jpa.EntityManagerHolder", classLoader)) {
			kinds.add(new EntityManagers());
		}
		return new BoundResources(kinds);
	}

	/**
	 * @throws SQLException if that isn't possible; the connection is then probably lost
	 */
	boolean rollBack(Object resource) throws SQLException {
		boolean isKnown = false;
		for (Kind kind : this.kinds) {
			isKnown |= kind.rollBack(resource);
		}
		return isKnown;
	}

	/**
	 * A resource that is no longer bound.
	 * @throws SQLException if that isn't possible
	 */
	void release(Object resource) throws SQLException {
		for (Kind kind : this.kinds) {
			kind.release(resource);
		}
	}

	/** Connections of transactions of JDBC. Those of JPA belong to the entity manager. */
	private static final class Connections implements Kind {

		private static @Nullable Connection connection(Object resource) {
			return (resource instanceof ConnectionHolder holder
					&& holder.getConnectionHandle() instanceof SimpleConnectionHandle handle) ? handle.getConnection()
							: null;
		}

		@Override
		public boolean rollBack(Object resource) throws SQLException {
			Connection connection = connection(resource);
			if (connection != null && !connection.getAutoCommit()) {
				connection.rollback();
			}
			return resource instanceof ConnectionHolder;
		}

		@Override
		public void release(Object resource) throws SQLException {
			Connection connection = connection(resource);
			if (connection == null) {
				return;
			}
			// Closed in any case: a pool takes it back, or finds that it is broken
			try (connection) {
				// Again, because a change of the mode would commit what came after the
				// first
				// time
				rollBack(resource);
				connection.setAutoCommit(true);
				if (connection.isReadOnly()) {
					connection.setReadOnly(false);
				}
			}
			catch (SQLException ex) {
				connection.abort(Runnable::run);
				throw ex;
			}
		}

	}

	private static final class EntityManagers implements Kind {

		@Override
		public boolean rollBack(Object resource) {
			if (resource instanceof EntityManagerHolder holder) {
				EntityTransaction transaction = holder.getEntityManager().getTransaction();
				if (transaction.isActive()) {
					transaction.rollback();
				}
				return true;
			}
			return false;
		}

		@Override
		public void release(Object resource) {
			if (resource instanceof EntityManagerHolder holder && holder.getEntityManager().isOpen()) {
				holder.getEntityManager().close();
			}
		}

	}

}
