package io.lowkiq.dashboard.web;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.Semaphore;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.ShardActions;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/**
 * Lets a test hold the steps of a long action: while the gate is closed, only as many
 * pass as were let through. Open at first.
 */
@Configuration(proxyBeanMethods = false)
class GatedActions {

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

	/** The store for everybody, around the one on Redis. */
	@Bean(destroyMethod = "")
	@Primary
	InspectableStore gatedStore(RedisStore store) {
		ShardActions gated = proxy(ShardActions.class, (method, arguments) -> {
			this.steps.acquire();
			return invoke(method, store.actions(), arguments);
		});
		return proxy(InspectableStore.class,
				(method, arguments) -> method.getName().equals("actions") ? gated : invoke(method, store, arguments));
	}

	private static Object invoke(Method method, Object target, Object[] arguments) throws Throwable {
		try {
			return method.invoke(target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	private static <T> T proxy(Class<T> type, Calls calls) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> calls.call(method, arguments)));
	}

	private interface Calls {

		Object call(Method method, Object[] arguments) throws Throwable;

	}

}
