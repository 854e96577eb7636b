package io.lowkiq.engine.perform;

import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.lowkiq.PerformContext;

/**
 * Tells each shard thread what it performs. One instance belongs to one server.
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

	void begin(long fencingToken, int retryCount, BooleanSupplier leaseLost) {
		this.running.set(new Running(fencingToken, retryCount, leaseLost));
	}

	void end() {
		this.running.remove();
	}

	private Running current() {
		Running current = this.running.get();
		if (current == null) {
			throw new IllegalStateException("This thread performs no job");
		}
		return current;
	}

	private record Running(long fencingToken, int retryCount, BooleanSupplier leaseLost) {
	}

}
