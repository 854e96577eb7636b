package io.lowkiq.reliability.program;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

import io.lowkiq.GroupPolicy;
import io.lowkiq.PayloadCodec;
import io.lowkiq.StoreException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.ShardActions;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.EventLog;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Shard;

/**
 * An operator who acts while work continues: pauses and resumes queues; pauses and limits
 * groups, if there are some; deletes some ids, and whole groups of them, makes them due
 * and takes them out of the morgue; corrects and releases what is on hold. Repeats an
 * action until it is acknowledged. For one thread.
 */
public final class Operator {

	/** How long to wait between two actions. */
	public static final long PAUSE = 50_000_000L;

	/** One in this number of actions pauses a queue. */
	private static final int PAUSES = 200;

	/** One in this number of actions sets something for a group, if there are groups. */
	private static final int SETTINGS = 8;

	/** How long a setting for a group lasts at least, in milliseconds. */
	private static final int SHORTEST_SETTING = 6_000;

	private final ShardActions actions;

	private final RedisStore store;

	private final EventLog history;

	private final Surroundings surroundings;

	private final RandomGenerator random;

	private final BooleanSupplier ended;

	private final PayloadCodec codec = new JacksonPayloadCodec();

	private long number;

	/** An operator. */
	public Operator(RedisStore store, EventLog history, Surroundings surroundings, RandomGenerator random,
			BooleanSupplier ended) {
		this.store = store;
		this.actions = store.actions();
		this.history = history;
		this.surroundings = surroundings;
		this.random = random;
		this.ended = ended;
	}

	/** Acts once. */
	public void actOnce() throws InterruptedException {
		QueueLayout queue = queue(Workload.QUEUES.get(this.random.nextInt(Workload.QUEUES.size())));
		if (this.random.nextInt(PAUSES) == 0) {
			pauseAndResume(queue);
		}
		else if (!queue.oneShardPerGroup().isEmpty() && this.random.nextInt(SETTINGS) == 0) {
			setAndResetGroup(queue);
		}
		else if (queue.name().equals(Workload.PAYLOADS) && this.random.nextBoolean()) {
			List<Shard> shards = queue.allShards();
			releaseHeld(shards.get(this.random.nextInt(shards.size())));
		}
		else {
			actOnId(queue);
		}
	}

	/** Corrects and releases all that is on hold. */
	public void releaseAllHeld() throws InterruptedException {
		for (Shard shard : queue(Workload.PAYLOADS).allShards()) {
			releaseHeld(shard);
		}
	}

	/**
	 * Resumes all queues and groups: a failover may have forgotten that one was resumed.
	 */
	public void resumeAll() throws InterruptedException {
		for (String name : Workload.QUEUES) {
			QueueLayout queue = queue(name);
			act(Action.RESUME, name, "*", () -> queue.allShards().forEach((shard) -> this.actions.pause(shard, false)));
			if (!queue.oneShardPerGroup().isEmpty()) {
				act(Action.RESET_GROUP, name, "*",
						() -> reset(queue, this.store.queues().overrides(queue).groups().keySet()));
			}
		}
	}

	private void reset(QueueLayout queue, Set<String> groups) {
		this.store.queues()
			.override(queue, groups.stream().collect(Collectors.toMap((group) -> group, (group) -> GroupOverride.NONE)),
					EnumSet.allOf(GroupOverride.Part.class));
	}

	private QueueLayout queue(String name) throws InterruptedException {
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
			this.surroundings.sleep(PAUSE);
		}
	}

	/** Resumes in any case: what is paused at the end is never performed. */
	private void pauseAndResume(QueueLayout queue) throws InterruptedException {
		act(Action.PAUSE, queue.name(), "*",
				() -> queue.allShards().forEach((shard) -> this.actions.pause(shard, true)));
		long until = this.surroundings.nanoTime() + (500 + this.random.nextInt(3_500)) * 1_000_000L;
		while (this.surroundings.nanoTime() < until && !this.ended.getAsBoolean()) {
			this.surroundings.sleep(PAUSE);
		}
		act(Action.RESUME, queue.name(), "*",
				() -> queue.allShards().forEach((shard) -> this.actions.pause(shard, false)));
	}

	/** Resets in any case. Other actions go on in some of the time. */
	private void setAndResetGroup(QueueLayout queue) throws InterruptedException {
		String group = new GroupPolicy(queue.oneShardPerGroup()).groupOf(Workload.grouped(this.random));
		if (group.isEmpty()) {
			return;
		}
		boolean isPause = this.random.nextBoolean();
		GroupOverride override = isPause
				? new GroupOverride(new GroupOverride.Change<>(true, "operator", 0), null, null, null)
				: new GroupOverride(null, new GroupOverride.Change<>(1, "operator", 0), null, null);
		act(isPause ? Action.PAUSE_GROUP : Action.LIMIT_GROUP, queue.name(), group,
				() -> this.store.queues()
					.override(queue, Map.of(group, override),
							EnumSet.of(isPause ? GroupOverride.Part.PAUSE : GroupOverride.Part.CONCURRENCY)));
		long until = this.surroundings.nanoTime()
				+ (SHORTEST_SETTING + this.random.nextInt(SHORTEST_SETTING)) * 1_000_000L;
		while (this.surroundings.nanoTime() < until && !this.ended.getAsBoolean()) {
			actOnId(queue);
			this.surroundings.sleep(PAUSE);
		}
		act(Action.RESET_GROUP, queue.name(), group, () -> reset(queue, Set.of(group)));
	}

	private void actOnId(QueueLayout queue) throws InterruptedException {
		String id = Workload.operated(this.random);
		Shard shard = queue.shard(queue.shardIndexOf(id));
		switch (this.random.nextInt(4)) {
			case 0 -> deleteGroup(queue);
			case 1 -> act(Action.DELETE, queue.name(), id, () -> this.actions.delete(shard, List.of(id)));
			case 2 -> act(Action.PERFORM_NOW, queue.name(), id, () -> this.actions.performNow(shard, List.of(id)));
			default -> act(Action.RE_ENQUEUE, queue.name(), id, () -> this.actions.reEnqueue(shard, List.of(id)));
		}
	}

	private void deleteGroup(QueueLayout queue) throws InterruptedException {
		List<String> ids = Workload.operated();
		act(Action.DELETE, queue.name(), ids, () -> {
			for (Shard shard : queue.allShards()) {
				this.actions.delete(shard,
						ids.stream().filter((id) -> queue.shardIndexOf(id) == shard.index()).toList());
			}
		});
	}

	/** Makes an ordinary payload of a bad one, and releases its job. */
	private void releaseHeld(Shard shard) throws InterruptedException {
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

	private void act(Action action, String queue, String id, Runnable call) throws InterruptedException {
		act(action, queue, List.of(id), call);
	}

	private void act(Action action, String queue, List<String> ids, Runnable call) throws InterruptedException {
		long first = this.number + 1;
		for (String id : ids) {
			this.number++;
			this.history.write(new Event.ActionCalled(this.surroundings.nanoTime(), this.number, action, queue, id));
		}
		while (true) {
			try {
				call.run();
				for (long done = first; done <= this.number; done++) {
					this.history.write(new Event.ActionReturned(this.surroundings.nanoTime(), done));
				}
				return;
			}
			catch (UnknownQueueException ex) {
				return; // Redis has lost the queue, with all that was set for it
			}
			catch (StoreException ex) {
				this.surroundings.sleep(PAUSE);
			}
		}
	}

}
