package io.lowkiq.engine.perform;

import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.lowkiq.JobErrorHandler;
import io.lowkiq.JobErrorHandler.Decision;
import io.lowkiq.QueueWorker;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.RetryAfterException;
import io.lowkiq.RetryPolicy;
import io.lowkiq.engine.perform.FailureLog.Rank;
import io.lowkiq.engine.perform.ReadableJob.Mark;
import io.lowkiq.engine.perform.ReadableJob.State;
import io.lowkiq.engine.perform.ReadableJob.Unreadable;
import io.lowkiq.internal.DurationText;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.job.Failure;
import io.lowkiq.store.job.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Decides the fate of a job's payloads: done, buried and discarded payloads leave the
 * job; the others are retried (rule 5), or treated as the worker says when retries are
 * exhausted (rule 6). Never throws, whatever the exception and the worker do.
 */
final class FailureRule {

	private static final Duration LONGEST = Duration.ofDays(36525);

	/** Given where no payload is buried. */
	private static final Failure NO_FAILURE = new Failure("");

	private final List<JobErrorHandler> handlers;

	private final FailureText failureText;

	private final FailureLog failureLog;

	private final LongSupplier nanoTime;

	FailureRule(List<JobErrorHandler> handlers, FailureText failureText, FailureLog failureLog, LongSupplier nanoTime) {
		this.handlers = List.copyOf(handlers);
		this.failureText = failureText;
		this.failureLog = failureLog;
		this.nanoTime = nanoTime;
	}

	/** Divides a job's payloads into those leaving it and those staying. */
	private static final class Division {

		/** Places of payloads that are done or discarded. */
		private final List<Integer> gone = new ArrayList<>();

		/** Places of payloads that go to the morgue. */
		private final List<Integer> dead = new ArrayList<>();

		/** Places of the other payloads that were performed. */
		private final List<Integer> rest = new ArrayList<>();

		private boolean waits;

		/** Why the last of the dead ones is buried; null if there are none. */
		private @Nullable Failure reason;

		/** Whether anything has failed that leaves the job. */
		private boolean failed;

		/** Why the first of the rest failed that has; null if none has. */
		private @Nullable Throwable error;

		/** The decision about the rest because of that error; null for no error. */
		private @Nullable Decision decision;

		/** How long the group waits, if the job has failed because it asked for that. */
		private @Nullable Duration asked;

		/** A job is held as soon as one of its payloads is. */
		void stays(int place, @Nullable Throwable why, @Nullable Decision decided) {
			this.rest.add(place);
			if (decided != null && (this.decision == null
					|| (decided instanceof Decision.Hold && !(this.decision instanceof Decision.Hold)))) {
				this.error = why;
				this.decision = decided;
			}
		}

		boolean leaves(int place) {
			return this.gone.contains(place) || this.dead.contains(place);
		}

		/** The outcomes, given that of the rest. */
		List<Outcome> with(String id, boolean countsAsFailed, Outcome ofRest) {
			if (this.gone.isEmpty() && this.dead.isEmpty()) {
				return List.of(ofRest);
			}
			Outcome.PartlyDone part = new Outcome.PartlyDone(id, List.copyOf(this.gone), List.copyOf(this.dead),
					(this.reason != null) ? this.reason : NO_FAILURE, countsAsFailed);
			return (this.rest.isEmpty() && !this.waits) ? List.of(part) : List.of(part, ofRest);
		}

	}

