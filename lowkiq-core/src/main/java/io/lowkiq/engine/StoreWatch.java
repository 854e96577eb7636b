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
	 * What fails and why, by the shard or other thing that was asked for. Not more than
	 * there are shards.
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
		this.problems.put(source, problem.toString());
		if (wasWell) {
			logger.warn("The store is out of reach; trying again until it is back", problem);
		}
	}

	/** A call succeeded, or is not tried any more. */
	void succeeded(Object source) {
		if (!this.problems.isEmpty() && this.problems.remove(source) != null && this.problems.isEmpty()) {
			logger.info("The store is back");
			this.back.run();
		}
	}

	/** What the store answered; null if all is well. */
	@Nullable String problem() {
		return this.problems.values().stream().findFirst().orElse(null);
	}

}
