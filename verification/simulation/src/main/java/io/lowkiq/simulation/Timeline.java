package io.lowkiq.simulation;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import io.lowkiq.reliability.history.Event;

/** The events of a run in their order: a hash of everything, and the last lines. */
final class Timeline {

	private static final int LAST = 100;

	private final Deque<Line> last = new ArrayDeque<>();

	private final List<String> problems = new ArrayList<>();

	private final long until;

	private final boolean all;

	/** Words of the lines to keep; empty for all. */
	private final List<String> about;

	private long steps;

	private long hash = 1125899906842597L;

	/** A line. */
	private record Line(long step, long time, Object what, String who) {

		@Override
		public String toString() {
			return "%9d %12.6f s  %s %s".formatted(this.step, this.time / 1e9, this.who, this.what);
		}

	}

	/** A timeline. */
	Timeline(long until, boolean all, List<String> about) {
		this.until = until;
		this.all = all;
		this.about = about;
	}

	void step() {
		this.steps++;
	}

	long steps() {
		return this.steps;
	}

	/** Whether to stop: the step to look at is next, or something impossible happened. */
	boolean isOver() {
		return this.steps + 1 >= this.until || !this.problems.isEmpty();
	}

	void add(long time, String line) {
		add(time, "", line);
	}

	void add(long time, String who, Event event) {
		add(time, who, (Object) event);
	}

	private void add(long time, String who, Object what) {
		String text = who + what;
		for (int i = 0; i < text.length(); i++) {
			this.hash = 31 * this.hash + text.charAt(i);
		}
		this.hash = this.hash * 1_000_003 + time;
		Line line = new Line(this.steps, time, what, who);
		if (isToKeep(text)) {
			this.last.add(line);
		}
		if (this.last.size() > LAST) {
			this.last.poll();
		}
		if (this.all) {
			System.out.println(line);
		}
	}

	/**
	 * Notes the numbers in the reply of a shard, which no line shows; texts have stack
	 * traces.
	 */
	void add(List<?> reply) {
		List<?> numbers = reply.stream().filter(Long.class::isInstance).toList();
		this.hash = 31 * this.hash + numbers.hashCode();
		if (this.all) {
			System.out.println(numbers);
		}
	}

	private boolean isToKeep(String text) {
		return this.about.isEmpty() || text.startsWith("driver") || this.about.stream().anyMatch(text::contains);
	}

	/** Something that must not happen in any run. */
	void problem(String where, Throwable problem) {
		StringWriter text = new StringWriter();
		problem.printStackTrace(new PrintWriter(text));
		this.problems.add(where + ": " + text);
	}

	List<String> problems() {
		return this.problems;
	}

	long hash() {
		return this.hash;
	}

	List<String> last() {
		return this.last.stream().map(Line::toString).toList();
	}

}
