package io.lowkiq.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

import io.lowkiq.engine.lease.HeldShard;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.internal.DurationText;
import io.lowkiq.internal.JobLogContext;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.job.FetchedJob;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time limits of runs, under whatever lease they began: a worker that takes too long
 * is interrupted. If it ignores the interrupt, it keeps its ids and its thread until it
 * returns (I1), but suspects no longer wait for it. Guarded by the {@link StateLock}.
 */
final class TimeLimits {

	private static final Logger logger = LoggerFactory.getLogger(TimeLimits.class);

	private static final long GRACE = Duration.ofSeconds(5).toNanos();

	/** The interval at which a worker that ignores the interrupt is logged. */
	private static final long REMINDER = Duration.ofMinutes(10).toNanos();

	private final StateLock lock;

	private final LongSupplier nanoTime;

	private final Map<ServedShard, Map<Task, Limited>> performing = new HashMap<>();

	/** A run with a limit. */
	private static final class Limited {

		private final Task task;

		private final ThreadActivity activity;

		private final long limit;

		private long reportAt;

		private boolean reported;

		Limited(Task task, ThreadActivity activity, long limit) {
			this.task = task;
			this.activity = activity;
			this.limit = limit;
		}

	}

	TimeLimits(StateLock lock, LongSupplier nanoTime) {
		this.lock = lock;
		this.nanoTime = nanoTime;
	}

	/** Notes that a thread is about to begin a task. */
	boolean begin(ServedShard shard, Task task, ThreadActivity activity) {
		Duration timeout = shard.queue().worker().settings().failures().performTimeout();
		if (timeout.isZero()) {
			return false;
		}
		this.performing.computeIfAbsent(shard, (key) -> new LinkedHashMap<>())
			.put(task, new Limited(task, activity, timeout.toNanos()));
		return true;
	}

	void ended(ServedShard shard, Task task) {
		Map<Task, Limited> ofShard = this.performing.get(shard);
		if (ofShard != null) {
			ofShard.remove(task);
		}
	}

	/**
	 * Does what is due for a shard.
	 * @return the time until something will be due, in nanoseconds
	 */
	long process(ServedShard shard) {
		Map<Task, Limited> ofShard = this.performing.get(shard);
		if (ofShard == null || ofShard.isEmpty()) {
			return Long.MAX_VALUE;
		}
		long nanos = this.nanoTime.getAsLong();
		long left = Long.MAX_VALUE;
		for (Limited limited : ofShard.values()) {
			left = Math.min(left, untilDue(shard, limited, nanos));
		}
		return left;
	}

	private long untilDue(ServedShard shard, Limited limited, long nanos) {
		long over = limited.activity.lasted(limited.task, nanos) - limited.limit;
		if (over < 0) {
			return -over;
		}
		if (!limited.activity.isTimedOut(limited.task)) {
			// An interrupt can run code of a channel or of a thread that is not ours
			this.lock.afterwards(() -> limited.activity.timeOut(limited.task, limited.limit, nanos));
			return GRACE;
		}
		if (over < GRACE) {
			return GRACE - over;
		}
		if (!limited.reported || nanos - limited.reportAt >= 0) {
			ignored(shard, limited, over);
			limited.reported = true;
			limited.reportAt = nanos + REMINDER;
		}
		return limited.reportAt - nanos;
	}

	private void ignored(ServedShard shard, Limited limited, long over) {
		HeldShard held = shard.held();
		if (held != null) {
			held.tasks().awaitNoSuspectOf(limited.task);
		}
		List<String> ids = limited.task.jobs().stream().map(FetchedJob::id).toList();
		this.lock.afterwards(() -> {
			JobLogContext context = JobLogContext.begin(shard.queue().name(), ids);
			logger.warn("A run of queue '{}' has lasted {} and ignores the interrupt that followed its "
					+ "perform-timeout of {}. Until it returns, its ids stay busy and it occupies thread '{}': {}",
					shard.queue().name(), DurationText.of(Duration.ofNanos(limited.limit + over)),
					DurationText.of(Duration.ofNanos(limited.limit)), limited.activity.snapshot().name(),
					LogText.of(ids));
			context.end();
		});
	}

}
