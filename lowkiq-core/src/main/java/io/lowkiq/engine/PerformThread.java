package io.lowkiq.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;

import io.lowkiq.RetryPolicy;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.ServedShards;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.Performer;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.engine.perform.ThreadBaseline;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.Unexpected;
import io.lowkiq.engine.runtime.Waiter;
import io.lowkiq.store.job.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The loop of a thread that performs jobs, of any shard. After a run it may continue in a
 * new thread. Each thread makes the next one before its first run, so that the next one
 * inherits nothing of a run.
 */
final class PerformThread implements Runnable {

	/** The time after which something that failed is tried again. */
	private static final long PAUSE = Duration.ofMillis(10).toNanos();

	private final EngineRuntime runtime;

	private final ThreadSource source;

	private final Dispatcher dispatcher;

	private final Performer performer;

	private final ServedShards shards;

	private final ThreadActivity activity;

	private final Waiter waiter;

	private final Waiter ended;

	/** Written by the thread of the loop, read by the thread that stops the server. */
	private volatile boolean isEnded;

	PerformThread(EngineRuntime runtime, ThreadSource source, Dispatcher dispatcher, Performer performer,
			ServedShards shards, ThreadActivity activity, Waiter ended) {
		this.runtime = runtime;
		this.source = source;
		this.dispatcher = dispatcher;
		this.performer = performer;
		this.shards = shards;
		this.activity = activity;
		this.waiter = runtime.newWaiter();
		this.ended = ended;
	}

	boolean isEnded() {
		return this.isEnded;
	}

	ThreadActivity activity() {
		return this.activity;
	}

	void start() {
		start(newThread());
	}

	private Thread newThread() {
		String name = this.activity.snapshot().name();
		ThreadFactory factory = this.source.factory();
		if (factory == null) {
			return this.runtime.newThread(name, false, this);
		}
		Thread thread = factory.newThread(this);
		if (thread == null) {
			throw new IllegalStateException("The thread factory made no thread");
		}
		if (thread.getName().isBlank()) {
			thread.setName(name);
		}
		return thread;
	}

	private void start(Thread thread) {
		this.activity.named(thread.getName());
		thread.start();
	}

	@Override
	public void run() {
		boolean replaced = false;
		try {
			replaced = performTasks();
		}
		finally {
			if (!replaced) {
				end();
			}
		}
	}

	/** Also if the thread could not be started. */
	void end() {
		this.isEnded = true;
		this.ended.signal();
	}

	/** Performs until the server is quiet, or another thread continues the loop. */
	private boolean performTasks() {
		Thread next = nextThread();
		ThreadBaseline baseline = baseline();
		for (Task task = take(); task != null; task = take()) {
			perform(task, baseline);
			if (this.source.threadPerRun() || !baseline.isClean()) {
				if (isReplacedBy(next)) {
					return true;
				}
				next = null;
			}
		}
		return false;
	}

	/** The next thread; null if there is no memory for it at the moment. */
	private @Nullable Thread nextThread() {
		try {
			return newThread();
		}
		catch (Throwable ex) {
			return null;
		}
	}

	private ThreadBaseline baseline() {
		while (true) {
			try {
				return ThreadBaseline.capture(this.source.states());
			}
			catch (Throwable ex) {
				Unexpected.log("while a thread begins", ex);
				this.waiter.awaitUninterruptibly(PAUSE);
			}
		}
	}

	/**
	 * The last that a thread does that is replaced: from then on the loop is another's.
	 */
	private boolean isReplacedBy(@Nullable Thread next) {
		try {
			start((next != null) ? next : newThread());
			return true;
		}
		catch (Throwable ex) {
			Unexpected.log("while replacing a thread, which performs the next job, too", ex);
			return false;
		}
	}

	private @Nullable Task take() {
		return this.dispatcher.take(this.activity, this.waiter);
	}

	private void perform(Task task, ThreadBaseline baseline) {
		List<Completed> completed = null;
		Throwable problem = null;
		try {
			completed = this.performer.perform(task, this.activity, baseline);
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
