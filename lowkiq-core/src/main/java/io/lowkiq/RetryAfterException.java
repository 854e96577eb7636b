package io.lowkiq;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.lowkiq.internal.DurationText;

/**
 * Thrown by a worker that knows when to try again, for instance because a server asked it
 * to wait. It counts as a failure like any other, but its delay replaces that of
 * {@link QueueWorker#retryIn(int, Throwable)}.
 */
public class RetryAfterException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	private final Duration delay;

	private boolean forGroup;

	public RetryAfterException(Duration delay) {
		this(delay, null);
	}

	public RetryAfterException(Duration delay, @Nullable Throwable cause) {
		super("Retry after " + DurationText.of(delay), cause);
		if (delay.isNegative()) {
			throw new IllegalArgumentException(
					"The delay is %s; it must not be negative".formatted(DurationText.of(delay)));
		}
		this.delay = delay;
	}

	/**
	 * Lets the whole group of the job wait, for instance because a server has asked a
	 * customer to call less often: until the delay is over, no job of the group begins on
	 * this node, and the job comes back without a retry used. Then one job starts, a
	 * different one if the group has another; the rest when it has ended, or a second
	 * later.
	 * <p>
	 * A job that asks again has failed as well, if another job of its group has succeeded
	 * since it asked last, and from the tenth time in a row in any case: a retry is
	 * counted, and its own back-off applies, at least the delay.
	 * <p>
	 * If the group is in one shard, no other node has jobs of it; a node that takes the
	 * shard over starts again at zero. Has no effect on a job without a group.
	 * @return this exception
	 */
	public RetryAfterException forGroup() {
		this.forGroup = true;
		return this;
	}

	/**
	 * Whether the whole group of the job is to wait.
	 * @return false unless {@link #forGroup()} was called
	 */
	public boolean isForGroup() {
		return this.forGroup;
	}

	/**
	 * The delay before the retry.
	 * @return the delay, not negative
	 */
	public Duration delay() {
		return this.delay;
	}

}
