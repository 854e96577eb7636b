package io.lowkiq.engine.lease;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.lowkiq.StoreException;
import io.lowkiq.internal.PrintableThrowable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the store answers, in order for each shard. Thread-safe. */
public final class StoreAvailability {

	private static final Logger logger = LoggerFactory.getLogger(StoreAvailability.class);

	private final StateLock lock;

	/**
	 * By the shard or other thing that was asked for. Written with the lock, read by all.
	 */
	private final Map<Object, String> problems = new ConcurrentHashMap<>();

	private final Runnable back;

	public StoreAvailability(StateLock lock, Runnable back) {
		this.lock = lock;
		this.back = back;
	}

	void failed(Object source, Throwable problem) {
		this.lock.run(() -> {
			boolean wasWell = this.problems.isEmpty();
			this.problems.put(source, (problem instanceof StoreException) ? String.valueOf(problem.getMessage())
					: PrintableThrowable.describe(problem));
			if (wasWell) {
				this.lock.afterwards(
						() -> logger.warn("The store does not respond as expected; retrying until it does", problem));
			}
		});
	}

	/** A call succeeded, or a thing is not asked for any more. */
	void succeeded(Object source) {
		if (this.problems.isEmpty()) {
			return;
		}
		this.lock.run(() -> {
			if (this.problems.remove(source) != null && this.problems.isEmpty()) {
				this.lock.afterwards(() -> logger.info("The store is back"));
				this.lock.afterwards(this.back);
			}
		});
	}

	/** A present problem with the store, as text; null if all is well. */
	public @Nullable String problem() {
		return this.problems.values().stream().findFirst().orElse(null);
	}

}
