package io.lowkiq.autoconfigure.outbox;

import java.sql.SQLException;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * Whether two data sources take their connections from one, whatever is wrapped around.
 */
final class DataSourceIdentity {

	/** Two wrappers that are wrapped around each other have no end. */
	private static final int MAX_DEPTH = 20;

	private DataSourceIdentity() {
	}

	/** Compares two data sources without taking a connection. */
	static boolean isSame(DataSource one, DataSource other) {
		if (one == other) {
			return true;
		}
		DataSource first = unwrapped(one);
		DataSource second = unwrapped(other);
		return first == second || isWrapperOf(first, second) || isWrapperOf(second, first);
	}

	private static DataSource unwrapped(DataSource dataSource) {
		DataSource unwrapped = dataSource;
		for (int i = 0; i < MAX_DEPTH; i++) {
			DataSource target = target(unwrapped);
			if (target == null) {
				return unwrapped;
			}
			unwrapped = target;
		}
		return dataSource;
	}

	/** The wrapped data source; null if there is none, or nothing says so. */
	private static @Nullable DataSource target(DataSource dataSource) {
		try {
			Object target = TransactionSynchronizationUtils.unwrapResourceIfNecessary(dataSource);
			if (target == dataSource && dataSource instanceof DelegatingDataSource delegating) {
				target = delegating.getTargetDataSource();
			}
			else if (target == dataSource && AopUtils.isAopProxy(dataSource)) {
				target = AopProxyUtils.getSingletonTarget(dataSource);
			}
			else if (target == dataSource && dataSource.isWrapperFor(DataSource.class)) {
				target = dataSource.unwrap(DataSource.class);
			}
			return (target != dataSource && target instanceof DataSource unwrapped) ? unwrapped : null;
		}
		catch (SQLException | RuntimeException ex) {
			return null;
		}
	}

	private static boolean isWrapperOf(DataSource wrapper, DataSource wrapped) {
		try {
			return wrapper.isWrapperFor(wrapped.getClass()) && wrapper.unwrap(wrapped.getClass()) == wrapped;
		}
		catch (SQLException | RuntimeException ex) {
			return false;
		}
	}

}
