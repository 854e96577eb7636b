package io.lowkiq.engine;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.Loop;
import org.jspecify.annotations.Nullable;

/**
 * The deadlines of shards, which are processed when theirs has come. Guarded by the
 * {@link StateLock}.
 */
final class Deadlines {

	private static final long MAX_WAIT = TimeUnit.MINUTES.toNanos(1);

	private final StateLock lock;

	private final EngineRuntime runtime;

	private final Loop loop;

	private final TreeSet<Alarm> alarms = new TreeSet<>(Alarm.EARLIEST_FIRST);

	private final Map<ServedShard, Alarm> alarmOf = new HashMap<>();

	private long alarmNumbers;

	private long waitsUntil;

	/**
	 * When to process a shard.
	 *
	 * @param at by the monotonic clock
	 */
	private record Alarm(long at, long number, ServedShard shard) {

		/** Times of the monotonic clock compare by their difference. */
		static final Comparator<Alarm> EARLIEST_FIRST = (one, other) -> (one.at != other.at)
				? Long.signum(one.at - other.at) : Long.compare(one.number, other.number);

	}

	Deadlines(StateLock lock, EngineRuntime runtime) {
		this.lock = lock;
		this.runtime = runtime;
		this.loop = new Loop("lowkiq-timer", runtime, this::processDue);
		this.waitsUntil = runtime.nanoTime();
	}

	Loop loop() {
		return this.loop;
	}

	/**
	 * Sets the nanoseconds until the deadline; the largest for none. With the lock only.
	 */
	void set(ServedShard shard, long left) {
		Alarm before = this.alarmOf.remove(shard);
		if (before != null) {
			this.alarms.remove(before);
		}
		if (left != Long.MAX_VALUE) {
			long at = this.runtime.nanoTime() + Math.min(left, MAX_WAIT);
			Alarm alarm = new Alarm(at, this.alarmNumbers++, shard);
			this.alarmOf.put(shard, alarm);
			this.alarms.add(alarm);
			if (at - this.waitsUntil < 0) {
				this.waitsUntil = at;
				this.loop.signal();
			}
		}
	}

	/** Returns the time until the next deadline, in nanoseconds. */
	private long processDue() {
		return this.lock.get(() -> takeDue(this.runtime.nanoTime()));
	}

	private long takeDue(long nanos) {
		Alarm first = first();
		while (first != null && first.at() - nanos <= 0) {
			this.alarms.remove(first);
			this.alarmOf.remove(first.shard());
			this.lock.changed(first.shard());
			first = first();
		}
		long left = (first != null) ? first.at() - nanos : MAX_WAIT;
		// Shards that are processed now set earlier deadlines, which signal the loop
		this.waitsUntil = nanos + left;
		return left;
	}

	private @Nullable Alarm first() {
		return this.alarms.isEmpty() ? null : this.alarms.first();
	}

}
