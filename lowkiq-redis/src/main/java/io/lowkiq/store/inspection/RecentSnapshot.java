package io.lowkiq.store.inspection;

import io.lowkiq.StoreException;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A reading of the store, taken at most once per a given time however many ask, and not
 * at all while nobody does. That the store could not be reached is remembered as long.
 * Thread-safe.
 */
public final class RecentSnapshot<T> {

	private final Supplier<T> source;

	private final InstantSource clock;

	private final Duration maxAge;

	/** Held while the store is read: the others wait for that reading. */
	private final ReentrantLock reading = new ReentrantLock();

	/** Written under the lock, read by all. */
	private volatile @Nullable Taken<T> last;

	public RecentSnapshot(Supplier<T> source, InstantSource clock, Duration maxAge) {
		this.source = source;
		this.clock = clock;
		this.maxAge = maxAge;
	}

	/**
	 * The last reading, or a new one if that is too old.
	 * @throws StoreException if the store can't be reached, or was at a reading that is
	 * not too old
	 */
	public T get() {
		Taken<T> taken = this.last;
		if (taken == null || !isRecent(taken)) {
			this.reading.lock();
			try {
				taken = this.last;
				if (taken == null || !isRecent(taken)) {
					taken = take();
					this.last = taken;
				}
			}
			finally {
				this.reading.unlock();
			}
		}
		return taken.value();
	}

	/** Forgets the last reading, because what was read has changed. */
	public void forget() {
		this.reading.lock();
		try {
			this.last = null;
		}
		finally {
			this.reading.unlock();
		}
	}

	private boolean isRecent(Taken<T> taken) {
		Duration age = Duration.between(taken.at(), this.clock.instant());
		return age.abs().compareTo(this.maxAge) < 0;
	}

	private Taken<T> take() {
		try {
			T value = this.source.get();
			return new Taken<>(this.clock.instant(), value, null);
		}
		catch (StoreException ex) {
			if (Thread.currentThread().isInterrupted()) {
				// This thread was asked to stop reading, which says nothing about the
				// store
				throw ex;
			}
			return new Taken<>(this.clock.instant(), null, ex);
		}
	}

	/** A reading, or why there is none. */
	private record Taken<T>(Instant at, @Nullable T found, @Nullable StoreException problem) {

		T value() {
			if (this.found == null) {
				throw new StoreException(
						"The store can't be read: " + ((this.problem != null) ? this.problem.getMessage() : ""),
						this.problem);
			}
			return this.found;
		}

	}

}