	/**
	 * At least one outcome. There is no worker if its bean can't be made; the failure is
	 * that of a run without a failed payload.
	 */
	List<Outcome> outcomes(ServedQueue queue, @Nullable QueueWorker<?> worker, ReadableJob job, List<Mark> marks,
			@Nullable Throwable failure) {
		Unreadable unreadable = job.unreadable();
		if (failure == null && unreadable == null && marks.stream().allMatch((mark) -> mark.state() == State.DONE)) {
			ended(queue, job, true);
			return List.of(new Outcome.Done(job.id()));
		}
		Division division = divide(queue, job, marks);
		if (failure != null) {
			division.failed = true;
			this.failureLog.failed(queue.name(), job.id(), failure, Rank.LAST,
					() -> "Job '%s' of queue '%s' failed after its payloads were completed; they are not retried"
						.formatted(LogText.of(job.id()), queue.name()));
		}
		Duration delay = (unreadable != null) ? unreadable.delay() : null;
		division.waits = delay != null || job.hasMore();
		if (unreadable != null && delay == null) {
			division.dead.add(unreadable.place());
			division.reason = (division.reason != null) ? division.reason : unreadable.reason();
		}
		Throwable error = division.error;
		if (error != null) {
			String group = queue.groups().groupOf(job.id());
			boolean isHeld = division.decision instanceof Decision.Hold;
			if (!isHeld && error instanceof RetryAfterException after && after.isForGroup() && !group.isEmpty()) {
				return ofWaitingGroup(queue, worker, job, division, group, after);
			}
			ended(queue, job, false);
			return isHeld ? ofHold(queue, job, division, error) : ofFailure(queue, worker, job, division, error);
		}
		ended(queue, job, false);
		Outcome ofRest = new Outcome.Returned(job.id());
		if (unreadable != null && delay != null && division.rest.isEmpty()) {
			ofRest = new Outcome.Unreadable(job.id(), delay.toMillis(), unreadable.reason());
		}
		return division.with(job.id(), division.failed, ofRest);
	}

	private Division divide(ServedQueue queue, ReadableJob job, List<Mark> marks) {
		Division division = new Division();
		IdentityHashMap<Throwable, Decision> decisions = new IdentityHashMap<>();
		for (int i = 0; i < marks.size(); i++) {
			Throwable error = marks.get(i).error();
			Decision decision = marks.get(i).decision();
			if (error != null && decision == null) {
				decision = decisions.computeIfAbsent(error, (same) -> decide(queue, job, placesOf(same, marks), same));
			}
			if (error != null && decision instanceof Decision.Bury) {
				division.dead.add(i);
				division.reason = this.failureText.ofAttempt(job.fetched(), division.gone.contains(0), error);
				division.failed = true;
				leaves(queue, job.id(), i + 1, marks.size(), error, "goes to the morgue");
			}
			else if (error != null && decision instanceof Decision.Discard) {
				division.gone.add(i);
				division.failed = true;
				leaves(queue, job.id(), i + 1, marks.size(), error, "is discarded");
			}
			else if (marks.get(i).state() == State.DONE) {
				division.gone.add(i);
			}
			else {
				division.stays(i, error, decision);
			}
		}
		return division;
	}

	private static List<Integer> placesOf(Throwable error, List<Mark> marks) {
		return IntStream.range(0, marks.size())
			.filter((place) -> marks.get(place).error() == error && marks.get(place).decision() == null)
			.boxed()
			.toList();
	}

	/** Decides what happens to payloads of a job that failed with the same error. */
	Decision decide(ServedQueue queue, ReadableJob job, List<Integer> places, Throwable error) {
		// What handlers of the application decide must not end a schedule or drop a
		// record
		boolean isAsked = !job.isUnreadable() && !queue.worker().isInternal();
		Decision decision = isAsked ? ofHandlers(queue, job, places, error) : null;
		if (decision != null) {
			return decision;
		}
		return switch (queue.worker().settings().failures().treatmentOf(error)) {
			case RETRY -> Decision.retry();
			case BURY -> Decision.bury();
			case DISCARD -> Decision.discard();
		};
	}

	private @Nullable Decision ofHandlers(ServedQueue queue, ReadableJob job, List<Integer> places, Throwable error) {
		if (this.handlers.isEmpty()) {
			return null;
		}
		try {
			JobErrorHandler.Failure failure = new JobErrorHandler.Failure(queue.name(), job.id(),
					places.stream().map(job.payloads()::get).toList(), job.retryCount() + 2, error);
			for (JobErrorHandler handler : this.handlers) {
				Decision decision = handler.handle(failure);
				if (decision != null) {
					return decision;
				}
			}
		}
		catch (Throwable ex) {
			this.failureLog.failed(queue.name(), job.id(), ex, Rank.FIRST,
					() -> "A JobErrorHandler threw for job '%s' of queue '%s'; its failure is treated as usual"
						.formatted(LogText.of(job.id()), queue.name()));
		}
		return null;
	}

