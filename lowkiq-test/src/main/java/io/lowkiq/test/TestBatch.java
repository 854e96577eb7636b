package io.lowkiq.test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Batch} for plain unit tests of a {@link BatchWorker}, which keeps what the
 * worker marked. Used by one thread.
 *
 * @param <P> the type of the payloads
 */
public final class TestBatch<P> implements Batch<P> {

	private final List<TestJob<P>> jobs;

	private final long fencingToken;

	private final boolean leaseLost;

	private TestBatch(Builder<P> builder) {
		this.jobs = builder.jobs.stream().map(TestJob::new).toList();
		this.fencingToken = builder.fencingToken;
		this.leaseLost = builder.leaseLost;
	}

	/**
	 * Begins a batch.
	 * @param <P> the type of the payloads
	 * @return the builder of a batch without jobs, under a valid lease with the fencing
	 * token 1
	 */
	public static <P> Builder<P> builder() {
		return new Builder<>();
	}

	/**
	 * A batch of one fresh job.
	 * @param <P> the type of the payloads
	 * @param id the job's id
	 * @param payloads its payloads, with the scores 1, 2, …
	 * @return the batch
	 */
	@SafeVarargs
	@SuppressWarnings("varargs")
	public static <P> TestBatch<P> of(String id, P... payloads) {
		return TestBatch.<P>builder().job(id, payloads).build();
	}

	@Override
	public List<Job<P>> jobs() {
		return List.copyOf(this.jobs);
	}

	@Override
	public Iterator<Job<P>> iterator() {
		return jobs().iterator();
	}

	@Override
	public long fencingToken() {
		return this.fencingToken;
	}

	@Override
	public boolean isLeaseLost() {
		return this.leaseLost;
	}

	/**
	 * Has a worker perform the batch.
	 * @param worker the worker
	 * @return which jobs are done and which have failed, by the rules of production: what
	 * the worker marked, else whether it returned normally
	 */
	public Result performedBy(BatchWorker<P> worker) {
		Throwable thrown = null;
		try {
			worker.perform(this);
		}
		catch (Throwable ex) {
			thrown = ex;
		}
		Set<String> done = new TreeSet<>();
		Map<String, Throwable> failed = new LinkedHashMap<>();
		for (TestJob<P> job : this.jobs) {
			Throwable failure = job.failure(thrown);
			if (failure == null) {
				done.add(job.id());
			}
			else {
				failed.put(job.id(), failure);
			}
		}
		return new Result(done, failed);
	}

	/**
	 * The result of a batch.
	 *
	 * @param done the ids done
	 * @param failed why the others failed, by id
	 */
	public record Result(Set<String> done, Map<String, Throwable> failed) {
	}

	/**
	 * Builds a batch.
	 *
	 * @param <P> the type of the payloads
	 */
	public static final class Builder<P> {

		private final List<Contents<P>> jobs = new ArrayList<>();

		private long fencingToken = 1;

		private boolean leaseLost;

		private Builder() {
		}

		/**
		 * Adds a fresh job.
		 * @param id the job's id, which no other job of the batch has
		 * @param payloads its payloads, at least one, with the scores 1, 2, …
		 * @return this builder
		 */
		@SafeVarargs
		@SuppressWarnings("varargs")
		public final Builder<P> job(String id, P... payloads) {
			return retriedJob(id, -1, payloads);
		}

		/**
		 * Adds a job that has failed before.
		 * @param id the job's id, which no other job of the batch has
		 * @param retryCount how often it has failed, less one
		 * @param payloads its payloads, at least one, with the scores 1, 2, …
		 * @return this builder
		 */
		@SafeVarargs
		@SuppressWarnings("varargs")
		public final Builder<P> retriedJob(String id, int retryCount, P... payloads) {
			List<Double> scores = IntStream.rangeClosed(1, payloads.length).mapToObj((i) -> (double) i).toList();
			return job(id, retryCount, Arrays.asList(payloads), scores);
		}

