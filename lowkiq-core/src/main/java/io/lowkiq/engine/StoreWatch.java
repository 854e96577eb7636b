package io.lowkiq.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows whether the store answers, and logs one line when that changes. Thread-safe.
 */
final class StoreWatch {

	private static final Logger logger = LoggerFactory.getLogger(StoreWatch.class);

	/**
	 * What fails and why, by the shard or other thing that was asked for. Each is either
	 * tried again soon or {@linkplain #forget forgotten}, so a problem doesn't outlive
	 * its cause.
	 */
	private final Map<Object, String> problems = new ConcurrentHashMap<>();

	private final Runnable back;

	/**
	 * A watch.
	 * @param back called when the store answers again
	 */
	StoreWatch(Runnable back) {
		this.back = back;
	}

	/** A call failed. */
	void failed(Object source, Throwable problem) {
		boolean wasWell = this.problems.isEmpty();
		this.problems.put(source, String.valueOf(problem.getMessage()));
		if (wasWell) {
			logger.warn("The store does not answer as it should; trying again until it does", problem);
		}
	}

	/** A call succeeded. */
	void succeeded(Object source) {
		if (!this.problems.isEmpty() && this.problems.remove(source) != null && this.problems.isEmpty()) {
			logger.info("The store is back");
			this.back.run();
		}
	}

	/** A thing is not asked for any more. */
	void forget(Object source) {
		succeeded(source);
	}

	/** What the store answered last; null if all is well. */
	@Nullable String problem() {
		return this.problems.values().stream().findFirst().orElse(null);
	}

}
