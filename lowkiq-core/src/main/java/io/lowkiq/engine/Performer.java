package io.lowkiq.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.lowkiq.BatchWorker;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.QueueWorker;
import io.lowkiq.Worker;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Shard;

/**
 * Runs a worker for fetched jobs and says what became of them. Thread-safe.
 */
final class Performer {

	private final JobReader reader;

	private final FailureRule failureRule;

	private final List<PerformInterceptor> interceptors;

	private final LowkiqObserver observer;

	private final ThreadPerformContext performContext;

	private final LongSupplier nanoTime;

	Performer(ServerParts parts) {
		FailureText failureText = new FailureText(parts.errorFormatter());
		this.reader = new JobReader(parts.codec(), failureText);
		this.failureRule = new FailureRule(failureText);
		this.interceptors = parts.interceptors();
		this.observer = parts.observer();
		this.performContext = parts.performContext();
		this.nanoTime = parts.nanoTime();
	}

	/**
	 * Performs the next fetched jobs by one call of the worker.
	 * @param queue the queue of the jobs
	 * @param held the shard, with at least one fetched job
	 * @param activity lets others see and interrupt the perform
	 * @return what became of the jobs; nothing for jobs that were broken off and are to
	 * be given back
	 * @throws Error if it is one that no job can be blamed for
	 */
	List<Outcome> performNext(ServedQueue queue, HeldShard held, ThreadActivity activity) {
		QueueWorker<?> worker = null;
		Throwable thrown = null;
		try {
			worker = queue.bean();
		}
		catch (Throwable ex) {
			JobFailure.rethrowUnlessOfJob(ex);
			thrown = ex;
		}
		List<FetchedJob> jobs = take(held, queue.idsPerPerform(worker));
		List<Outcome> outcomes = new ArrayList<>(jobs.size());
		List<ReadableJob> readable = this.reader.read(queue, jobs, outcomes);
		if (readable.isEmpty()) {
			return outcomes;
		}
		if (worker == null) {
			add(outcomes, queue, null, readable, thrown, Duration.ZERO);
			return outcomes;
		}
		perform(queue, worker, held, readable, activity, outcomes);
		return outcomes;
	}

	private static List<FetchedJob> take(HeldShard held, int most) {
		List<FetchedJob> jobs = new ArrayList<>(Math.min(most, held.fetched().size()));
		while (jobs.size() < most && !held.fetched().isEmpty()) {
			jobs.add(held.fetched().remove());
		}
		return jobs;
	}

	private void perform(ServedQueue queue, QueueWorker<?> worker, HeldShard held, List<ReadableJob> jobs,
			ThreadActivity activity, List<Outcome> outcomes) {
		Session session = held.session();
		Shard shard = held.lease().shard();
		BooleanSupplier leaseLost = () -> !session.isValid();
		ReadableBatch batch = new ReadableBatch(jobs, held.lease().epoch(), leaseLost);
		Throwable thrown = null;
		boolean interrupted;
		long begin = this.nanoTime.getAsLong();
		activity.begin(session, shard, batch.ids());
		this.performContext.begin(batch.fencingToken(), jobs.get(0).retryCount(), leaseLost);
		try {
			call(queue, worker, shard.index(), batch);
		}
		catch (Throwable ex) {
			JobFailure.rethrowUnlessOfJob(ex);
			thrown = ex;
		}
		finally {
			this.performContext.end();
			interrupted = activity.end();
		}
		long took = this.nanoTime.getAsLong() - begin;
		queue.fetchSize().performed(jobs.size(), took);
		List<ReadableJob> ended = (interrupted && thrown != null)
				? jobs.stream().filter(ReadableJob::isMarkedDone).toList() : jobs;
		add(outcomes, queue, worker, ended, thrown, Duration.ofNanos(took));
	}

	private void add(List<Outcome> outcomes, ServedQueue queue, @Nullable QueueWorker<?> worker, List<ReadableJob> jobs,
			@Nullable Throwable thrown, Duration took) {
		int failed = 0;
		for (ReadableJob job : jobs) {
			Throwable failure = job.failure(thrown);
			if (failure == null) {
				outcomes.add(new Outcome.Done(job.id()));
			}
			else {
				failed++;
				outcomes.add(this.failureRule.outcome(queue, worker, job, failure));
			}
		}
		this.observer.performed(queue.name(), jobs.size() - failed, failed, took);
	}

	private void call(ServedQueue queue, QueueWorker<?> worker, int shard, ReadableBatch batch) throws Exception {
		PerformInterceptor.Chain chain = () -> call(worker, batch);
		if (!this.interceptors.isEmpty()) {
			PerformInterceptor.Call call = new PerformInterceptor.Call(queue.name(), shard, batch.jobs(),
					batch.fencingToken());
			for (int i = this.interceptors.size() - 1; i >= 0; i--) {
				PerformInterceptor interceptor = this.interceptors.get(i);
				PerformInterceptor.Chain rest = chain;
				chain = () -> interceptor.perform(call, rest);
			}
		}
		chain.proceed();
	}

	@SuppressWarnings("unchecked")
	private static void call(QueueWorker<?> worker, ReadableBatch batch) throws Exception {
		if (worker instanceof BatchWorker<?>) {
			((BatchWorker<Object>) worker).perform(batch);
		}
		else {
			ReadableJob job = batch.readable().get(0);
			((Worker<Object>) worker).perform(job.id(), job.payloads());
		}
	}

}
