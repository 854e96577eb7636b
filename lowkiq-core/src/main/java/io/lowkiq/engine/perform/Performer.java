package io.lowkiq.engine.perform;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import io.lowkiq.BatchWorker;
import io.lowkiq.ErrorFormatter;
import io.lowkiq.FailurePolicy;
import io.lowkiq.JobErrorHandler;
import io.lowkiq.JobErrorHandler.Decision;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadWorker;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.PerformTimeoutException;
import io.lowkiq.QueueWorker;
import io.lowkiq.Worker;
import io.lowkiq.engine.perform.ReadableJob.Mark;
import io.lowkiq.engine.perform.ReadableJob.State;
import io.lowkiq.engine.perform.ThreadActivity.End;
import io.lowkiq.internal.JobLogContext;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.Outcome;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs workers for fetched jobs and decides their outcomes. Thread-safe. */
public final class Performer {

	private static final Logger logger = LoggerFactory.getLogger(Performer.class);

	private static final InterceptorChain NO_INTERCEPTORS = new InterceptorChain(List.of());

	private final FailureLog failureLog;

	private final RunLog runLog;

	private final UnreadableJobs unreadableJobs;

	private final JobReader reader;

	private final FailureRule failureRule;

	private final InterceptorChain interceptors;

	private final LowkiqObserver observer;

	private final ThreadPerformContext performContext;

	private final OutOfMemoryWatch outOfMemory;

	private final LongSupplier nanoTime;

	public Performer(PayloadCodec codec, ErrorFormatter errorFormatter, List<PerformInterceptor> interceptors,
			List<JobErrorHandler> errorHandlers, LowkiqObserver observer, ThreadPerformContext performContext,
			OutOfMemoryWatch outOfMemory, LongSupplier nanoTime, String node, InstantSource clock) {
		FailureText failureText = new FailureText(errorFormatter, node, clock);
		this.failureLog = new FailureLog(nanoTime);
		this.runLog = new RunLog(node);
		this.unreadableJobs = new UnreadableJobs(nanoTime);
		this.reader = new JobReader(codec, failureText, this.failureLog, this.unreadableJobs);
		this.failureRule = new FailureRule(errorHandlers, failureText, this.failureLog, nanoTime);
		this.interceptors = new InterceptorChain(interceptors);
		this.observer = observer;
		this.performContext = performContext;
		this.outOfMemory = outOfMemory;
		this.nanoTime = nanoTime;
	}

	/** The jobs whose payloads this node can't read. */
	public Map<String, String> unreadableJobs() {
		return this.unreadableJobs.sentences();
	}

	/** Logs how many failures it has not got, because there were too many. */
	public void summarizeFailures(boolean all) {
		this.failureLog.summarize(all);
	}

	/** Returns nothing of jobs that were not begun because the lease was lost. */
	public List<Completed> perform(Task task, ThreadActivity activity, ThreadBaseline baseline) {
		List<String> ids = task.jobs().stream().map(FetchedJob::id).toList();
		JobLogContext context = JobLogContext.begin(task.queue().name(), ids);
		try {
			return performAll(task, activity, baseline);
		}
		finally {
			restore(baseline, task, ids);
			context.end();
		}
	}

	private List<Completed> performAll(Task task, ThreadActivity activity, ThreadBaseline baseline) {
		QueueWorker<?> worker;
		try {
			worker = task.queue().bean();
		}
		catch (Throwable ex) {
			return failed(task, null, task.jobs(), ex);
		}
		List<Completed> completed = new ArrayList<>(task.jobs().size());
		List<ReadableJob> readable = new ArrayList<>(task.jobs().size());
		for (FetchedJob job : task.jobs()) {
			try {
				ReadableJob read = this.reader.read(task.queue(), job);
				if (read.isUnreadable()) {
					completed.add(new Completed(job.id(),
							this.failureRule.outcomes(task.queue(), worker, read, List.of(), null), List.of()));
				}
				else {
					readable.add(read);
				}
			}
			catch (Throwable ex) {
				completed.addAll(failed(task, worker, List.of(job), ex));
			}
		}
		if (worker instanceof BatchWorker<?>) {
			perform(task, worker, readable, activity, baseline, completed);
		}
		else {
			readable.forEach((job) -> perform(task, worker, List.of(job), activity, baseline, completed));
		}
		return completed;
	}

