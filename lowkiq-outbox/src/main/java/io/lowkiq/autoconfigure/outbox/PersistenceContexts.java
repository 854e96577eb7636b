package io.lowkiq.autoconfigure.outbox;

import java.util.List;

import jakarta.persistence.EntityManager;

import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** The persistence contexts of JPA that belong to this thread's transaction. */
@FunctionalInterface
interface PersistenceContexts {

	/** Finds out whether there is JPA. */
	static PersistenceContexts find() {
		return ClassUtils.isPresent("org.springframework.orm.jpa.EntityManagerHolder",
				PersistenceContexts.class.getClassLoader()) ? new OfJpa() : () -> {
				};
	}

	/** Sends their changes to the database, as the commit would do afterwards. */
	void flush();

	/** Where there is JPA. */
	final class OfJpa implements PersistenceContexts {

		/** How Hibernate names the mode of a session. */
		private static final String FLUSH_MODE = "org.hibernate.flushMode";

		@Override
		public void flush() {
			for (Object resource : List.copyOf(TransactionSynchronizationManager.getResourceMap().values())) {
				if (resource instanceof EntityManagerHolder holder && isFlushedByCommit(holder.getEntityManager())) {
					holder.getEntityManager().flush();
				}
			}
		}

		private static boolean isFlushedByCommit(EntityManager entityManager) {
			return entityManager.isOpen() && entityManager.isJoinedToTransaction()
					&& !"MANUAL".equals(String.valueOf(entityManager.getProperties().get(FLUSH_MODE)));
		}

	}

}
