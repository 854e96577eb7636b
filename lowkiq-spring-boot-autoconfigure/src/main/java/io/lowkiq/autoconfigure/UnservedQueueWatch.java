package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.store.StoreException;

/**
 * Says once in the log that a queue is served by no node any more.
 */
class UnservedQueueWatch {

	private static final Logger logger = LoggerFactory.getLogger(UnservedQueueWatch.class);

	/** How long a deploy may leave a queue without a node. */
	static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final Duration PERIOD = Duration.ofSeconds(30);

	private final Supplier<List<String>> unserved;

	private final LongSupplier nanoTime;

	/** Since when each queue has been unserved; used by the thread of the executor. */
	private final Map<String, Long> since = new HashMap<>();

	/** Guarded by the monitor. */
	private @Nullable ScheduledExecutorService executor;

	/**
	 * A watch.
	 * @param unserved finds the queues that no node serves
	 * @param nanoTime the monotonic clock
	 */
	UnservedQueueWatch(Supplier<List<String>> unserved, LongSupplier nanoTime) {
		this.unserved = unserved;
		this.nanoTime = nanoTime;
	}

	synchronized void start() {
		if (this.executor == null) {
			this.executor = Executors.newSingleThreadScheduledExecutor((task) -> {
				Thread thread = new Thread(task, "lowkiq-unserved-queues");
				thread.setDaemon(true);
				return thread;
			});
			var unused = this.executor.scheduleWithFixedDelay(this::look, PERIOD.toMillis(), PERIOD.toMillis(),
					TimeUnit.MILLISECONDS);
		}
	}

	synchronized void stop() {
		if (this.executor != null) {
			this.executor.shutdownNow();
			this.executor = null;
		}
	}

	/** Looks once. Doesn't throw, so that the next look is made. */
	void look() {
		try {
			List<String> queues = this.unserved.get();
			this.since.keySet().retainAll(queues);
			queues.forEach(this::look);
		}
		catch (StoreException ex) {
			logger.debug("The store can't be reached", ex);
		}
		catch (Throwable ex) {
			logger.warn("Could not check for queues without a node", ex);
		}
	}

	private void look(String queue) {
		long now = this.nanoTime.getAsLong();
		Long begin = this.since.putIfAbsent(queue, now);
		if (begin != null && begin != Long.MAX_VALUE && now - begin >= PATIENCE.toNanos()) {
			logger.warn("No node serves queue '{}' any more: its jobs wait, and its shards have no owner. "
					+ "Start an application that has its worker, even if only to drain the queue", queue);
			this.since.put(queue, Long.MAX_VALUE);
		}
	}

}
