package io.lowkiq.autoconfigure.outbox;

import java.util.List;

import jakarta.persistence.EntityManager;

import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** The persistence contexts of JPA that belong to this thread's transaction. */
final class PersistenceContexts {

	private static final boolean HAS_JPA = ClassUtils.isPresent("org.springframework.orm.jpa.EntityManagerHolder",
			PersistenceContexts.class.getClassLoader());

	private PersistenceContexts() {
	}

	/** Sends their changes to the database, as the commit would do afterwards. */
	static void flush() {
		if (HAS_JPA) {
			OfJpa.flush();
		}
	}

	private static final class OfJpa {

		/** How Hibernate names the mode of a session. */
		private static final String FLUSH_MODE = "org.hibernate.flushMode";

		private static void flush() {
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