	/** Whether payloads stay in their job, so that later ones have to wait for them. */
	static boolean staysInJob(Decision decision) {
		return decision instanceof Decision.Retry || decision instanceof Decision.Hold;
	}

	private void leaves(ServedQueue queue, String id, int payload, int payloads, Throwable error, String where) {
		this.failureLog.failed(queue.name(), id, error, Rank.LAST,
				() -> "Payload %s of %s of job '%s' of queue '%s' failed and %s".formatted(payload, payloads,
						LogText.of(id), queue.name(), where));
	}

	/** Something of the rest has failed. */
	private List<Outcome> ofFailure(ServedQueue queue, @Nullable QueueWorker<?> worker, ReadableJob job,
			Division division, Throwable error) {
		String id = job.id();
		boolean afresh = division.leaves(0);
		int retryCount = afresh ? 0 : job.retryCount() + 1;
		Failure kept = this.failureText.ofAttempt(job.fetched(), afresh, error);
		if (retryCount >= queue.worker().settings().maxRetryCount()) {
			return ofLastFailure(queue, worker, job, division, retryCount, error, kept);
		}
		Duration own = delay(queue, worker, id, retryCount, division);
		Duration delay = (division.asked != null && division.asked.compareTo(own) > 0) ? division.asked : own;
		this.failureLog.failed(queue.name(), id, error, (retryCount == 0) ? Rank.FIRST : Rank.REPEATED,
				() -> "Job '%s' of queue '%s' failed (attempt %s of %s); next attempt in %s".formatted(LogText.of(id),
						queue.name(), retryCount + 1, attempts(queue), DurationText.of(delay)));
		return division.with(id, false,
				new Outcome.Retry(id, delay.toMillis(), kept, error instanceof OutOfMemoryError));
	}

	/** The job has not asked for its group to wait. */
	private static void ended(ServedQueue queue, ReadableJob job, boolean isDone) {
		if (queue.groupWaits().isAny()) {
			queue.groupWaits().ended(queue.groups().groupOf(job.id()), job.id(), isDone);
		}
	}

	private List<Outcome> ofWaitingGroup(ServedQueue queue, @Nullable QueueWorker<?> worker, ReadableJob job,
			Division division, String group, RetryAfterException after) {
		Duration delay = shortened(after.delay());
		if (division.leaves(0)) {
			// Another payload asks
			ended(queue, job, false);
		}
		if (queue.groupWaits().ask(group, job.id(), this.nanoTime.getAsLong(), delay.toNanos())) {
			division.asked = delay;
			return ofFailure(queue, worker, job, division, after);
		}
		this.failureLog.failed(queue.name(), job.id(), after, Rank.REPEATED,
				() -> "Job '%s' of queue '%s' comes back without a retry used; no job of its group '%s' begins on this node for %s"
					.formatted(LogText.of(job.id()), queue.name(), LogText.of(group), DurationText.of(delay)));
		return division.with(job.id(), false, new Outcome.Returned(job.id(), delay.toMillis()));
	}

	/** It was decided that a person has to look at it. */
	private List<Outcome> ofHold(ServedQueue queue, ReadableJob job, Division division, Throwable error) {
		boolean afresh = division.leaves(0);
		logLast(queue, job.id(), afresh ? 0 : job.retryCount() + 1, error, RetriesExhausted.HOLD);
		return division.with(job.id(), false,
				new Outcome.Hold(job.id(), this.failureText.ofAttempt(job.fetched(), afresh, error)));
	}

	private void logLast(ServedQueue queue, String id, int retryCount, Throwable error, RetriesExhausted what) {
		this.failureLog.failed(queue.name(), id, error, Rank.LAST,
				() -> "Job '%s' of queue '%s' failed (attempt %s of %s) and is not retried; %s"
					.formatted(LogText.of(id), queue.name(), retryCount + 1, attempts(queue), whatHappens(what)));
	}

