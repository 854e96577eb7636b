package io.lowkiq.engine;

import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/** How far a run of the server has come. */
final class Lifecycle {

	/** Written by whoever stops the server, read by all threads. */
	private volatile boolean quiet;

	/** Written by whoever stops the server, read by all threads. */
	private volatile boolean aborted;

	/** Written once, by the thread that failed. */
	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	/** No job is fetched or begun any more. */
	void quiet() {
		this.quiet = true;
	}

	/** The time for the runs in progress is over. */
	void abort() {
		this.quiet = true;
		this.aborted = true;
	}

	/** An error occurred that no job can be blamed for. */
	boolean fail(Throwable error) {
		boolean first = this.failure.compareAndSet(null, error);
		this.quiet = true;
		return first;
	}

	boolean isQuiet() {
		return this.quiet;
	}

	boolean isAborted() {
		return this.aborted;
	}

	@Nullable Throwable failure() {
		return this.failure.get();
	}

}
