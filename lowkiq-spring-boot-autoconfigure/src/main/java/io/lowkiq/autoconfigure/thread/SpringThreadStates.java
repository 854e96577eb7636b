package io.lowkiq.autoconfigure.thread;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

import io.lowkiq.engine.perform.ThreadState;

/**
 * The states that Spring keeps on a thread: transactions, the locale, the request and the
 * security context.
 */
public final class SpringThreadStates {

	private SpringThreadStates() {
	}

	/** Of the modules that the application has, and the managers that it may have. */
	public static List<Supplier<ThreadState>> of(@Nullable ClassLoader classLoader, @Nullable BegunTransactions begun) {
		List<Supplier<ThreadState>> states = new ArrayList<>();
		if (isPresent("org.springframework.transaction.support.TransactionSynchronizationManager", classLoader)) {
			states.add(() -> new OpenTransactions(begun));
		}
		states.add(Locales::new);
		if (isPresent("org.springframework.web.context.request.RequestContextHolder", classLoader)) {
			states.add(Requests::new);
		}
		if (isPresent("org.springframework.security.core.context.SecurityContextHolder", classLoader)) {
			states.add(Identities::new);
		}
		return states;
	}

	private static boolean isPresent(String type, @Nullable ClassLoader classLoader) {
		return ClassUtils.isPresent(type, classLoader);
	}

	private static final class Locales implements ThreadState {

		private final @Nullable LocaleContext before = LocaleContextHolder.getLocaleContext();

		@Override
		public @Nullable RuntimeException restore() {
			if (LocaleContextHolder.getLocaleContext() != this.before) {
				LocaleContextHolder.setLocaleContext(this.before);
			}
			return null;
		}

	}

	private static final class Requests implements ThreadState {

		private final @Nullable RequestAttributes before = RequestContextHolder.getRequestAttributes();

		@Override
		public @Nullable RuntimeException restore() {
			if (RequestContextHolder.getRequestAttributes() != this.before) {
				RequestContextHolder.setRequestAttributes(this.before);
			}
			return null;
		}

	}

	/** The user. A context that all threads share is nobody's to restore. */
	private static final class Identities implements ThreadState {

		private final boolean shared = isShared();

		private final @Nullable Authentication before = this.shared ? null
				: SecurityContextHolder.getContext().getAuthentication();

		/** With {@link SecurityContextHolder#MODE_GLOBAL}. Its class is not public. */
		private static boolean isShared() {
			return SecurityContextHolder.getContextHolderStrategy().getClass().getSimpleName().startsWith("Global");
		}

		@Override
		public @Nullable RuntimeException restore() {
			if (this.shared) {
				return null;
			}
			// The context of before may have been changed
			SecurityContextHolder.clearContext();
			if (this.before != null) {
				SecurityContext context = SecurityContextHolder.createEmptyContext();
				context.setAuthentication(this.before);
				SecurityContextHolder.setContext(context);
			}
			return null;
		}

	}

}
