package io.lowkiq.autoconfigure.outbox;

import java.sql.SQLException;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.ClassUtils;

/**
 * Names, at startup, transaction managers whose transactions are in the database with the
 * outbox, but can't be recognized: their data source is another one, or doesn't tell what
 * it is wrapped around.
 */
final class TransactionManagerCheck implements SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(TransactionManagerCheck.class);

	private static final boolean HAS_JPA = ClassUtils.isPresent("org.springframework.orm.jpa.JpaTransactionManager",
			TransactionManagerCheck.class.getClassLoader());

	private final ListableBeanFactory beans;

	private final OutboxDatabase database;

	TransactionManagerCheck(ListableBeanFactory beans, OutboxDatabase database) {
		this.beans = beans;
		this.database = database;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.beans.getBeansOfType(PlatformTransactionManager.class, false, false).forEach((name, manager) -> {
			DataSource dataSource = dataSource(manager);
			if (dataSource != null && !this.database.isSame(dataSource) && isInDatabase(name, dataSource)) {
				logger
					.warn("The transaction manager '{}' uses the database with the table lowkiq_outbox by another DataSource. "
							+ "Jobs that are enqueued in its transactions are written to the table after the commit, "
							+ "and are lost if the process dies in between", name);
			}
		});
	}

	private static @Nullable DataSource dataSource(PlatformTransactionManager manager) {
		if (HAS_JPA && manager instanceof JpaTransactionManager jpa) {
			return jpa.getDataSource();
		}
		return (manager instanceof ResourceTransactionManager some
				&& some.getResourceFactory() instanceof DataSource dataSource) ? dataSource : null;
	}

	private boolean isInDatabase(String name, DataSource dataSource) {
		try {
			return this.database.hasUrlOf(dataSource);
		}
		catch (SQLException ex) {
			logger.debug("The database of the transaction manager '{}' can't be reached", name, ex);
			return false;
		}
	}

}
