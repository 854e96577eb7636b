package io.lowkiq.reliability.program;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.PayloadCodec;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.HistoryWriter;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardActions;

/**
 * An operator who acts while work continues: pauses and resumes queues; deletes some ids,
 * makes them due and takes them out of the morgue; corrects and releases what is on hold.
 * Repeats what was not certainly done. Resumes everything and prints {@code DONE} when it
 * gets a line on its standard input; from then on it only releases, until it is killed.
 */
public final class OperatorProgram {

	private static final long PAUSE = 50_000_000L;

	/** One action of so many pauses a queue. */
	private static final int PAUSES = 200;

	private final ShardActions actions;

	private final RedisStore store;

	private final HistoryWriter history;

	private final Random random;

	private final PayloadCodec codec = new JacksonPayloadCodec();

	private long number;

	private OperatorProgram(RedisStore store, HistoryWriter history, Random random) {
		this.store = store;
		this.actions = store.actions();
		this.history = history;
		this.random = random;
	}

	/**
	 * Runs until a line comes.
	 * @param arguments {@code name}, {@code redis}, {@code prefix}, {@code history},
	 * {@code timeout} of a command in milliseconds, {@code seed}
	 * @throws IOException if the standard input is broken
	 */
	public static void main(String[] arguments) throws IOException {
		ProgramSettings settings = new ProgramSettings(arguments);
		HistoryWriter history = new HistoryWriter(settings.historyDirectory(), settings.text("name"));
		OperatorProgram operator = new OperatorProgram(settings.store(), history, new Random(settings.number("seed")));
		operator.run();
		System.out.println("DONE");
		System.out.flush();
		QueueLayout held = operator.queue(Workload.PAYLOADS);
		while (true) {
			held.allShards().forEach(operator::releaseHeld);
			LockSupport.parkNanos(PAUSE);
		}
	}

	private void run() throws IOException {
		while (System.in.available() == 0) {
			QueueLayout queue = queue(Workload.QUEUES.get(this.random.nextInt(Workload.QUEUES.size())));
			if (this.random.nextInt(PAUSES) == 0) {
				pauseAndResume(queue);
			}
			else if (queue.name().equals(Workload.PAYLOADS) && this.random.nextBoolean()) {
				List<Shard> shards = queue.allShards();
				releaseHeld(shards.get(this.random.nextInt(shards.size())));
			}
			else {
				actOnId(queue);
			}
			LockSupport.parkNanos(PAUSE);
		}
	}

	private QueueLayout queue(String name) {
		while (true) {
			try {
				QueueLayout layout = this.store.queues().find(name).orElse(null);
				if (layout != null) {
					return layout;
				}
			}
			catch (StoreException ex) {
				// Redis is away
			}
			LockSupport.parkNanos(PAUSE);
		}
	}

	/** Resumes in any case: what is paused at the end is never performed. */
	private void pauseAndResume(QueueLayout queue) throws IOException {
		act(Action.PAUSE, queue.name(), "*",
				() -> queue.allShards().forEach((shard) -> this.actions.pause(shard, true)));
		long until = System.nanoTime() + (500 + this.random.nextInt(3_500)) * 1_000_000L;
		while (System.nanoTime() < until && System.in.available() == 0) {
			LockSupport.parkNanos(PAUSE);
		}
		act(Action.RESUME, queue.name(), "*",
				() -> queue.allShards().forEach((shard) -> this.actions.pause(shard, false)));
	}

	private void actOnId(QueueLayout queue) {
		String id = Workload.operated(this.random);
		Shard shard = queue.shard(queue.shardIndexOf(id));
		switch (this.random.nextInt(3)) {
			case 0 -> act(Action.DELETE, queue.name(), id, () -> this.actions.delete(shard, List.of(id)));
			case 1 -> act(Action.PERFORM_NOW, queue.name(), id, () -> this.actions.performNow(shard, List.of(id)));
			default -> act(Action.RE_ENQUEUE, queue.name(), id, () -> this.actions.reEnqueue(shard, List.of(id)));
		}
	}

	/** Makes an ordinary payload of a bad one, and releases its job. */
	private void releaseHeld(Shard shard) {
		List<JobView> held;
		try {
			held = this.store.inspection().list(shard, JobQuery.first(JobQuery.JobList.HELD, 100)).jobs();
		}
		catch (StoreException ex) {
			return; // Redis is away
		}
		for (JobView job : held) {
			byte[] known = job.payloads().get(0).bytes();
			Change first = (Change) this.codec.decode(known, Change.class);
			act(Action.RELEASE, shard.queue(), job.id(), () -> {
				if (first.kind() == Change.Kind.BAD) {
					this.actions.editHeld(shard, job.id(), known,
							this.codec.encode(new Change(first.number(), Change.Kind.PLAIN), Change.class));
				}
				this.actions.release(shard, List.of(job.id()));
			});
		}
	}

	private void act(Action action, String queue, String id, Runnable call) {
		this.number++;
		this.history.write(new Event.ActionCalled(System.nanoTime(), this.number, action, queue, id));
		while (true) {
			try {
				call.run();
				this.history.write(new Event.ActionReturned(System.nanoTime(), this.number));
				return;
			}
			catch (StoreException ex) {
				LockSupport.parkNanos(PAUSE);
			}
		}
	}

}