		/**
		 * Adds a job.
		 * @param id the job's id, which no other job of the batch has
		 * @param retryCount -1 for a fresh job, 0 after the first failure
		 * @param payloads its payloads, at least one
		 * @param scores the scores of the payloads, at the same places, ascending
		 * @return this builder
		 */
		public Builder<P> job(String id, int retryCount, List<? extends P> payloads, List<Double> scores) {
			if (payloads.isEmpty() || payloads.size() != scores.size()) {
				throw new IllegalArgumentException(
						"Job '%s' has %s payloads and %s scores; it needs one or more of each".formatted(id,
								payloads.size(), scores.size()));
			}
			if (!scores.stream().sorted().toList().equals(scores)) {
				throw new IllegalArgumentException(
						"The scores of job '%s' are not in ascending order: %s".formatted(id, scores));
			}
			if (this.jobs.stream().anyMatch((job) -> job.id().equals(id))) {
				throw new IllegalArgumentException("There are two jobs '%s'; a batch has distinct ids".formatted(id));
			}
			this.jobs.add(new Contents<>(id, List.copyOf(payloads), List.copyOf(scores), retryCount));
			return this;
		}

		/**
		 * Sets the fencing token.
		 * @param token the token, positive; 1 by default
		 * @return this builder
		 */
		public Builder<P> fencingToken(long token) {
			this.fencingToken = token;
			return this;
		}

		/**
		 * Sets whether the lease has run out.
		 * @param lost false by default
		 * @return this builder
		 */
		public Builder<P> leaseLost(boolean lost) {
			this.leaseLost = lost;
			return this;
		}

		/**
		 * Builds the batch.
		 * @return the batch, of which nothing is marked
		 */
		public TestBatch<P> build() {
			if (this.jobs.isEmpty()) {
				throw new IllegalStateException("A batch has at least one job");
			}
			return new TestBatch<>(this);
		}

	}

	/** The contents of a job. */
	private record Contents<P>(String id, List<P> payloads, List<Double> scores, int retryCount) {
	}

	/** A job that keeps how it was marked. */
	private static final class TestJob<P> implements Job<P> {

		private final Contents<P> contents;

		private boolean marked;

		private @Nullable Throwable failure;

		/** Payloads with marks of their own, and why they failed if they did. */
		private final Map<Integer, Optional<Throwable>> ofPayloads = new HashMap<>();

		TestJob(Contents<P> contents) {
			this.contents = contents;
		}

		@Override
		public String id() {
			return this.contents.id();
		}

		@Override
		public List<P> payloads() {
			return this.contents.payloads();
		}

		@Override
		public List<Double> scores() {
			return this.contents.scores();
		}

		@Override
		public int retryCount() {
			return this.contents.retryCount();
		}

		@Override
		public void done() {
			this.marked = true;
			this.failure = null;
		}

		@Override
		public void fail(Throwable error) {
			this.marked = true;
			this.failure = error;
		}

		@Override
		public void done(int payload) {
			Objects.checkIndex(payload, payloads().size());
			this.ofPayloads.put(payload, Optional.empty());
		}

		@Override
		public void fail(int payload, Throwable error) {
			Objects.checkIndex(payload, payloads().size());
			this.ofPayloads.put(payload, Optional.of(error));
		}

		/**
		 * Why the job failed.
		 * @param thrown what the worker threw; null if it returned normally
		 * @return why its first payload failed that did; null if none did
		 */
		@Nullable Throwable failure(@Nullable Throwable thrown) {
			Throwable ofOthers = this.marked ? this.failure : thrown;
			for (int i = 0; i < payloads().size(); i++) {
				Optional<Throwable> own = this.ofPayloads.get(i);
				Throwable ofPayload = (own != null) ? own.orElse(null) : ofOthers;
				if (ofPayload != null) {
					return ofPayload;
				}
			}
			return null;
		}

	}

}
