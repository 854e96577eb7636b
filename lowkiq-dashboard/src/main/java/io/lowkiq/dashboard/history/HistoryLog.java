package io.lowkiq.dashboard.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;

import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.Reply;
import org.jspecify.annotations.Nullable;

/**
 * The history: a sample of each queue, and of all together, for each of the last
 * {@value #MINUTES} minutes. One of all nodes writes it. Thread-safe.
 */
public final class HistoryLog {

	/** The number of minutes that are kept. */
	public static final int MINUTES = 48 * 60;

	private static final long MINUTE = Duration.ofMinutes(1).toMillis();

	/**
	 * How long after the end of a minute, in milliseconds, all nodes have reported its
	 * runs, and still do: their reports tell of two.
	 */
	private static final long REPORTED = 20_000;

	/** After a longer time without a sample, in milliseconds, the history has a gap. */
	private static final long GAP = 3 * MINUTE;

	private static final LuaScript CLAIM = DashboardKeys.script("claim-minute.lua", HistoryLog.class);

	private static final LuaScript WRITE = DashboardKeys.script("write-minute.lua", HistoryLog.class);

	private final DashboardKeys keys;

	public HistoryLog(DashboardKeys keys) {
		this.keys = keys;
	}

	/** The last minute of whose runs all nodes have reported, counted from 1970. */
	public static long minuteAt(long now) {
		return (now - REPORTED) / MINUTE - 1;
	}

	/**
	 * Claims the present minute for one node.
	 * @return the time of Redis, in milliseconds since 1970; empty if it is claimed
	 */
	public OptionalLong claim() {
		Reply now = this.keys.run(CLAIM, List.of(this.keys.key("history", "claim")), Long.toString(REPORTED));
		return (now.number(0) > 0) ? OptionalLong.of(now.number(0)) : OptionalLong.empty();
	}

	/** Writes the minute that was claimed. */
	public void write(Map<String, Sample> samples) {
		List<String> lists = new ArrayList<>(List.of(key(null)));
		List<String> arguments = new ArrayList<>(List.of(Integer.toString(MINUTES), Long.toString(MINUTES * MINUTE)));
		samples.values().stream().reduce(Sample::plus).ifPresent((all) -> arguments.add(all.text()));
		samples.forEach((queue, sample) -> {
			lists.add(key(queue));
			arguments.add(sample.text());
		});
		if (!samples.isEmpty()) {
			this.keys.run(WRITE, lists, arguments.toArray(String[]::new));
		}
	}

	/**
	 * The last samples, oldest first. What can't be read is left out.
	 * @param queue the queue's name; null for all together
	 */
	public List<Sample> last(@Nullable String queue, int count) {
		Reply lines = this.keys.command("LRANGE", key(queue), Integer.toString(-count), "-1").inner(0);
		List<Sample> samples = new ArrayList<>();
		for (int i = 0; i < lines.size(); i++) {
			Sample sample = Sample.parse(lines.text(i));
			if (sample != null) {
				samples.add(sample);
			}
		}
		return samples;
	}

	/**
	 * The points of a chart. Where nothing was recorded there is none.
	 * @param queue the queue's name; null for all together
	 * @param now the present time, in milliseconds since 1970
	 */
	public History history(@Nullable String queue, int minutes, long now) {
		List<History.Point> points = new ArrayList<>();
		Sample before = null;
		for (Sample sample : last(queue, minutes + 1)) {
			long millis = (before != null) ? sample.at() - before.at() : 0;
			if (before != null && millis > 0 && millis <= GAP && sample.at() > now - minutes * MINUTE) {
				points.add(point(before, sample));
			}
			before = sample;
		}
		return new History(points);
	}

	/** Counters that started again have counted nothing. */
	private static History.Point point(Sample before, Sample sample) {
		double seconds = (sample.at() - before.at()) / 1_000.0;
		return new History.Point(minuteAt(sample.at()) * MINUTE,
				Math.max(0, sample.processed() - before.processed()) / seconds,
				Math.max(0, sample.failed() - before.failed()) / seconds, sample.lag(), sample.enqueued(),
				sample.dead(), sample.performs().percentile(0.5), sample.performs().percentile(0.95));
	}

	/** Without a queue, the key of all together. */
	private String key(@Nullable String queue) {
		return this.keys.key("history", (queue != null) ? "minutes:" + queue : "minutes");
	}

	/**
	 * A queue at a time.
	 *
	 * @param at milliseconds since 1970
	 * @param processed jobs done, ever
	 * @param failed failures, ever
	 * @param performs the runs of the last minute that all nodes have reported
	 */
	public record Sample(long at, long processed, long failed, long lag, long enqueued, long dead,
			PerformCounts performs) {

		Sample plus(Sample other) {
			return new Sample(this.at, this.processed + other.processed, this.failed + other.failed,
					Math.max(this.lag, other.lag), this.enqueued + other.enqueued, this.dead + other.dead,
					this.performs.plus(other.performs));
		}

		String text() {
			return this.at + " " + this.processed + " " + this.failed + " " + this.lag + " " + this.enqueued + " "
					+ this.dead + " " + this.performs.text();
		}

		/** Returns null if the text says something else. A newer version may say more. */
		static @Nullable Sample parse(String text) {
			String[] parts = text.split(" ", -1);
			try {
				long[] numbers = Stream.of(parts).limit(6).mapToLong(Long::parseLong).toArray();
				return (parts.length == 7) ? new Sample(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4],
						numbers[5], PerformCounts.parse(parts[6])) : null;
			}
			catch (IllegalArgumentException ex) {
				return null;
			}
		}

	}

}
