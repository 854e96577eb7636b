package io.lowkiq;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * What becomes of payloads that fail, and when a perform fails because it lasts too long.
 * Of an exception, the nearest class decides: the exception's own, or the first of its
 * superclasses that is named.
 *
 * @param buryOn exceptions after which what failed goes to the morgue at once
 * @param discardOn exceptions after which what failed is dropped
 * @param retriesExhausted what becomes of a job whose retries are used up
 * @param unreadableGrace how long a payload that can't be read is tried again before it
 * goes to the morgue
 * @param performTimeout how long one call of the worker may last before its thread is
 * interrupted and it has failed with a {@link PerformTimeoutException}; zero for no limit
 */
public record FailurePolicy(Set<Class<? extends Throwable>> buryOn, Set<Class<? extends Throwable>> discardOn,
		RetriesExhausted retriesExhausted, Duration unreadableGrace, Duration performTimeout) {

	/** The default of {@link #unreadableGrace()}. */
	public static final Duration DEFAULT_UNREADABLE_GRACE = Duration.ofMinutes(15);

	/** Every failure is retried, and the oldest payload is buried in the end. */
	public static final FailurePolicy DEFAULT = new FailurePolicy(Set.of(), Set.of(), RetriesExhausted.BURY_OLDEST);

	private static final Duration LONGEST = Duration.ofDays(365);

	/**
	 * A policy with the default grace for what can't be read, and without a time limit.
	 * @param buryOn exceptions after which what failed goes to the morgue at once
	 * @param discardOn exceptions after which what failed is dropped
	 * @param retriesExhausted what becomes of a job whose retries are used up
	 */
	public FailurePolicy(Set<Class<? extends Throwable>> buryOn, Set<Class<? extends Throwable>> discardOn,
			RetriesExhausted retriesExhausted) {
		this(buryOn, discardOn, retriesExhausted, DEFAULT_UNREADABLE_GRACE, Duration.ZERO);
	}

	public FailurePolicy {
		buryOn = Set.copyOf(buryOn);
		discardOn = Set.copyOf(discardOn);
	}

	void check(String queue) {
		if (this.unreadableGrace.isNegative()) {
			throw new InvalidQueueException("unreadable-grace of queue '%s' is %s; it must not be negative"
				.formatted(queue, this.unreadableGrace));
		}
		if (this.performTimeout.isNegative() || this.performTimeout.compareTo(LONGEST) > 0) {
			throw new InvalidQueueException("perform-timeout of queue '%s' is %s; it must be between 0 and 365 days"
				.formatted(queue, this.performTimeout));
		}
		Collection<Class<? extends Throwable>> both = new HashSet<>(this.buryOn);
		both.retainAll(this.discardOn);
		if (!both.isEmpty()) {
			throw new InvalidQueueException("bury-on and discard-on of queue '%s' both name %s".formatted(queue,
					both.iterator().next().getName()));
		}
	}

	/**
	 * What an exception asks for.
	 */
	public enum Treatment {

		/** Another try. */
		RETRY,

		/** The morgue. */
		BURY,

		/** To be dropped. */
		DISCARD

	}

	/**
	 * What becomes of payloads that failed.
	 * @param error why they failed
	 * @return the treatment
	 */
	public Treatment treatmentOf(Throwable error) {
		for (Class<?> type = error.getClass(); type != Object.class; type = type.getSuperclass()) {
			if (type == BuryException.class || this.buryOn.contains(type)) {
				return Treatment.BURY;
			}
			if (this.discardOn.contains(type)) {
				return Treatment.DISCARD;
			}
			if (type == RetryAfterException.class) {
				return Treatment.RETRY;
			}
		}
		return Treatment.RETRY;
	}

}
