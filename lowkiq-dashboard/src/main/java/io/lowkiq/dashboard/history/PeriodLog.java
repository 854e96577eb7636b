package io.lowkiq.dashboard.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lowkiq.dashboard.history.ThroughputLog.Total;
import org.jspecify.annotations.Nullable;

/**
 * The history of the last hour, day and week, in fields of a {@link ThroughputLog}.
 * Thread-safe: the node that has claimed the present step writes. If it is so slow that
 * another one writes meanwhile, what it adds to a step may be lost.
 */
public final class PeriodLog {

	/** After a longer time without a sample the history has a gap. */
	static final Duration GAP = ThroughputLog.STEP.multipliedBy(3L * ThroughputLog.UNWATCHED);

	private static final String LAST = "last";

	private final ThroughputLog log;

	/** Creates a log. */
	public PeriodLog(ThroughputLog log) {
		this.log = log;
	}

	/**
	 * The counts of a queue at a time.
	 *
	 * @param total what it has counted ever
	 * @param lag its lag, in milliseconds
	 * @param enqueued the number of queued jobs
	 * @param dead the number of dead jobs
	 * @param performs the runs of a minute
	 */
	public record Sample(Total total, long lag, long enqueued, long dead, PerformCounts performs) {

		/** Of a queue that has never had a job. */
		public static final Sample NONE = new Sample(new Total(0, 0), 0, 0, 0, PerformCounts.NONE);

		Sample plus(Sample other) {
			return new Sample(this.total.plus(other.total), Math.max(this.lag, other.lag),
					this.enqueued + other.enqueued, this.dead + other.dead, this.performs.plus(other.performs));
		}

	}

	/**
	 * The counts of a step.
	 *
	 * @param number the number of the step
	 * @param millis for how long that is known; 0 if there was only one sample after a
	 * gap
	 * @param processed jobs done in this time
	 * @param failed failures in this time
	 * @param lag the largest lag, in milliseconds
	 * @param enqueued the last number of queued jobs
	 * @param dead the last number of dead jobs
	 * @param performs its runs
	 */
	public record Step(long number, long millis, long processed, long failed, long lag, long enqueued, long dead,
			PerformCounts performs) {

		Step with(long millis, Total grown, Sample sample) {
			return new Step(this.number, this.millis + millis, this.processed + grown.processed(),
					this.failed + grown.failed(), Math.max(this.lag, sample.lag()), sample.enqueued(), sample.dead(),
					this.performs);
		}

		Step with(PerformCounts more) {
			return new Step(this.number, this.millis, this.processed, this.failed, this.lag, this.enqueued, this.dead,
					this.performs.plus(more));
		}

		String text() {
			return this.number + " " + this.millis + " " + this.processed + " " + this.failed + " " + this.lag + " "
					+ this.enqueued + " " + this.dead + " " + this.performs.text();
		}

		/**
		 * Whether a newer version has written a step: its number, and more than this
		 * version knows.
		 */
		static boolean isNewer(@Nullable String text, long number) {
			return text != null && text.startsWith(number + " ") && text.split(" ", -1).length > 8;
		}

		/** The step, if that is what the text says. */
		static @Nullable Step parse(@Nullable String text, long number) {
			return read(text, 8, (parts) -> {
				long[] numbers = numbers(parts, 7);
				return (numbers[0] == number) ? new Step(number, numbers[1], numbers[2], numbers[3], numbers[4],
						numbers[5], numbers[6], PerformCounts.parse(parts[7])) : null;
			});
		}

	}

	/**
	 * The last sample.
	 *
	 * @param at when it was taken
	 * @param minute whose runs it had
	 * @param total the total
	 */
	private record Last(long at, long minute, Total total) {

		private static final Pattern NEWER = Pattern.compile("(\\d{1,18}) \\d+ \\d+ \\d+ ");

		String text() {
			return this.at + " " + this.minute + " " + this.total.processed() + " " + this.total.failed();
		}

		static @Nullable Last parse(@Nullable String text) {
			return read(text, 4, (parts) -> {
				long[] numbers = numbers(parts, 4);
				return new Last(numbers[0], numbers[1], new Total(numbers[2], numbers[3]));
			});
		}

