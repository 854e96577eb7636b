package io.lowkiq.engine.perform;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.lowkiq.internal.DurationText;
import io.lowkiq.internal.LogText;
import io.lowkiq.internal.PrintableThrowable;

/**
 * The jobs with a payload that this node could not read when it last tried. Thread-safe.
 */
final class UnreadableJobs {

	static final int MAX_JOBS = 1_000;

	private static final long LOGGED = TimeUnit.MINUTES.toNanos(1);

	/** A job is tried at least once a minute, unless another node has it. */
	private static final long FORGOTTEN = TimeUnit.MINUTES.toNanos(3);

	private final LongSupplier nanoTime;

	/** Added under the monitor, which bounds them; removed by all. */
	private final Map<Job, Known> jobs = new ConcurrentHashMap<>();

	UnreadableJobs(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	private record Job(String queue, String id) {
	}

	/**
	 * Since when it can't be read, and until when it is tried, by the monotonic clock.
	 */
	private record Known(String error, long since, long until, long triedAt, long loggedAt) {
	}

	/** A job could not be read. */
	boolean add(String queue, String id, Throwable error, Duration waited, Duration grace) {
		// Before the monitor is taken: its message may be code of users
		String text = PrintableThrowable.describe(error);
		return add(new Job(queue, id), text, nanos(waited), nanos(grace));
	}

	private synchronized boolean add(Job job, String error, long waited, long grace) {
		long now = this.nanoTime.getAsLong();
		Known known = this.jobs.get(job);
		if (known == null && this.jobs.size() >= MAX_JOBS) {
			forgetOld(now);
			if (this.jobs.size() >= MAX_JOBS) {
				return true;
			}
		}
		boolean isNews = known == null || now - known.loggedAt() >= LOGGED;
		long loggedAt = (known == null || isNews) ? now : known.loggedAt();
		long since = now - waited;
		this.jobs.put(job, new Known(error, since, since + grace, now, loggedAt));
		return isNews;
	}

	/** A job could be read, or is in the morgue. */
	void remove(String queue, String id) {
		if (!this.jobs.isEmpty()) {
			this.jobs.remove(new Job(queue, id));
		}
	}

	/** A sentence for each queue with such jobs, by its name. */
	Map<String, String> sentences() {
		long now = this.nanoTime.getAsLong();
		forgetOld(now);
		Map<String, List<Map.Entry<Job, Known>>> byQueue = this.jobs.entrySet()
			.stream()
			.collect(Collectors.groupingBy((job) -> job.getKey().queue(), TreeMap::new, Collectors.toList()));
		Map<String, String> sentences = new LinkedHashMap<>();
		byQueue.forEach((queue, some) -> {
			Map.Entry<Job, Known> next = some.stream()
				.min(Comparator.comparingLong((job) -> job.getValue().until() - now))
				.orElseThrow();
			String sentence = (some.size() == 1)
					? "%,d job can't be read: '%s', for %s. It goes to the morgue in %s. %s"
					: "%,d jobs can't be read. The first to go to the morgue is '%s', unreadable for %s, in %s. %s";
			sentences.put(queue, String.format(Locale.ROOT, sentence, some.size(), LogText.of(next.getKey().id()),
					text(now - next.getValue().since()), text(next.getValue().until() - now), next.getValue().error()));
		});
		return sentences;
	}

	private void forgetOld(long now) {
		this.jobs.values().removeIf((known) -> now - known.triedAt() >= FORGOTTEN);
	}

	/** As many nanoseconds as possible, if there are too many. */
	private static long nanos(Duration duration) {
		return TimeUnit.MILLISECONDS.toNanos(duration.toMillis());
	}

	private static String text(long nanos) {
		return DurationText.of(Duration.ofSeconds(TimeUnit.NANOSECONDS.toSeconds(Math.max(nanos, 0))));
	}

}
