package io.lowkiq.engine.perform;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.lowkiq.internal.LogText;

/**
 * Distinguishes a job that exhausts the heap from a heap that is exhausted: the server
 * stops only when out-of-memory errors come from several different jobs within a minute
 * (I8). Thread-safe.
 */
public final class OutOfMemoryWatch {

	private static final int MAX_JOBS = 3;

	private static final long PERIOD = Duration.ofMinutes(1).toNanos();

	private final LongSupplier nanoTime;

	private final Consumer<String> exhausted;

	/** The last failures of different jobs. Guarded by the monitor. */
	private final List<Failure> failures = new ArrayList<>();

	/** Jobs that failed together, because one call of the worker performed them. */
	private record Failure(String queue, List<String> ids, long at) {

		boolean isOfSameJob(Failure other) {
			return this.queue.equals(other.queue) && !Collections.disjoint(this.ids, other.ids);
		}

		@Override
		public String toString() {
			return "%s of queue '%s'".formatted(LogText.of(this.ids), this.queue);
		}

	}

	public OutOfMemoryWatch(LongSupplier nanoTime, Consumer<String> exhausted) {
		this.nanoTime = nanoTime;
		this.exhausted = exhausted;
	}

	void failed(String queue, List<String> ids) {
		List<Failure> recent = add(new Failure(queue, List.copyOf(ids), this.nanoTime.getAsLong()));
		if (recent.size() >= MAX_JOBS) {
			this.exhausted.accept(
					"Out-of-memory errors from %s different jobs within a minute: %s".formatted(recent.size(), recent));
		}
	}

	private synchronized List<Failure> add(Failure failure) {
		this.failures.removeIf((other) -> failure.at() - other.at() > PERIOD || other.isOfSameJob(failure));
		this.failures.add(failure);
		return List.copyOf(this.failures);
	}

}