		/**
		 * Whether a newer version has written it lately: its time, and more than this
		 * version knows.
		 */
		static boolean isNewer(@Nullable String text, long now) {
			Matcher at = NEWER.matcher((text != null) ? text : "");
			return at.lookingAt() && now - Long.parseLong(at.group(1)) <= GAP.toMillis();
		}

		/** How much was counted since. Nothing if the counters started again. */
		Total grown(Total now) {
			return new Total(Math.max(0, now.processed() - this.total.processed()),
					Math.max(0, now.failed() - this.total.failed()));
		}

	}

	/** Returns null unless the text has so many parts, and numbers where they belong. */
	private static <T> @Nullable T read(@Nullable String text, int count, Function<String[], @Nullable T> reader) {
		String[] parts = (text != null) ? text.split(" ", -1) : new String[0];
		try {
			return (parts.length == count) ? reader.apply(parts) : null;
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

	private static long[] numbers(String[] parts, int count) {
		long[] numbers = new long[count];
		for (int i = 0; i < count; i++) {
			numbers[i] = Long.parseLong(parts[i]);
			if (numbers[i] < 0 || numbers[i] > PerformCounts.MAX_NUMBER) {
				throw new NumberFormatException(parts[i]);
			}
		}
		return numbers;
	}

	/**
	 * Writes a sample.
	 * @param now the time of the log, in milliseconds since 1970
	 * @param minute whose runs the samples have, in minutes since 1970. They are added
	 * once, whoever writes that minute how often
	 */
	public void write(long now, long minute, Map<String, Sample> samples) {
		write(null, now, minute, samples.values().stream().reduce(Sample.NONE, Sample::plus));
		samples.forEach((queue, sample) -> write(queue, now, minute, sample));
	}

	private void write(@Nullable String queue, long now, long minute, Sample sample) {
		long begin = minute * Period.HOUR.step();
		Set<String> names = new LinkedHashSet<>(Set.of(LAST));
		for (Period period : Period.values()) {
			names.add(period.field(period.stepAt(now)));
			names.add(period.field(period.stepAt(begin)));
		}
		Map<String, String> fields = new TreeMap<>(this.log.fields(queue, List.copyOf(names)));
		if (Last.isNewer(fields.get(LAST), now)) {
			return;
		}
		Last last = Last.parse(fields.get(LAST));
		long since = (last != null) ? now - last.at() : Long.MAX_VALUE;
		if (since <= 0 && since > -GAP.toMillis()) {
			// Another node has written meanwhile
			return;
		}
		boolean goesOn = since > 0 && since <= GAP.toMillis();
		Total grown = (last != null && goesOn) ? last.grown(sample.total()) : new Total(0, 0);
		boolean performsAreNew = last == null || last.minute() != minute;
		for (Period period : Period.values()) {
			long number = period.stepAt(now);
			String text = fields.get(period.field(number));
			Step known = Step.parse(text, number);
			Step present = (known != null) ? known : new Step(number, 0, 0, 0, 0, 0, 0, PerformCounts.NONE);
			if (!Step.isNewer(text, number)) {
				fields.put(period.field(number), present.with(goesOn ? since : 0, grown, sample).text());
			}
			long performedIn = period.stepAt(begin);
			Step past = Step.parse(fields.get(period.field(performedIn)), performedIn);
			if (performsAreNew && past != null) {
				fields.put(period.field(performedIn), past.with(sample.performs()).text());
			}
		}
		fields.put(LAST, new Last(now, minute, sample.total()).text());
		this.log.put(queue, fields);
	}

	/**
	 * The steps of a period in which something was written.
	 * @param queue the queue's name; null for all together
	 * @param now the present time, in milliseconds since 1970
	 */
	public List<Step> steps(Period period, @Nullable String queue, long now) {
		List<Long> numbers = period.stepsUntil(now);
		Map<String, String> fields = this.log.fields(queue, numbers.stream().map(period::field).toList());
		List<Step> steps = new ArrayList<>();
		for (long number : numbers) {
			Step step = Step.parse(fields.get(period.field(number)), number);
			if (step != null) {
				steps.add(step);
			}
		}
		return steps;
	}

}
