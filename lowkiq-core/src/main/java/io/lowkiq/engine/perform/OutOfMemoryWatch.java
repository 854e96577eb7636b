package io.lowkiq.engine.perform;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Tells a job that exhausts the heap from a heap that is exhausted: the server stops only
 * when out-of-memory errors come from several different jobs within a minute (I8).
 * Thread-safe.
 */
public final class OutOfMemoryWatch {

	private static final int MAX_JOBS = 3;

	private static final long PERIOD = Duration.ofMinutes(1).toNanos();

	private final LongSupplier nanoTime;

	private final Consumer<String> exhausted;

	/** When a job failed last, by its name; the oldest first. Guarded by the monitor. */
	private final Map<String, Long> jobs = new LinkedHashMap<>();

	/**
	 * A watch.
	 * @param nanoTime the monotonic clock
	 * @param exhausted called with a message when the heap is exhausted
	 */
	public OutOfMemoryWatch(LongSupplier nanoTime, Consumer<String> exhausted) {
		this.nanoTime = nanoTime;
		this.exhausted = exhausted;
	}

	void failed(String queue, List<String> ids) {
		if (isExhausted("'" + String.join("', '", ids) + "' of queue '" + queue + "'")) {
			this.exhausted.accept("Out-of-memory errors from %d different jobs within a minute: %s".formatted(MAX_JOBS,
					this.jobs.keySet()));
		}
	}

	private synchronized boolean isExhausted(String job) {
		long now = this.nanoTime.getAsLong();
		this.jobs.values().removeIf((at) -> now - at > PERIOD);
		this.jobs.remove(job);
		this.jobs.put(job, now);
		return this.jobs.size() >= MAX_JOBS;
	}

}
