package io.lowkiq.test.probe;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.function.Supplier;

import io.lowkiq.LowkiqClient;
import io.lowkiq.Batch;
import io.lowkiq.PerformContext;
import org.jspecify.annotations.Nullable;

/**
 * Knows which thread runs which perform: stands between the worker and its repositories,
 * and is the worker's {@link PerformContext}. Thread-safe.
 */
final class Stage implements PerformContext {

	/** Written and read by the performing thread only. */
	@SuppressWarnings("ThreadLocalUsage") // one instance a probe, no static state
	private final ThreadLocal<@Nullable Perform> performs = new ThreadLocal<>();

	/** Written by the test before it runs the probe. */
	private boolean repositories;

	/** Whether any repository is watched. */
	boolean hasRepositories() {
		return this.repositories;
	}

	<R> R watched(Class<R> type, R target) {
		if (!type.isInterface()) {
			throw new IllegalArgumentException("%s is not an interface".formatted(type.getName()));
		}
		this.repositories = true;
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> invoke(proxy, target, method, arguments)));
	}

	private @Nullable Object invoke(Object proxy, Object target, Method method, Object @Nullable [] arguments)
			throws Throwable {
		if (method.getDeclaringClass() == Object.class) {
			return ofObject(proxy, target, method, arguments);
		}
		Perform perform = this.performs.get();
		try {
			if (perform == null) {
				return method.invoke(target, arguments);
			}
			return perform.call(Text.call(method.getName(), arguments), () -> method.invoke(target, arguments));
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	private static @Nullable Object ofObject(Object proxy, Object target, Method method,
			Object @Nullable [] arguments) {
		return switch (method.getName()) {
			case "equals" -> arguments != null && proxy == arguments[0];
			case "hashCode" -> System.identityHashCode(proxy);
			default -> "WorkerProbe(" + target + ")";
		};
	}

	/**
	 * Runs a perform on this thread.
	 * @return what it threw; null if it returned normally
	 */
	@Nullable Throwable run(Perform perform, Supplier<@Nullable Throwable> body) {
		this.performs.set(perform);
		try {
			return body.get();
		}
		finally {
			this.performs.remove();
		}
	}

	@Override
	public long fencingToken() {
		return current().token();
	}

	@Override
	public int retryCount() {
		return current().retryCount();
	}

	@Override
	public Instant performAt() {
		current();
		return Instant.EPOCH;
	}

	@Override
	public boolean isLeaseLost() {
		return current().isLeaseLost();
	}

	/** Nothing is enqueued while a worker is probed. */
	@Override
	public boolean newerWaiting() {
		current();
		return false;
	}

	/** The worker may be probed with payloads that it has completed: they come again. */
	@Override
	public void completed(int payloads) {
		current();
	}

	/** Nothing is enqueued while a worker is probed. */
	@Override
	public LowkiqClient onSuccess() {
		current();
		return (LowkiqClient) Proxy.newProxyInstance(LowkiqClient.class.getClassLoader(),
				new Class<?>[] { LowkiqClient.class }, (proxy, method, arguments) -> null);
	}

	@Override
	public LowkiqClient onSuccess(Batch.Job<?> job) {
		return onSuccess();
	}

	private Perform current() {
		Perform perform = this.performs.get();
		if (perform == null) {
			throw new IllegalStateException("This thread is not performing a job");
		}
		return perform;
	}

}
