package io.lowkiq.store;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lowkiq.StoreTimeoutException;
import io.lowkiq.StoreUnreachableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The layouts of queues into which somebody enqueues. A layout that is out of date does
 * no harm: removed and forgotten shards refuse what comes too late. Thread-safe.
 */
public final class KnownLayouts {

	/** After that a queue is looked up again: another application may have removed it. */
	private static final Duration GOOD_FOR = Duration.ofHours(1);

	private static final Logger logger = LoggerFactory.getLogger(KnownLayouts.class);

	private final LongSupplier nanoTime;

	private final Map<String, Known> layouts = new ConcurrentHashMap<>();

	public KnownLayouts(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/** Whether a layout of a queue is known, even if it has to be looked up again. */
	public boolean contains(String queue) {
		return this.layouts.containsKey(queue);
	}

	/** The layout of a queue; null if it has to be looked up. */
	public @Nullable QueueLayout find(String queue) {
		Known known = this.layouts.get(queue);
		return (known != null && this.nanoTime.getAsLong() - known.askedAt() < GOOD_FOR.toNanos()) ? known.layout()
				: null;
	}

	/** Reads the record of a queue; without an answer, the known layout stays in use. */
	public QueueLayout lookUp(String queue, Supplier<QueueLayout> record) {
		long now = this.nanoTime.getAsLong();
		Known before = this.layouts.get(queue);
		Known present;
		try {
			present = new Known(record.get(), now);
		}
		catch (StoreTimeoutException | StoreUnreachableException ex) {
			if (before == null) {
				throw ex;
			}
			logger.warn("The record of queue '{}' can't be read: {}. Its known layout stays in use", queue,
					ex.getMessage());
			present = new Known(before.layout(), now);
		}
		this.layouts.put(queue, present);
		return present.layout();
	}

	public void forget(String queue) {
		this.layouts.remove(queue);
	}

	private record Known(QueueLayout layout, long askedAt) {
	}

}
