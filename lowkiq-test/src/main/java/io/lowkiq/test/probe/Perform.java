package io.lowkiq.test.probe;

import java.util.List;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;

/**
 * One call of the worker, and what is to happen at its calls of repositories. Used by the
 * thread that performs; only {@link #isLeaseLost()} by others.
 */
final class Perform {

	private final long token;

	private final int retryCount;

	private final @Nullable Disturbance disturbance;

	/** Performs as the newer owner, while this one stands still. */
	private final Runnable newer;

	private final List<String> trace;

	private int calls;

	/** How many of its payloads the worker has completed. */
	private int completed;

	private boolean dead;

	private boolean disturbed;

	private volatile boolean leaseLost;

	Perform(long token, int retryCount, @Nullable Disturbance disturbance, Runnable newer, List<String> trace) {
		this.token = token;
		this.retryCount = retryCount;
		this.disturbance = disturbance;
		this.newer = newer;
		this.trace = trace;
	}

	long token() {
		return this.token;
	}

	int retryCount() {
		return this.retryCount;
	}

	boolean isLeaseLost() {
		return this.leaseLost;
	}

	/** How many calls the worker has made. */
	int calls() {
		return this.calls;
	}

	int completed() {
		return this.completed;
	}

	/** The worker says that its first payloads are done. */
	void completed(int payloads) {
		this.completed = payloads;
	}

	/** Whether what was to happen has happened. */
	boolean isDisturbed() {
		return this.disturbed;
	}

	/** Makes a call of a repository that a text describes. */
	@Nullable Object call(String text, Callable<@Nullable Object> call) throws Exception {
		if (this.dead) {
			throw new CutOffError();
		}
		this.calls++;
		boolean here = this.disturbance != null && this.disturbance.call() == this.calls && !this.disturbed;
		if (here && this.disturbance != null && !this.disturbance.after()) {
			this.disturbed = true;
			this.trace.add("    %s: %s".formatted(text, happening(this.disturbance, "before")));
			disturb(this.disturbance);
			this.trace.add("    (the late owner continues)");
		}
		Object result = call.call();
		this.trace.add("    %s = %s".formatted(text, Text.of(result)));
		if (here && this.disturbance != null && this.disturbance.after()) {
			this.disturbed = true;
			this.trace.add("    (%s)".formatted(happening(this.disturbance, "after")));
			disturb(this.disturbance);
		}
		return result;
	}

	private void disturb(Disturbance what) {
		switch (what.kind()) {
			case CRASH -> {
				this.dead = true;
				throw new CutOffError();
			}
			case ERROR -> throw new FailedCallException(what.after());
			case LATE -> {
				this.leaseLost = true;
				this.newer.run();
			}
			case TWICE -> {
			}
		}
	}

	private static String happening(Disturbance what, String when) {
		return switch (what.kind()) {
			case CRASH -> "the process dies %s this call".formatted(when);
			case ERROR -> when.equals("after") ? "this call took effect, and throws" : "throws, without effect";
			case LATE -> "the owner stands still, and loses its lease";
			case TWICE -> "";
		};
	}

}
