package io.lowkiq.test.probe;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A disturbance of one delivery, counted from 1 on, of a schedule.
 *
 * @param call at which call of a repository, from 1 on; 0 if that has no meaning
 * @param merged whether the delivery comes again together with the next one
 */
record Disturbance(Kind kind, int delivery, int call, boolean after, boolean merged) {

	private static final Pattern TEXT = Pattern
		.compile("(twice|crash|error|late) (\\d+)(?: (before|after) call (\\d+))?( with next)?");

	enum Kind {

		/** It is performed again, though the first run returned normally. */
		TWICE,

		/** The process dies at a call. */
		CRASH,

		/** A call throws. */
		ERROR,

		/** The owner stands still at a call until a newer owner has performed all. */
		LATE

	}

	static Disturbance parse(String text) {
		Matcher matcher = TEXT.matcher(text);
		if (!matcher.matches()) {
			throw new IllegalArgumentException("Invalid part of a schedule: '%s'".formatted(text));
		}
		int call = (matcher.group(4) != null) ? Integer.parseInt(matcher.group(4)) : 0;
		return new Disturbance(Kind.valueOf(matcher.group(1).toUpperCase(Locale.ROOT)),
				Integer.parseInt(matcher.group(2)), call, "after".equals(matcher.group(3)), matcher.group(5) != null);
	}

	@Override
	public String toString() {
		String where = (this.call > 0) ? " %s call %s".formatted(this.after ? "after" : "before", this.call) : "";
		return "%s %s%s%s".formatted(this.kind.name().toLowerCase(Locale.ROOT), this.delivery, where,
				this.merged ? " with next" : "");
	}

}
