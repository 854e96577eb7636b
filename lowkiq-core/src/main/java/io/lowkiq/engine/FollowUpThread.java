package io.lowkiq.engine;

import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.lowkiq.StoreException;
import io.lowkiq.engine.lease.HeldShard;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.Loop;
import io.lowkiq.internal.BackgroundLoop;
import io.lowkiq.internal.PrintableThrowable;
import io.lowkiq.store.Lease;
import org.jspecify.annotations.Nullable;

/** The loop that moves follow-ups to their queues, one batch of each shard in turn. */
final class FollowUpThread {

	private static final int MAX_UNDER_WAY = 16;

	/** When a shard that was held back is tried again. */
	private static final long SOON = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long MAX_WAIT = TimeUnit.MINUTES.toNanos(1);

	private static final long REPORT_PERIOD = TimeUnit.SECONDS.toNanos(1);

	private static final int MAX_NAMED = 3;

	private final FollowUpMover mover;

	private final StateLock lock;

	private final EngineRuntime runtime;

	private final BackgroundLoop reports;

	private final Loop loop;

	/** Shards in which follow-ups may wait. Filled by all, emptied by this thread. */
	private final Set<ServedShard> waiting = Collections.synchronizedSet(new LinkedHashSet<>());

	/** Shards with follow-ups, next turn first. Used by this thread. */
	private final Map<ServedShard, ShardFollowUps> shards = new LinkedHashMap<>();

	/** Nothing waits in them, but others remember their last follow-ups. In due order. */
	private final Map<ServedShard, ShardFollowUps> resting = new LinkedHashMap<>();

	/** The last report, and when it was made. Used by this thread. */
	private Set<ServedShard> reported = Set.of();

	private long reportedAt;

	FollowUpThread(FollowUpMover mover, StateLock lock, EngineRuntime runtime, BackgroundLoop reports) {
		this.mover = mover;
		this.lock = lock;
		this.runtime = runtime;
		this.reports = reports;
		this.loop = new Loop("lowkiq-follow-ups", runtime, this::move);
	}

	Loop loop() {
		return this.loop;
	}

	/** Notes that follow-ups wait in a shard. */
	void wake(ServedShard shard) {
		this.waiting.add(shard);
		this.loop.signal();
	}

	/** Moves a batch of each shard. Returns the nanoseconds until the next step. */
	private long move() {
		List.copyOf(this.waiting).forEach(this::begin);
		long left = resume();
		Map<ServedShard, ShardFollowUps> ready = new LinkedHashMap<>(this.shards);
		for (Iterator<ShardFollowUps> all = ready.values().iterator(); all.hasNext();) {
			long wait = all.next().advance(false);
			if (wait > 0) {
				left = Math.min(left, wait);
				all.remove();
			}
		}
		long underWay = this.shards.values().stream().filter(ShardFollowUps::isUnderWay).count();
		for (Map.Entry<ServedShard, ShardFollowUps> each : ready.entrySet()) {
			if (underWay >= MAX_UNDER_WAY) {
				left = Math.min(left, SOON);
				break;
			}
			ShardFollowUps turn = each.getValue();
			left = Math.min(left, turn.advance(true));
			underWay += turn.isUnderWay() ? 1 : 0;
			this.shards.remove(each.getKey());
			this.shards.put(each.getKey(), turn);
		}
		this.shards.forEach(this::noteProgress);
		this.shards.entrySet().removeIf((each) -> isOver(each.getKey(), each.getValue()));
		report();
		return left;
	}

	/** Gives shards that have rested long enough their turn. */
	private long resume() {
		Iterator<Map.Entry<ServedShard, ShardFollowUps>> all = this.resting.entrySet().iterator();
		while (all.hasNext()) {
			Map.Entry<ServedShard, ShardFollowUps> next = all.next();
			if (next.getValue().isResting()) {
				return Math.min(next.getValue().advance(false), MAX_WAIT);
			}
			this.shards.put(next.getKey(), next.getValue());
			all.remove();
		}
		return MAX_WAIT;
	}

	/** Whether a shard has no turn next. */
	private boolean isOver(ServedShard shard, ShardFollowUps followUps) {
		if (followUps.isResting()) {
			this.resting.put(shard, followUps);
			return true;
		}
		return followUps.isDone();
	}

	private void begin(ServedShard shard) {
		this.waiting.remove(shard);
		Lease lease = lease(shard);
		ShardFollowUps rested = this.resting.remove(shard);
		if (lease == null) {
			this.shards.remove(shard);
			return;
		}
		ShardFollowUps known = (rested != null) ? rested : this.shards.get(shard);
		if (known == null || !known.lease().equals(lease)) {
			known = new ShardFollowUps(this.mover, lease, this.loop::signal);
		}
		this.shards.put(shard, known);
		known.wake();
	}

	private @Nullable Lease lease(ServedShard shard) {
		return this.lock.get(() -> {
			HeldShard held = shard.held();
			return (held != null) ? held.lease() : null;
		});
	}

	private void noteProgress(ServedShard shard, ShardFollowUps followUps) {
		long reached = followUps.reached();
		int pending = followUps.pending();
		if (reached > 0) {
			this.lock.run(() -> {
				HeldShard held = shard.held();
				if (held != null && held.lease().equals(followUps.lease()) && held.followUpsMoved(reached, pending)) {
					this.lock.changed(shard);
				}
			});
		}
	}

	private void report() {
		Map<ServedShard, Throwable> problems = new LinkedHashMap<>();
		this.shards.forEach((shard, followUps) -> {
			Throwable problem = followUps.problem();
			if (problem != null) {
				problems.put(shard, problem);
			}
		});
		long nanos = this.runtime.nanoTime();
		if (!problems.keySet().equals(this.reported) || nanos - this.reportedAt >= REPORT_PERIOD) {
			this.reported = Set.copyOf(problems.keySet());
			this.reportedAt = nanos;
			this.reports.runOnce(() -> {
				if (!problems.isEmpty()) {
					throw new StoreException(describe(problems), problems.values().iterator().next());
				}
			});
		}
	}

	private static String describe(Map<ServedShard, Throwable> problems) {
		String named = problems.entrySet()
			.stream()
			.limit(MAX_NAMED)
			.map((each) -> each.getKey().shard() + ": " + PrintableThrowable.of(each.getValue()))
			.collect(Collectors.joining("; "));
		int more = problems.size() - MAX_NAMED;
		return "Follow-ups of shards could not be enqueued. " + named
				+ ((more > 0) ? "; and of %s more".formatted(more) : "");
	}

}
