package io.lowkiq.engine.perform;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.lowkiq.Batch;
import io.lowkiq.JobErrorHandler.Decision;
import io.lowkiq.Producers;
import io.lowkiq.store.job.Failure;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.Payload;
import org.jspecify.annotations.Nullable;

/** A fetched job whose payloads have been read, with the result of each. */
final class ReadableJob implements Batch.Job<Object> {

	private final FetchedJob job;

	private final List<Object> payloads;

	private final List<@Nullable FollowUp> next;

	private final @Nullable Unreadable unreadable;

	/** The result of payloads without a mark of their own. */
	private @Nullable Mark mark;

	/** The payloads' own marks, at their places. */
	private final @Nullable Mark[] marks;

	private final FollowUps followUps;

	/** How many payloads are done, as the worker of a list says; -1 if it doesn't. */
	private int completed = -1;

	/** The result of a payload, why it failed, and what happens to it, once decided. */
	record Mark(State state, @Nullable Throwable error, @Nullable Decision decision) {

		static final Mark DONE = new Mark(State.DONE, null, null);

		/** It was not performed, or its run was broken off. */
		static final Mark OPEN = new Mark(State.OPEN, null, null);

		@SuppressWarnings("ConstantValue")
		static Mark failed(Throwable error) {
			return new Mark(State.FAILED,
					(error != null) ? error : new NullPointerException("The job was marked failed without an error"),
					null);
		}

	}

	enum State {

		DONE, FAILED, OPEN

	}

	/**
	 * The first payload that can't be read, to be tried again; without delay, it dies.
	 */
	record Unreadable(int place, Failure reason, @Nullable Duration delay) {
	}

	ReadableJob(FetchedJob job, List<Object> payloads, List<@Nullable FollowUp> next, @Nullable Unreadable unreadable) {
		this(job, payloads, next, unreadable, payloads.size());
	}

	private ReadableJob(FetchedJob job, List<Object> payloads, List<@Nullable FollowUp> next,
			@Nullable Unreadable unreadable, int marks) {
		this.job = job;
		this.payloads = List.copyOf(payloads);
		this.next = next;
		this.unreadable = unreadable;
		this.marks = new Mark[marks];
		this.followUps = new FollowUps(job.id());
	}

	/** A job that failed before its payloads could be read. */
	static ReadableJob unread(FetchedJob job) {
		return new ReadableJob(job, List.of(), List.of(), null, job.payloads().size());
	}

	@Override
	public String id() {
		return this.job.id();
	}

	@Override
	public List<Object> payloads() {
		return this.payloads;
	}

	@Override
	public List<Double> scores() {
		return this.job.payloads().stream().limit(this.payloads.size()).map(Payload::score).toList();
	}

	@Override
	public int retryCount() {
		return this.job.retryCount();
	}

	FetchedJob fetched() {
		return this.job;
	}

	/** The time at which it was due. */
	Instant performAt() {
		return Instant.ofEpochMilli(this.job.performAt());
	}

	/** How long it had been due when it was fetched. */
	Duration dueFor() {
		return Duration.ofMillis(this.job.dueFor());
	}

	Producers producers() {
		return this.job.producers();
	}

	@Override
	public void done() {
		this.mark = Mark.DONE;
		this.followUps.done();
	}

	@Override
	public void fail(Throwable error) {
		this.mark = Mark.failed(error);
		this.followUps.failed();
	}

	@Override
	public void done(int payload) {
		this.marks[payload] = Mark.DONE;
		this.followUps.done();
	}

	@Override
	public void fail(int payload, Throwable error) {
		this.marks[payload] = Mark.failed(error);
		this.followUps.failed();
	}

	void fail(int payload, Throwable error, Decision decision) {
		this.marks[payload] = new Mark(State.FAILED, error, decision);
		this.followUps.failed();
	}

	/** The first payloads are done; if the run fails, the next one has failed. */
	void completed(int first) {
		if (first < 0 || first > this.payloads.size()) {
			throw new IllegalArgumentException(
					"%s payloads can't be completed: the job '%s' has %s".formatted(first, id(), this.payloads.size()));
		}
		for (int i = 0; i < first; i++) {
			done(i);
		}
		this.completed = first;
	}

	FollowUps followUps() {
		return this.followUps;
	}

	/** The next steps of the done payloads, and what the worker enqueued on success. */
	List<FollowUp> endFollowUps(List<Mark> of, boolean success) {
		List<FollowUp> all = new ArrayList<>();
		boolean allDone = true;
		for (int i = 0; i < of.size(); i++) {
			FollowUp ofPayload = (i < this.next.size()) ? this.next.get(i) : null;
			if (of.get(i).state() != State.DONE) {
				allDone = false;
			}
			else if (ofPayload != null) {
				all.add(ofPayload);
			}
		}
		all.addAll(this.followUps.end(allDone && success));
		return all;
	}

	/** No payload is done before it is marked so. */
	void open() {
		Arrays.fill(this.marks, Mark.OPEN);
	}

	/**
	 * Nothing of the run takes effect: done payloads have failed, nothing follows them.
	 */
	void revoke(Throwable failure, @Nullable Throwable thrown) {
		for (int i = 0; i < this.marks.length; i++) {
			if (mark(i, thrown).state() == State.DONE) {
				this.marks[i] = Mark.failed(failure);
			}
		}
		this.followUps.drop();
	}

	/** Whether none of the payloads can be read, so that there is nothing to perform. */
	boolean isUnreadable() {
		return this.payloads.isEmpty();
	}

	@Nullable Unreadable unreadable() {
		return this.unreadable;
	}

	/** Whether payloads follow the unreadable one. */
	boolean hasMore() {
		return this.unreadable != null && this.unreadable.place() + 1 < this.job.payloads().size();
	}

	/** The results of the payloads, if the run threw something or null. */
	List<Mark> marks(@Nullable Throwable thrown, boolean brokenOff) {
		List<Mark> all = new ArrayList<>(this.marks.length);
		for (int i = 0; i < this.marks.length; i++) {
			Mark own = mark(i, thrown);
			all.add((brokenOff && own.error() != null && own.error() == thrown) ? Mark.OPEN : own);
		}
		return all;
	}

	private Mark mark(int payload, @Nullable Throwable thrown) {
		Mark own = this.marks[payload];
		if (own != null) {
			return own;
		}
		Mark common = this.mark;
		if (common == null) {
			common = (thrown != null) ? Mark.failed(thrown) : Mark.DONE;
		}
		boolean isAfterFailed = common.state() == State.FAILED && this.completed >= 0 && payload > this.completed;
		return isAfterFailed ? Mark.OPEN : common;
	}

}
