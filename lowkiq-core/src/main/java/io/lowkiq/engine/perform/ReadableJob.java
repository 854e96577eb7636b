package io.lowkiq.engine.perform;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.lowkiq.Batch;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Payload;

/**
 * A fetched job whose payloads have been read, and what its worker says became of it.
 */
final class ReadableJob implements Batch.Job<Object> {

	private final FetchedJob job;

	private final List<Object> payloads;

	private final List<Double> scores;

	private final Outcome.@Nullable Reject reject;

	private Mark mark = Mark.NONE;

	private @Nullable Throwable error;

	private enum Mark {

		NONE, DONE, FAILED

	}

	/**
	 * A job.
	 * @param job the job as it was fetched
	 * @param payloads what could be read of it
	 * @param readable the payloads as they were fetched, at the same places
	 * @param reject what becomes of the payloads that can't be read; null if all can
	 */
	ReadableJob(FetchedJob job, List<Object> payloads, List<Payload> readable, Outcome.@Nullable Reject reject) {
		this.job = job;
		this.reject = reject;
		this.payloads = List.copyOf(payloads);
		this.scores = scores(readable);
	}

	private static List<Double> scores(List<Payload> payloads) {
		Double[] scores = new Double[payloads.size()];
		for (int i = 0; i < scores.length; i++) {
			scores[i] = payloads.get(i).score();
		}
		return List.of(scores);
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
		return this.scores;
	}

	@Override
	public int retryCount() {
		return this.job.retryCount();
	}

	@Override
	public void done() {
		this.mark = Mark.DONE;
		this.error = null;
	}

	@Override
	@SuppressWarnings("ConstantValue")
	public void fail(Throwable cause) {
		this.mark = Mark.FAILED;
		this.error = (cause != null) ? cause : new NullPointerException("The job was marked failed without an error");
	}

	/** Whether none of the payloads can be read, so that there is nothing to perform. */
	boolean isUnreadable() {
		return this.payloads.isEmpty();
	}

	/** The job with what became of the payloads that could be read. */
	Completed completed(@Nullable Outcome outcome) {
		return new Completed(id(),
				Stream.<@Nullable Outcome>of(this.reject, outcome).filter(Objects::nonNull).toList());
	}

	boolean isMarkedDone() {
		return this.mark == Mark.DONE;
	}

	/**
	 * Why the job failed.
	 * @param thrown what the perform threw; null if it returned normally
	 * @return null if the job is done
	 */
	@Nullable Throwable failure(@Nullable Throwable thrown) {
		return switch (this.mark) {
			case DONE -> null;
			case FAILED -> this.error;
			case NONE -> thrown;
		};
	}

}
