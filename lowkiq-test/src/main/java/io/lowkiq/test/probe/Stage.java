package io.lowkiq.test.probe;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.lowkiq.LowkiqClient;
import io.lowkiq.Batch;
import io.lowkiq.PerformContext;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopConfigException;
import org.springframework.aop.framework.ProxyFactory;

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

	/** How many runs are in progress; written by their threads, read by all. */
	private final AtomicInteger performing = new AtomicInteger();

	/** Written by any thread, read by the test's. */
	private volatile boolean callsElsewhere;

	/** Whether any repository is watched. */
	boolean hasRepositories() {
		return this.repositories;
	}

	/** Whether a watched call came from a thread that was not performing. */
	boolean hasCallsElsewhere() {
		return this.callsElsewhere;
	}

	<R> R watched(Class<R> type, R target) {
		this.repositories = true;
		ProxyFactory factory = new ProxyFactory();
		factory.setTarget(target);
		factory.setOpaque(true);
		if (type.isInterface()) {
			factory.setInterfaces(type);
		}
		else {
			factory.setProxyTargetClass(true);
		}
		factory.addAdvice((MethodInterceptor) (call) -> isOfObject(call) ? ofObject(call) : intercept(call));
		try {
			return type.cast(factory.getProxy(target.getClass().getClassLoader()));
		}
		catch (AopConfigException ex) {
			throw new IllegalArgumentException(
					"%s can't be watched: pass an interface, or a class that isn't final".formatted(type.getName()),
					ex);
		}
	}

	/** In its place, as long as the body runs. */
	<T> T watching(List<Advised> beans, Supplier<T> body) {
		MethodInterceptor interceptor = this::intercept;
		beans.forEach((bean) -> bean.addAdvice(0, interceptor));
		try {
			return body.get();
		}
		finally {
			beans.forEach((bean) -> bean.removeAdvice(interceptor));
		}
	}

	/** There is a bean that will be watched. */
	void expectBeans() {
		this.repositories = true;
	}

	private @Nullable Object intercept(MethodInvocation invocation) throws Throwable {
		Perform perform = this.performs.get();
		if (perform == null) {
			this.callsElsewhere |= this.performing.get() > 0;
			return invocation.proceed();
		}
		try {
			return perform.call(Text.call(invocation.getMethod().getName(), invocation.getArguments()), () -> {
				try {
					return invocation.proceed();
				}
				catch (Exception | Error ex) {
					throw ex;
				}
				catch (Throwable ex) {
					throw new InvocationTargetException(ex);
				}
			});
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	private static boolean isOfObject(MethodInvocation invocation) {
		return invocation.getMethod().getDeclaringClass() == Object.class;
	}

	private static @Nullable Object ofObject(MethodInvocation invocation) throws Throwable {
		return invocation.getMethod().getName().equals("toString") ? "WorkerProbe(" + invocation.getThis() + ")"
				: invocation.proceed();
	}

	/** Returns the exception of a run on this thread; null if it returned normally. */
	@Nullable Throwable run(Perform perform, Supplier<@Nullable Throwable> body) {
		this.performs.set(perform);
		this.performing.incrementAndGet();
		try {
			return body.get();
		}
		finally {
			this.performing.decrementAndGet();
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

	@Override
	public void completed(int payloads) {
		current().completed(payloads);
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
