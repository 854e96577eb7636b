package io.lowkiq.engine.perform;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lowkiq.internal.JobLogContext;
import io.lowkiq.internal.LogText;
import io.lowkiq.internal.PrintableThrowable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes failures to the log so that it stays readable when thousands fail: the first and
 * the last failure of a job with its stack trace, those between in one line. Thread-safe.
 */
final class FailureLog {

	static final int MAX_LINES = 10;

	private static final Logger logger = LoggerFactory.getLogger(FailureLog.class);

	private static final Duration PERIOD = Duration.ofMinutes(1);

	/** Bounds the memory: classes of exceptions can be made at any time. */
	private static final int MAX_KINDS = 200;

	private final LongSupplier nanoTime;

	/** Guarded by the monitor. */
	private final Map<Kind, Minute> minutes = new HashMap<>();

	/** The place of a failure among those of its job. */
	enum Rank {

		/** The job has not failed before. */
		FIRST,

		/** The job has failed before, and is retried. */
		REPEATED,

		/** The job, or one of its payloads, is not retried. */
		LAST

	}

	/** Failures that count together. */
	private record Kind(String queue, String failure, boolean last) {

		static final Kind OTHERS = new Kind("(others)", "other exceptions", false);

	}

	/** The failures of one kind since a time, logged and counted. */
	private static final class Minute {

		private final long begin;

		private int lines;

		private boolean traced;

		private long skipped;

		private String lastId = "";

		Minute(long begin) {
			this.begin = begin;
		}

		boolean isOver(long nanos) {
			return nanos - this.begin >= PERIOD.toNanos();
		}

	}

	/** How much is written of a failure. */
	private enum Detail {

		TRACE, LINE, NOTHING

	}

	FailureLog(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/** Writes a failure, or counts it. */
	void failed(String queue, String id, Throwable error, Rank rank, Supplier<String> sentence) {
		if (!logger.isWarnEnabled()) {
			return;
		}
		List<String> summaries = new ArrayList<>();
		Detail detail = logger.isDebugEnabled() ? Detail.TRACE : count(queue, id, error, rank, summaries);
		summaries.forEach(FailureLog::write);
		if (detail == Detail.NOTHING) {
			return;
		}
		JobLogContext context = JobLogContext.begin(queue, id, error);
		try {
			if (detail == Detail.TRACE) {
				PrintableThrowable.log(error, (printable) -> logger.warn(sentence.get(), printable));
			}
			else {
				logger.warn("{}: {}", sentence.get(), PrintableThrowable.describe(error));
			}
		}
		finally {
			context.end();
		}
	}

	private synchronized Detail count(String queue, String id, Throwable error, Rank rank, List<String> summaries) {
		long nanos = this.nanoTime.getAsLong();
		Kind kind = new Kind(queue, error.getClass().getName(), rank == Rank.LAST);
		if (!this.minutes.containsKey(kind) && this.minutes.size() >= MAX_KINDS) {
			summaries.addAll(takeOver(nanos));
			kind = (this.minutes.size() < MAX_KINDS) ? kind : Kind.OTHERS;
		}
		Minute minute = this.minutes.get(kind);
		if (minute == null || minute.isOver(nanos)) {
			if (minute != null && minute.skipped > 0) {
				summaries.add(summary(kind, minute));
			}
			minute = new Minute(nanos);
			this.minutes.put(kind, minute);
		}
		if (minute.lines >= MAX_LINES) {
			minute.skipped++;
			minute.lastId = id;
			return Detail.NOTHING;
		}
		minute.lines++;
		if (minute.traced || rank == Rank.REPEATED) {
			return Detail.LINE;
		}
		minute.traced = true;
		return Detail.TRACE;
	}

	/** Writes how many failures were not written, of the minutes that are over. */
	void summarize(boolean all) {
		takeOver(this.nanoTime.getAsLong() + (all ? PERIOD.toNanos() : 0)).forEach(FailureLog::write);
	}

	private synchronized List<String> takeOver(long nanos) {
		List<String> summaries = new ArrayList<>();
		this.minutes.forEach((kind, minute) -> {
			if (minute.isOver(nanos) && minute.skipped > 0) {
				summaries.add(summary(kind, minute));
			}
		});
		this.minutes.values().removeIf((minute) -> minute.isOver(nanos));
		return summaries;
	}

	private static void write(String summary) {
		logger.warn("{}", summary);
	}

	private static String summary(Kind kind, Minute minute) {
		return "… %s more %s of queue '%s' with %s within a minute, the last one of job '%s'".formatted(minute.skipped,
				kind.last() ? "last failures" : "failures", kind.queue(), kind.failure(), LogText.of(minute.lastId));
	}

}
