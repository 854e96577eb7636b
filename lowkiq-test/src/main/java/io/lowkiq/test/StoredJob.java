package io.lowkiq.test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

import io.lowkiq.store.FetchResult;
import io.lowkiq.store.inspection.JobView.State;
import org.jspecify.annotations.Nullable;

/**
 * A job as it is in the store of a test.
 *
 * @param id the job's id
 * @param state where the job is
 * @param performAt when it is due, {@link #ON_HOLD} if it waits for a person; of a dead
 * job, when it was last buried
 * @param retryCount -1 for a fresh job, 0 after the first failure; always -1 in the
 * morgue
 * @param error what is kept of the last failure
 * @param payloads the payloads, ascending by score; one that can't be read as text
 * @param scores the scores of the payloads, at the same places
 */
public record StoredJob(String id, State state, Instant performAt, int retryCount, @Nullable String error,
		List<Object> payloads, List<Double> scores) {

	/** The performAt of a job on hold: it is never due. */
	public static final Instant ON_HOLD = Instant.ofEpochMilli(FetchResult.NOTHING);

	private static final int MAX_PAYLOADS = 20;

	public StoredJob {
		payloads = List.copyOf(payloads);
		scores = List.copyOf(scores);
	}

	/** Describes the job for people, on one line or two. */
	String describe(Instant now) {
		StringBuilder text = new StringBuilder("'").append(this.id).append("' ").append(when(now));
		if (this.retryCount >= 0) {
			text.append(
					isOnHold() ? ", failed attempts " + (this.retryCount + 1) : ", attempt " + (this.retryCount + 2));
		}
		text.append(", payloads ").append(payloadText());
		if (this.error != null) {
			text.append("\n      ").append(firstLine(this.error));
		}
		return text.toString();
	}

	private boolean isOnHold() {
		return this.state == State.QUEUED && this.performAt.equals(ON_HOLD);
	}

	private String when(Instant now) {
		if (isOnHold()) {
			return "on hold";
		}
		return switch (this.state) {
			case BUSY -> "is being performed";
			case DEAD -> "dead for " + text(Duration.between(this.performAt, now));
			case QUEUED ->
				this.performAt.isAfter(now) ? "due in " + text(Duration.between(now, this.performAt)) : "due";
		};
	}

	/** A duration as people write it, such as {@code 1d 2h} or {@code 1.500s}. */
	static String text(Duration duration) {
		Duration positive = duration.abs();
		StringBuilder text = new StringBuilder(duration.isNegative() ? "-" : "");
		append(text, positive.toDays(), "d ");
		append(text, positive.toHoursPart(), "h ");
		append(text, positive.toMinutesPart(), "min ");
		if (positive.toMillisPart() > 0) {
			text.append(String.format(Locale.ROOT, "%s.%03ds", positive.toSecondsPart(), positive.toMillisPart()));
		}
		else {
			append(text, positive.toSecondsPart(), "s");
		}
		return text.isEmpty() ? "0s" : text.toString().strip();
	}

	private static void append(StringBuilder text, long number, String unit) {
		if (number > 0) {
			text.append(number).append(unit);
		}
	}

	private String payloadText() {
		if (this.payloads.size() <= MAX_PAYLOADS) {
			return this.payloads.toString();
		}
		String first = this.payloads.subList(0, MAX_PAYLOADS).toString();
		return "%s, … %s more]".formatted(first.substring(0, first.length() - 1), this.payloads.size() - MAX_PAYLOADS);
	}

	private static String firstLine(String text) {
		return text.lines().findFirst().orElse("");
	}

}
