package io.lowkiq.autoconfigure.observation;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskDecorator;

import io.lowkiq.PerformInterceptor;

/** Runs performs inside the application's task decorators. Thread-safe. */
final class DecoratedPerforms implements PerformInterceptor {

	private final List<TaskDecorator> decorators;

	DecoratedPerforms(List<TaskDecorator> decorators) {
		this.decorators = decorators;
	}

	@Override
	public void perform(Call call, Chain chain) throws Exception {
		Perform perform = new Perform(chain);
		Runnable task = perform;
		for (int i = this.decorators.size() - 1; i >= 0; i--) {
			task = this.decorators.get(i).decorate(task);
		}
		task.run();
		perform.end();
	}

	/** A run that keeps what it throws from the decorators. */
	private static final class Perform implements Runnable {

		private final Chain chain;

		private boolean ran;

		private @Nullable Throwable thrown;

		Perform(Chain chain) {
			this.chain = chain;
		}

		@Override
		public void run() {
			this.ran = true;
			try {
				this.chain.proceed();
			}
			catch (Throwable ex) {
				this.thrown = ex;
			}
		}

		void end() throws Exception {
			if (this.thrown instanceof Exception ex) {
				throw ex;
			}
			if (this.thrown instanceof Error error) {
				throw error;
			}
			if (!this.ran) {
				throw new IllegalStateException("A TaskDecorator did not run the job on its thread");
			}
		}

	}

}