	/** Restores the thread, and says so if anything was left open on it. */
	private static @Nullable RuntimeException restore(ThreadBaseline baseline, Task task, List<String> ids) {
		RuntimeException left = baseline.restore();
		if (left != null) {
			logger.error("{} left something open while it performed {} of queue '{}', and its thread is replaced: {}",
					task.queue().worker().workerClass().getName(), LogText.of(ids), task.queue().name(),
					left.getMessage());
		}
		return left;
	}

	private List<Completed> failed(Task task, @Nullable QueueWorker<?> worker, List<FetchedJob> jobs,
			Throwable failure) {
		List<ReadableJob> unread = jobs.stream().map(ReadableJob::unread).toList();
		return completed(task, worker, unread, failure, Duration.ZERO, false);
	}

	private void perform(Task task, QueueWorker<?> worker, List<ReadableJob> jobs, ThreadActivity activity,
			ThreadBaseline baseline, List<Completed> completed) {
		BooleanSupplier leaseLost = () -> !task.leaseValid().getAsBoolean();
		if (jobs.isEmpty() || leaseLost.getAsBoolean()) {
			return;
		}
		ReadableBatch batch = new ReadableBatch(jobs, task.lease().epoch(), leaseLost);
		JobLogContext context = JobLogContext.begin(task.queue().name(), batch.ids());
		try {
			// What was read may have left something, too
			restore(baseline, task, batch.ids());
			run(task, worker, batch, activity, baseline, completed);
		}
		finally {
			context.end();
		}
	}

	private void run(Task task, QueueWorker<?> worker, ReadableBatch batch, ThreadActivity activity,
			ThreadBaseline baseline, List<Completed> completed) {
		List<ReadableJob> jobs = batch.readable();
		PerformInterceptor.Call call = new PerformInterceptor.Call(task.queue().name(), task.lease().shard().index(),
				batch.jobs(), batch.fencingToken(), batch.producers());
		Throwable thrown = null;
		End end;
		long begin = this.nanoTime.getAsLong();
		Duration inMemory = Duration.ofNanos(Math.max(begin - task.fetchedAt(), 0));
		jobs.forEach(
				(job) -> this.observer.begins(task.queue().name(), job.payloads().size(), job.dueFor().plus(inMemory)));
		try {
			activity.begin(task, batch.ids(), begin);
			this.performContext.begin(batch, worker instanceof Worker<?>,
					() -> batch.ids().stream().anyMatch(task.newerWaiting()));
			interceptors(task).perform(call, () -> callWorker(task, worker, batch, activity));
		}
		catch (Throwable ex) {
			thrown = ex;
		}
		finally {
			this.performContext.end();
			end = activity.end();
		}
		RuntimeException left = restore(baseline, task, batch.ids());
		Throwable failure = failure(jobs, (end == End.TIMED_OUT) ? timedOut(task.queue(), thrown) : thrown, left);
		long took = this.nanoTime.getAsLong() - begin;
		task.queue().fetchSize().performed(jobs.size(), took);
		task.queue().times().performed(took);
		interceptors(task).conclude(call, () -> completed
			.addAll(completed(task, worker, jobs, failure, Duration.ofNanos(took), end == End.BROKEN_OFF)));
	}

	/** Why the run has failed. If it left something open, nothing of it takes effect. */
	private static @Nullable Throwable failure(List<ReadableJob> jobs, @Nullable Throwable thrown,
			@Nullable RuntimeException left) {
		if (left == null) {
			return thrown;
		}
		Throwable failure = (thrown != null) ? thrown : left;
		jobs.forEach((job) -> job.revoke(failure, thrown));
		return failure;
	}

	private InterceptorChain interceptors(Task task) {
		return task.queue().worker().isInternal() ? NO_INTERCEPTORS : this.interceptors;
	}

