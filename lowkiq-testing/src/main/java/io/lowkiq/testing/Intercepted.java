package io.lowkiq.testing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

import org.jspecify.annotations.Nullable;
import org.mockito.Mockito;

/**
 * Objects of tests whose calls go to another object, but for those with which a test does
 * something else.
 */
public final class Intercepted {

	private Intercepted() {
	}

	/** Does something with calls. */
	@FunctionalInterface
	public interface Interceptor {

		/** Answers a call. */
		@Nullable Object answer(String method, Call call) throws Throwable;

	}

	/** A call. */
	public interface Call {

		/** An argument. */
		Object argument(int index);

		/** Makes the call. */
		@Nullable Object make() throws Throwable;

	}

	/** Intercepts the public calls of an interface or a class. */
	public static <T> T of(Class<T> type, T target, Interceptor interceptor) {
		InvocationHandler handler = (proxy, method, arguments) -> interceptor.answer(method.getName(), new Call() {

			@Override
			public Object argument(int index) {
				return arguments[index];
			}

			@Override
			public @Nullable Object make() throws Throwable {
				try {
					return method.invoke(target, arguments);
				}
				catch (InvocationTargetException ex) {
					throw ex.getTargetException();
				}
			}

		});
		return type.isInterface()
				? type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, handler))
				: Mockito.mock(type, Mockito.withSettings()
					.stubOnly()
					.defaultAnswer((call) -> handler.invoke(call.getMock(), call.getMethod(), call.getArguments())));
	}

}
