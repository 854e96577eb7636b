package io.lowkiq.engine;

import java.util.List;

import io.lowkiq.RetryPolicy;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.Performer;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Shard;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop of a thread that performs jobs, of any shard.
 */
final class PerformThread implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(PerformThread.class);

	private final Dispatcher dispatcher;

	private final Performer performer;

	private final ServedShards shards;

	private final ThreadActivity activity;

	private final Runnable ended;

	/**
	 * A thread.
	 * @param ended called when the thread ends, in any case
	 */
	PerformThread(Dispatcher dispatcher, Performer performer, ServedShards shards, ThreadActivity activity,
			Runnable ended) {
		this.dispatcher = dispatcher;
		this.performer = performer;
		this.shards = shards;
		this.activity = activity;
		this.ended = ended;
	}

	ThreadActivity activity() {
		return this.activity;
	}

	@Override
	public void run() {
		try {
			for (Task task = this.dispatcher.take(); task != null; task = this.dispatcher.take()) {
				perform(task);
			}
		}
		finally {
			this.ended.run();
		}
	}

	private void perform(Task task) {
		Shard shard = task.lease().shard();
		List<Completed> completed;
		try {
			completed = this.performer.perform(task, this.activity);
		}
		catch (Throwable ex) {
			// Whatever it is, it came with these jobs: they are tried again, and counted
			logger.error("Unexpected {} around the perform of {} jobs of shard {}; they count as failed",
					ex.getClass().getName(), task.jobs().size(), shard);
			completed = task.jobs().stream().map((job) -> failed(job.id(), job.retryCount() + 1, ex)).toList();
		}
		this.dispatcher.performed(this.shards.get(shard), task, completed);
	}

	private static Completed failed(String id, int retryCount, Throwable ex) {
		long delay = RetryPolicy.standard().retryIn(retryCount).toMillis();
		return new Completed(id, List.of(new Outcome.Retry(id, delay, ex.getClass().getName())));
	}

}
