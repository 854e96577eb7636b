package io.lowkiq.dashboard.web;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.Semaphore;

import io.lowkiq.store.inspection.ShardActions;

import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Lets a test hold the steps of a long action: while the gate is closed, only as many
 * pass as were let through. Open at first.
 */
final class GatedActions implements BeanPostProcessor {

	private static final int ALL = 1_000_000;

	private final Semaphore steps = new Semaphore(ALL);

	/** Closes the gate behind a number of steps. */
	void close(int steps) {
		this.steps.drainPermits();
		this.steps.release(steps);
	}

	void open() {
		this.steps.release(ALL);
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		if (!(bean instanceof ShardActions actions)) {
			return bean;
		}
		return Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { ShardActions.class },
				(proxy, method, arguments) -> {
					this.steps.acquire();
					try {
						return method.invoke(actions, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

}
