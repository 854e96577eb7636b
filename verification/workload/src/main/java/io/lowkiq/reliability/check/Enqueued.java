package io.lowkiq.reliability.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.lowkiq.reliability.history.Event.EnqueueCalled;

/**
 * The facts about one payload's way into the store. Filled in by the {@link Ledger}, then
 * only read.
 */
final class Enqueued {

	/** The end of an attempt that never returned. */
	static final long NEVER = Long.MAX_VALUE;

	final String process;

	final String queue;

	final String id;

	final long payload;

	final boolean defaultScore;

	/** Nanoseconds from the enqueue until it is due. */
	final long delay;

	/** In the order of their calls, once everything has been read. */
	final List<Attempt> attempts = new ArrayList<>();

	/**
	 * A try to enqueue it.
	 *
	 * @param called just before the call
	 * @param returned just after it returned normally; {@link #NEVER} if it did not
	 */
	record Attempt(long called, long returned) {
	}

	Enqueued(String process, EnqueueCalled event) {
		this.process = process;
		this.queue = event.queue();
		this.id = event.id();
		this.payload = event.payload();
		this.defaultScore = event.defaultScore();
		this.delay = event.delay() * 1_000_000;
	}

	void called(long time) {
		this.attempts.add(new Attempt(time, NEVER));
	}

	void returned(long time) {
		int last = this.attempts.size() - 1;
		this.attempts.set(last, new Attempt(this.attempts.get(last).called(), time));
	}

	/**
	 * Sorts the attempts, because the files of several nodes are read one after the
	 * other.
	 */
	void sort() {
		this.attempts.sort(Comparator.comparingLong(Attempt::called));
	}

	/** Just before the first attempt. */
	long called() {
		return this.attempts.get(0).called();
	}

	/** Just after the first attempt that returned; {@link #NEVER} if none did. */
	long returned() {
		return this.attempts.stream().mapToLong(Attempt::returned).min().orElse(NEVER);
	}

	/** Just before the last attempt that returned; {@link #NEVER} if none did. */
	long lastCalled() {
		return this.attempts.stream()
			.filter((attempt) -> attempt.returned() != NEVER)
			.mapToLong(Attempt::called)
			.max()
			.orElse(NEVER);
	}

	/** Just after the last attempt; {@link #NEVER} if one did not return. */
	long lastReturned() {
		return this.attempts.stream().mapToLong(Attempt::returned).max().orElse(NEVER);
	}

	boolean acknowledged() {
		return returned() != NEVER;
	}

	/** Whether it was acknowledged more than once: an equal payload came later. */
	boolean repeated() {
		return this.attempts.stream().filter((attempt) -> attempt.returned() != NEVER).count() > 1;
	}

	@Override
	public String toString() {
		return "payload %d of %s/%s, enqueued by %s, %s".formatted(this.payload, this.queue, this.id, this.process,
				this.attempts);
	}

}
