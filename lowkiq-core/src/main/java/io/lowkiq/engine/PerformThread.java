package io.lowkiq.engine;

import java.time.Duration;
import java.util.List;

import io.lowkiq.RetryPolicy;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.ServedShards;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.Performer;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.engine.runtime.Unexpected;
import io.lowkiq.engine.runtime.Waiter;
import io.lowkiq.store.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The loop of a thread that performs jobs, of any shard.
 */
final class PerformThread implements Runnable {

	/** The time after which the end of a task is reported again. */
	private static final long PAUSE = Duration.ofMillis(10).toNanos();

	private final Dispatcher dispatcher;

	private final Performer performer;

	private final ServedShards shards;

	private final ThreadActivity activity;

	/** Where the thread waits for a task. */
	private final Waiter waiter;

	/** Signalled when the thread ends. */
	private final Waiter ended;

	/** Written by this thread, read by the thread that stops the server. */
	private volatile boolean isEnded;

	PerformThread(Dispatcher dispatcher, Performer performer, ServedShards shards, ThreadActivity activity,
			Waiter waiter, Waiter ended) {
		this.dispatcher = dispatcher;
		this.performer = performer;
		this.shards = shards;
		this.activity = activity;
		this.waiter = waiter;
		this.ended = ended;
	}

	boolean isEnded() {
		return this.isEnded;
	}

	ThreadActivity activity() {
		return this.activity;
	}

	@Override
	public void run() {
		try {
			for (Task task = take(); task != null; task = take()) {
				perform(task);
			}
		}
		finally {
			end();
		}
	}

	/** Also if the thread could not be started. */
	void end() {
		this.isEnded = true;
		this.ended.signal();
	}

	private @Nullable Task take() {
		return this.dispatcher.take(this.activity, this.waiter);
	}

	private void perform(Task task) {
		List<Completed> completed = null;
		Throwable problem = null;
		try {
			completed = this.performer.perform(task, this.activity);
		}
		catch (Throwable ex) {
			problem = ex;
			Unexpected.log("around a run, whose jobs have failed", ex);
		}
		// Nobody else knows of the task: it is reported even if that takes several tries,
		// because a job of another thread uses up the memory
		while (!report(task, completed, problem)) {
			this.waiter.awaitUninterruptibly(PAUSE);
		}
	}

	private boolean report(Task task, @Nullable List<Completed> completed, @Nullable Throwable problem) {
		try {
			ServedShard shard = this.shards.get(task.lease().shard());
			this.dispatcher.performed(shard, task, (completed != null) ? completed : failed(task, problem));
			return true;
		}
		catch (Throwable ex) {
			Unexpected.log("after a run", ex);
			return false;
		}
	}

	private static List<Completed> failed(Task task, @Nullable Throwable problem) {
		boolean suspect = problem instanceof OutOfMemoryError;
		String error = (problem != null) ? problem.getClass().getName() : "";
		return task.jobs().stream().map((job) -> {
			long delay = RetryPolicy.standard().retryIn(job.retryCount() + 1).toMillis();
			return new Completed(job.id(), List.of(new Outcome.Retry(job.id(), delay, error, suspect)), List.of());
		}).toList();
	}

}