	private List<Outcome> ofLastFailure(ServedQueue queue, @Nullable QueueWorker<?> worker, ReadableJob job,
			Division division, int retryCount, Throwable error, Failure kept) {
		String id = job.id();
		RetriesExhausted what = queue.worker().settings().failures().retriesExhausted();
		logLast(queue, id, retryCount, error, what);
		switch (what) {
			case HOLD -> {
				retriesExhausted(queue, worker, job, division.rest.get(0), error);
				return division.with(id, false, new Outcome.Hold(id, kept));
			}
			case BURY_ALL -> {
				division.rest.forEach((payload) -> {
					retriesExhausted(queue, worker, job, payload, error);
					division.dead.add(payload);
				});
				division.rest.clear();
			}
			case BURY_OLDEST -> {
				int oldest = division.rest.remove(0);
				retriesExhausted(queue, worker, job, oldest, error);
				division.dead.add(oldest);
			}
		}
		division.reason = kept;
		ended(queue, job, false);
		return division.with(id, true,
				new Outcome.Returned(id, (division.asked != null) ? division.asked.toMillis() : 0));
	}

	/** The first attempt and the retries. */
	private static int attempts(ServedQueue queue) {
		return queue.worker().settings().maxRetryCount() + 1;
	}

	private static String whatHappens(RetriesExhausted what) {
		return switch (what) {
			case HOLD -> "it is on hold";
			case BURY_ALL -> "its payloads go to the morgue";
			case BURY_OLDEST -> "its oldest payload goes to the morgue";
		};
	}

	@SuppressWarnings("unchecked")
	private void retriesExhausted(ServedQueue queue, @Nullable QueueWorker<?> worker, ReadableJob job, int payload,
			Throwable error) {
		if (worker == null || job.isUnreadable()) {
			return;
		}
		try {
			((QueueWorker<Object>) worker).retriesExhausted(job.id(), job.payloads().get(payload), error);
		}
		catch (Throwable ex) {
			this.failureLog.failed(queue.name(), job.id(), ex, Rank.FIRST,
					() -> "retriesExhausted of queue '%s' threw for job '%s'".formatted(queue.name(),
							LogText.of(job.id())));
		}
	}

	@SuppressWarnings("ConstantValue")
	private Duration delay(ServedQueue queue, @Nullable QueueWorker<?> worker, String id, int retryCount,
			Division division) {
		Throwable error = Objects.requireNonNull(division.error);
		if (division.decision instanceof Decision.Retry retry && retry.delay() != null) {
			return shortened(retry.delay());
		}
		if (error instanceof RetryAfterException retryAfter && division.asked == null) {
			return shortened(retryAfter.delay());
		}
		Duration ofWorker = (worker != null) ? delay(queue, id, () -> worker.retryIn(retryCount, error)) : null;
		if (ofWorker != null) {
			return ofWorker;
		}
		RetryPolicy policy = queue.worker().settings().failures().retryPolicy();
		Duration ofPolicy = delay(queue, id, () -> {
			Duration delay = policy.retryIn(retryCount);
			if (delay == null) {
				throw new IllegalStateException("retryIn(%s) returned null".formatted(retryCount));
			}
			return delay;
		});
		return (ofPolicy != null) ? ofPolicy : RetryPolicy.standard().retryIn(retryCount);
	}

	/** The delay that the application returns; null if it is no valid one. */
	private @Nullable Duration delay(ServedQueue queue, String id, Supplier<@Nullable Duration> retryIn) {
		try {
			Duration delay = retryIn.get();
			if (delay != null && delay.isNegative()) {
				throw new IllegalStateException("retryIn returned %s".formatted(DurationText.of(delay)));
			}
			return (delay != null) ? shortened(delay) : null;
		}
		catch (Throwable ex) {
			this.failureLog.failed(queue.name(), id, ex, Rank.FIRST,
					() -> "retryIn of queue '%s' gave no delay for job '%s'; using the default delay"
						.formatted(queue.name(), LogText.of(id)));
			return null;
		}
	}

	private static Duration shortened(Duration delay) {
		return (delay.compareTo(LONGEST) < 0) ? delay : LONGEST;
	}

}
