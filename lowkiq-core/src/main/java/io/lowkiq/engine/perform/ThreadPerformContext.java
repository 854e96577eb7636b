package io.lowkiq.engine.perform;

import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.lowkiq.PerformContext;

/**
 * What each performing thread is running. One instance belongs to one server.
 */
public final class ThreadPerformContext implements PerformContext {

	/** Written and read by the performing thread only. */
	@SuppressWarnings("ThreadLocalUsage") // one instance a server, no static state
	private final ThreadLocal<@Nullable Running> running = new ThreadLocal<>();

	@Override
	public long fencingToken() {
		return current().fencingToken();
	}

	@Override
	public int retryCount() {
		return current().retryCount();
	}

	@Override
	public boolean isLeaseLost() {
		return current().leaseLost().getAsBoolean();
	}

	@Override
	public boolean newerWaiting() {
		return current().newerWaiting().getAsBoolean();
	}

	@Override
	public void completed(int payloads) {
		ReadableJob job = current().list();
		if (job == null) {
			throw new IllegalStateException(
					"Only a Worker, which gets a list of payloads, can complete the first ones");
		}
		job.completed(payloads);
	}

	/**
	 * The thread begins to perform.
	 * @param list the job of a worker that gets a list of payloads; null for others
	 */
	void begin(long fencingToken, int retryCount, BooleanSupplier leaseLost, @Nullable ReadableJob list,
			BooleanSupplier newerWaiting) {
		this.running.set(new Running(fencingToken, retryCount, leaseLost, list, newerWaiting));
	}

	void end() {
		this.running.remove();
	}

	private Running current() {
		Running current = this.running.get();
		if (current == null) {
			throw new IllegalStateException("This thread is not performing a job");
		}
		return current;
	}

	private record Running(long fencingToken, int retryCount, BooleanSupplier leaseLost, @Nullable ReadableJob list,
			BooleanSupplier newerWaiting) {
	}

}
