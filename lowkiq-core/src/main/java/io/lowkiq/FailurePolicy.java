package io.lowkiq;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

import io.lowkiq.internal.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * The treatment of payloads that fail, and the time limit of a run. The closest listed
 * class decides: the exception's own class, or its nearest superclass.
 *
 * @param buryOn exceptions after which the failed payloads go to the morgue at once
 * @param discardOn exceptions after which the failed payloads are dropped
 * @param retriesExhausted what happens to a job when its retries are used up
 * @param unreadableGrace how long a payload that can't be read is tried again before it
 * goes to the morgue
 * @param performTimeout how long one call of the worker may take before its thread is
 * interrupted and the call fails with a {@link PerformTimeoutException}; zero for no
 * limit
 * @param retryPolicy how long a job waits before a retry if neither its worker nor its
 * exception decides
 */
public record FailurePolicy(Set<Class<? extends Throwable>> buryOn, Set<Class<? extends Throwable>> discardOn,
		RetriesExhausted retriesExhausted, Duration unreadableGrace, Duration performTimeout, RetryPolicy retryPolicy) {

	/** The default of {@link #unreadableGrace()}. */
	public static final Duration DEFAULT_UNREADABLE_GRACE = Duration.ofMinutes(15);

	/**
	 * Every failure is retried. When the retries are used up, the oldest payload is
	 * buried.
	 */
	public static final FailurePolicy DEFAULT = new FailurePolicy(Set.of(), Set.of(), RetriesExhausted.BURY_OLDEST);

	/** Causes may form a circle. */
	private static final int MAX_CAUSES = 50;

	/**
	 * Creates a policy with the default grace period for unreadable payloads and no time
	 * limit.
	 * @param buryOn exceptions after which the failed payloads go to the morgue at once
	 * @param discardOn exceptions after which the failed payloads are dropped
	 * @param retriesExhausted what happens to a job when its retries are used up
	 */
	public FailurePolicy(Set<Class<? extends Throwable>> buryOn, Set<Class<? extends Throwable>> discardOn,
			RetriesExhausted retriesExhausted) {
		this(buryOn, discardOn, retriesExhausted, DEFAULT_UNREADABLE_GRACE, Duration.ZERO);
	}

	/**
	 * Creates a policy with the {@linkplain RetryPolicy#standard() standard} retry
	 * policy.
	 * @param buryOn exceptions after which the failed payloads go to the morgue at once
	 * @param discardOn exceptions after which the failed payloads are dropped
	 * @param retriesExhausted what happens to a job when its retries are used up
	 * @param unreadableGrace how long a payload that can't be read is tried again
	 * @param performTimeout how long one call of the worker may take; zero for no limit
	 */
	public FailurePolicy(Set<Class<? extends Throwable>> buryOn, Set<Class<? extends Throwable>> discardOn,
			RetriesExhausted retriesExhausted, Duration unreadableGrace, Duration performTimeout) {
		this(buryOn, discardOn, retriesExhausted, unreadableGrace, performTimeout, RetryPolicy.standard());
	}

	public FailurePolicy {
		buryOn = Set.copyOf(buryOn);
		discardOn = Set.copyOf(discardOn);
	}

	void check(String queue) {
		if (this.unreadableGrace.isNegative()) {
			throw new InvalidQueueException("unreadable-grace of queue '%s' is %s; it must not be negative"
				.formatted(queue, DurationText.of(this.unreadableGrace)));
		}
		GatheringPolicy.check(queue, "perform-timeout", this.performTimeout);
		Collection<Class<? extends Throwable>> both = new HashSet<>(this.buryOn);
		both.retainAll(this.discardOn);
		if (!both.isEmpty()) {
			throw new InvalidQueueException("bury-on and discard-on of queue '%s' both name %s".formatted(queue,
					both.iterator().next().getName()));
		}
	}

	/** The treatment of payloads after an exception. */
	public enum Treatment {

		/** Retry. */
		RETRY,

		/** Move the payloads to the morgue. */
		BURY,

		/** Drop the payloads. */
		DISCARD

	}

	/**
	 * The treatment of payloads that failed. The error itself decides; if it is none of
	 * the named exceptions, its nearest cause that is one.
	 * @param error why they failed
	 * @return the treatment
	 */
	public Treatment treatmentOf(Throwable error) {
		Throwable cause = error;
		for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
			Treatment treatment = named(cause);
			if (treatment != null) {
				return treatment;
			}
			cause = causeOf(cause);
		}
		return Treatment.RETRY;
	}

	private @Nullable Treatment named(Throwable error) {
		for (Class<?> type = error.getClass(); type != Object.class; type = type.getSuperclass()) {
			if (type == BuryException.class || this.buryOn.contains(type)) {
				return Treatment.BURY;
			}
			if (this.discardOn.contains(type)) {
				return Treatment.DISCARD;
			}
			// What a worker throws when it is interrupted is not why it failed
			if (type == RetryAfterException.class || type == PerformTimeoutException.class) {
				return Treatment.RETRY;
			}
		}
		return null;
	}

	/** Exceptions of applications may throw here. */
	private static @Nullable Throwable causeOf(Throwable error) {
		try {
			return error.getCause();
		}
		catch (RuntimeException | StackOverflowError ex) {
			return null;
		}
	}

}
