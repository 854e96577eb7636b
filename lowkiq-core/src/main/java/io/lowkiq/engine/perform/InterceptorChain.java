package io.lowkiq.engine.perform;

import java.util.List;

import io.lowkiq.PerformInterceptor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The interceptors around each run, the first one outermost. Thread-safe. */
final class InterceptorChain {

	private static final Logger logger = LoggerFactory.getLogger(InterceptorChain.class);

	private final List<PerformInterceptor> interceptors;

	InterceptorChain(List<PerformInterceptor> interceptors) {
		this.interceptors = interceptors;
	}

	void perform(PerformInterceptor.Call call, PerformInterceptor.Chain worker) throws Exception {
		PerformInterceptor.Chain chain = worker;
		for (int i = this.interceptors.size() - 1; i >= 0; i--) {
			PerformInterceptor interceptor = this.interceptors.get(i);
			PerformInterceptor.Chain rest = chain;
			chain = () -> interceptor.perform(call, rest);
		}
		chain.proceed();
	}

	/** Concludes a run within all interceptors, exactly once whatever they do. */
	void conclude(PerformInterceptor.Call call, Runnable conclusion) {
		Once once = new Once(conclusion);
		Runnable chain = once;
		for (int i = this.interceptors.size() - 1; i >= 0; i--) {
			PerformInterceptor interceptor = this.interceptors.get(i);
			Runnable rest = chain;
			chain = () -> interceptor.conclude(call, rest);
		}
		try {
			chain.run();
		}
		catch (Throwable ex) {
			logger.warn("An interceptor threw after a run of queue '{}'; the result of the run stays", call.queue(),
					ex);
		}
		once.end();
	}

	/** Runs once, and keeps its exception from the interceptors. Used by one thread. */
	private static final class Once implements Runnable {

		private final Runnable conclusion;

		private boolean ran;

		private @Nullable Throwable thrown;

		Once(Runnable conclusion) {
			this.conclusion = conclusion;
		}

		@Override
		public void run() {
			if (this.ran) {
				return;
			}
			this.ran = true;
			try {
				this.conclusion.run();
			}
			catch (RuntimeException | Error ex) {
				this.thrown = ex;
			}
		}

		/** Runs if no interceptor did, and throws what the conclusion threw. */
		void end() {
			run();
			if (this.thrown instanceof RuntimeException exception) {
				throw exception;
			}
			if (this.thrown instanceof Error error) {
				throw error;
			}
		}

	}

}
