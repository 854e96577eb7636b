package io.lowkiq.autoconfigure.schedule;

import java.time.Instant;
import java.util.List;
import java.util.function.ToLongFunction;

import org.jspecify.annotations.Nullable;

import io.lowkiq.store.inspection.JobView;

/**
 * At least one tick of a schedule, in the order of their enqueues: the last one has the
 * expression that holds.
 */
record ScheduleTicks(List<ScheduleTick> all) {

	/**
	 * @throws io.lowkiq.PayloadException if the ticks can't be read
	 */
	static ScheduleTicks of(JobView job) {
		return new ScheduleTicks(job.payloads()
			.stream()
			.map((payload) -> (ScheduleTick) ScheduleWorker.CODEC.decode(payload.bytes(), ScheduleTick.class))
			.toList());
	}

	ScheduleTick latest() {
		return this.all.get(this.all.size() - 1);
	}

	/** The ticks with the expression that holds. */
	List<ScheduleTick> valid() {
		return this.all.stream().filter((tick) -> tick.isOf(latest())).toList();
	}

	/** The time of the last job, in milliseconds since 1970; 0 if there was none. */
	long lastMillis() {
		return this.all.stream().mapToLong(ScheduleTick::last).max().orElse(0);
	}

	@Nullable Instant last() {
		long last = lastMillis();
		return (last != 0) ? Instant.ofEpochMilli(last) : null;
	}

	/** The time to wait for; null if it isn't known. */
	@Nullable Instant next() {
		Instant waiting = earliest(ScheduleTick::time);
		return (waiting != null) ? waiting : earliest(ScheduleTick::first);
	}

	private @Nullable Instant earliest(ToLongFunction<ScheduleTick> time) {
		return valid().stream()
			.mapToLong(time)
			.filter((millis) -> millis != 0)
			.min()
			.stream()
			.mapToObj(Instant::ofEpochMilli)
			.findFirst()
			.orElse(null);
	}

	/** The tick that waits for a time instead of these. */
	ScheduleTick at(Instant time) {
		return latest().at(time, lastMillis());
	}

}
