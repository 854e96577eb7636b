package io.lowkiq.store.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.lowkiq.PayloadException;
import org.jspecify.annotations.Nullable;

/**
 * A stored payload, whose bytes are not to be changed. What follows it is for
 * {@link FollowUp#parse}; null for nothing.
 */
@SuppressWarnings("ArrayRecordComponent")
public record Payload(byte[] bytes, double score, byte @Nullable [] next) {

	/** A payload that nothing follows. */
	public Payload(byte[] bytes, double score) {
		this(bytes, score, null);
	}

	/**
	 * The follow-up that is enqueued when the payload is done; null for none.
	 * @throws PayloadException if it can't be read, perhaps because a newer version wrote
	 * it
	 */
	public @Nullable FollowUp followUp() {
		if (this.next == null) {
			return null;
		}
		FollowUp followUp = FollowUp.parse(this.next);
		if (followUp == null) {
			throw new PayloadException("What follows the payload can't be read");
		}
		return followUp;
	}

	/** Reads the follow-ups of the payload, step by step, as far as possible. */
	public List<FollowUp> steps() {
		List<FollowUp> steps = new ArrayList<>();
		FollowUp step = (this.next != null) ? FollowUp.parse(this.next) : null;
		while (step != null) {
			steps.add(step);
			byte[] next = step.payload().next();
			step = (next != null) ? FollowUp.parse(next) : null;
		}
		return steps;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof Payload that && Double.compare(this.score, that.score) == 0
				&& Arrays.equals(this.bytes, that.bytes) && Arrays.equals(this.next, that.next);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.bytes) * 31 + Double.hashCode(this.score);
	}

	@Override
	public String toString() {
		return "Payload[%s bytes, score=%s%s]".formatted(this.bytes.length, this.score,
				(this.next != null) ? ", followed by another" : "");
	}

}