	private List<Completed> completed(Task task, @Nullable QueueWorker<?> worker, List<ReadableJob> jobs,
			@Nullable Throwable thrown, Duration took, boolean brokenOff) {
		List<List<Mark>> marks = jobs.stream().map((job) -> job.marks(thrown, brokenOff)).toList();
		Throwable unmarked = brokenOff ? null : unmarked(worker, marks, thrown);
		int blamed = (unmarked != null) ? lastDone(marks) : -1;
		List<Completed> completed = new ArrayList<>(jobs.size());
		List<String> outOfMemoryIds = new ArrayList<>();
		int done = 0;
		int failed = 0;
		for (int i = 0; i < jobs.size(); i++) {
			ReadableJob job = jobs.get(i);
			List<Mark> ofJob = marks.get(i);
			Throwable failure = (i == blamed) ? unmarked : null;
			if (failure == null && isDone(ofJob)) {
				done++;
			}
			else if (failure != null || ofJob.stream().anyMatch((mark) -> mark.state() == State.FAILED)) {
				failed++;
				if (isOutOfMemory(ofJob, failure)) {
					outOfMemoryIds.add(job.id());
				}
			}
			List<FollowUp> followUps = job.endFollowUps(ofJob, failure == null);
			List<Outcome> outcomes = this.failureRule.outcomes(task.queue(), worker, job, ofJob, failure);
			completed.add(new Completed(job.id(), outcomes, followUps));
			if (!task.queue().worker().isInternal()) {
				this.runLog.ended(task.queue().name(), job, outcomes, took);
			}
			if (!job.isUnreadable()) {
				PerformedJobs.of(task.queue().name(), job, ofJob, outcomes).forEach(this.observer::performed);
			}
		}
		this.observer.performed(task.queue().name(), done, failed, took);
		if (!outOfMemoryIds.isEmpty()) {
			this.outOfMemory.failed(task.queue().name(), outOfMemoryIds);
		}
		return completed;
	}

	private static boolean isDone(List<Mark> marks) {
		return marks.stream().allMatch((mark) -> mark.state() == State.DONE);
	}

	private static boolean isOutOfMemory(List<Mark> marks, @Nullable Throwable failure) {
		return failure instanceof OutOfMemoryError
				|| marks.stream().anyMatch((mark) -> mark.error() instanceof OutOfMemoryError);
	}

	/**
	 * The failure that no payload is marked with, because the worker had marked them
	 * before it threw. The last job that is done counts as failed.
	 */
	private static @Nullable Throwable unmarked(@Nullable QueueWorker<?> worker, List<List<Mark>> marks,
			@Nullable Throwable thrown) {
		if (thrown == null) {
			return null;
		}
		boolean isMarked = marks.stream()
			.flatMap(List::stream)
			.anyMatch((mark) -> mark.state() == State.FAILED
					&& (mark.error() == thrown || !(worker instanceof BatchWorker<?>)));
		return isMarked ? null : thrown;
	}

	private static int lastDone(List<List<Mark>> marks) {
		for (int i = marks.size() - 1; i > 0; i--) {
			if (isDone(marks.get(i))) {
				return i;
			}
		}
		return 0;
	}

	/** The failure of a run that took too long. */
	private static Throwable timedOut(ServedQueue queue, @Nullable Throwable thrown) {
		return (thrown instanceof OutOfMemoryError || thrown instanceof PerformTimeoutException) ? thrown
				: new PerformTimeoutException(queue.worker().settings().failures().performTimeout(), thrown);
	}

	@SuppressWarnings("unchecked")
	private void callWorker(Task task, QueueWorker<?> worker, ReadableBatch batch, ThreadActivity activity)
			throws Exception {
		ReadableJob first = batch.readable().get(0);
		if (worker instanceof BatchWorker<?>) {
			((BatchWorker<Object>) worker).perform(batch);
		}
		else if (worker instanceof PayloadWorker<?>) {
			callForEach(task, (PayloadWorker<Object>) worker, first, batch, activity);
		}
		else {
			((Worker<Object>) worker).perform(first.id(), first.payloads());
		}
	}

	/** Whether the time of the last call was up; if not, that of the next one begins. */
	private boolean isTimeUp(FailurePolicy policy, ThreadActivity activity) {
		return !policy.performTimeout().isZero() && !activity.next(this.nanoTime.getAsLong());
	}

	/** Up to the first payload that has to be retried, or lasts too long. */
	private void callForEach(Task task, PayloadWorker<Object> worker, ReadableJob job, ReadableBatch batch,
			ThreadActivity activity) throws Exception {
		FailurePolicy policy = task.queue().worker().settings().failures();
		job.open();
		for (int i = 0; i < job.payloads().size() && !batch.isLeaseLost(); i++) {
			try {
				worker.perform(job.id(), job.payloads().get(i));
				if (isTimeUp(policy, activity)) {
					throw new PerformTimeoutException(policy.performTimeout(), null);
				}
				job.done(i);
			}
			catch (Throwable ex) {
				boolean timedOut = isTimeUp(policy, activity);
				if (activity.isBrokenOff()) {
					job.fail(i, ex);
					throw ex;
				}
				Throwable error = timedOut ? timedOut(task.queue(), ex) : ex;
				Decision decision = this.failureRule.decide(task.queue(), job, List.of(i), error);
				job.fail(i, error, decision);
				if (timedOut || FailureRule.staysInJob(decision)) {
					throw ex;
				}
			}
		}
	}

}
