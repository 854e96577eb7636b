package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.internal.BackgroundLoop;

/** Says once in the log that a queue is served by no node any more. */
class UnservedQueueWatch {

	private static final Logger logger = LoggerFactory.getLogger(UnservedQueueWatch.class);

	/** How long a deploy may leave a queue without a node. */
	static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final Duration PERIOD = Duration.ofSeconds(30);

	private final Supplier<List<String>> unserved;

	private final LongSupplier nanoTime;

	/** Since when each queue has been unserved; used by the thread of the executor. */
	private final Map<String, Long> since = new HashMap<>();

	private final BackgroundLoop loop;

	UnservedQueueWatch(Supplier<List<String>> unserved, LongSupplier nanoTime) {
		this.unserved = unserved;
		this.nanoTime = nanoTime;
		this.loop = new BackgroundLoop("unserved-queues", "A queue that no node serves any more is not logged", PERIOD,
				this::look, InstantSource.system());
	}

	void start() {
		this.loop.start(PERIOD);
	}

	void stop() {
		this.loop.close();
	}

	BackgroundLoop loop() {
		return this.loop;
	}

	void look() {
		List<String> queues = this.unserved.get();
		this.since.keySet().retainAll(queues);
		queues.forEach(this::look);
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
