package io.lowkiq.engine.lease;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.schedule.GroupSettings;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Membership;

/**
 * The events that concern the leases of shards, which are then processed. Thread-safe.
 */
public final class ShardEvents implements ClusterMembership.Listener {

	/** How often one shard is checked whatever messages say. */
	private static final long RECHECK_INTERVAL = Duration.ofSeconds(5).toNanos();

	private final StateLock lock;

	private final ServedShards shards;

	private final Leases leases;

	private final LongSupplier nanoTime;

	private final BooleanSupplier ended;

	private final Consumer<Session> lapsed;

	private final Consumer<ServedShard> followUps;

	// Guarded by the lock

	private long recheckedAt;

	private int rechecks;

	public ShardEvents(StateLock lock, ServedShards shards, Leases leases, LongSupplier nanoTime, BooleanSupplier ended,
			Consumer<Session> lapsed, Consumer<ServedShard> followUps) {
		this.lock = lock;
		this.shards = shards;
		this.leases = leases;
		this.nanoTime = nanoTime;
		this.ended = ended;
		this.lapsed = lapsed;
		this.followUps = followUps;
		this.recheckedAt = nanoTime.getAsLong();
	}

	private void change(Runnable change) {
		this.lock.run(() -> {
			if (!this.ended.getAsBoolean()) {
				change.run();
			}
		});
	}

	@Override
	public void assigned(Session session, Membership membership, Set<Shard> assigned) {
		boolean shared = this.shards.isShared();
		Set<ServedShard> served = Set.copyOf(this.shards.ordered());
		change(() -> {
			this.leases.seen(session, membership);
			this.shards.all().forEach((shard) -> {
				shard.wanted(!shard.queue().isStopped()
						&& (shared ? assigned.contains(shard.shard()) : served.contains(shard)));
				this.lock.changed(shard);
			});
		});
	}

	/** Queues were stopped on this node: their shards are given back. */
	public void queuesStopped() {
		change(() -> this.shards.all().stream().filter((shard) -> shard.queue().isStopped()).forEach((shard) -> {
			shard.wanted(false);
			this.lock.changed(shard);
		}));
	}

	/** Operators have set something for groups of a queue. */
	void overridden(ServedQueue queue, Map<String, GroupOverride> overrides) {
		GroupSettings settings = new GroupSettings(queue.groups(), overrides);
		change(() -> this.shards.all().stream().filter((shard) -> shard.queue() == queue).forEach((shard) -> {
			shard.turns().settings(settings);
			this.lock.changed(shard);
		}));
	}

	/** A session has ended, or its time has run out. */
	public void lapsed(Session session) {
		this.lapsed.accept(session);
		allChanged();
	}

	public void allChanged() {
		change(() -> this.shards.all().forEach(this.lock::changed));
	}

	/** The queues with shards that the store doesn't know. */
	Set<String> forgottenQueues() {
		return this.lock.get(() -> this.shards.all()
			.stream()
			.filter(ServedShard::isForgotten)
			.map((shard) -> shard.shard().queue())
			.collect(Collectors.toSet()));
	}

	void beganSession() {
		change(() -> this.shards.all().forEach((shard) -> shard.maybeFree(true)));
	}

	/** A heartbeat was answered. A message that a shard is free may have been lost. */
	void beat() {
		change(() -> this.shards.all()
			.stream()
			.filter(ServedShard::isWanted)
			.forEach((shard) -> shard.maybeFree(true)));
	}

	/**
	 * A message: a job may be due, or another node requests the shard. For the store, the
	 * session holds it.
	 */
	void wake(Shard shard) {
		ServedShard served = this.shards.find(shard);
		if (served != null) {
			change(() -> recheckUncertain(served));
		}
	}

	private void recheckUncertain(ServedShard shard) {
		shard.uncertainUnlessHeld();
		recheck(shard);
	}

	/** Its runs, too, are to learn whether the lease is lost. */
	private void recheckWithRuns(ServedShard shard) {
		shard.needCheck();
		recheckUncertain(shard);
	}

	private void recheck(ServedShard shard) {
		shard.recheck(this.nanoTime.getAsLong());
		this.lock.changed(shard);
	}

	/** A message: a shard was given back, perhaps a shard that this node holds. */
	void released(Shard shard) {
		ServedShard served = this.shards.find(shard);
		if (served != null) {
			change(() -> recheck(served));
		}
	}

	/** Messages were lost, or polling begins or ends. */
	void messagesLost() {
		change(() -> this.shards.all().forEach(this::recheckWithRuns));
		this.shards.all().forEach(this.followUps);
	}

	/**
	 * Checks one shard after the other, whatever messages say: the last safety net for a
	 * message that got lost on a connection that seemed well, and for a call that took a
	 * shard long after this node had given it up.
	 */
	public void recheckOneShard() {
		List<ServedShard> ordered = this.shards.ordered();
		change(() -> {
			long nanos = this.nanoTime.getAsLong();
			if (nanos - this.recheckedAt < RECHECK_INTERVAL || ordered.isEmpty()) {
				return;
			}
			this.recheckedAt = nanos;
			recheckWithRuns(ordered.get(this.rechecks++ % ordered.size()));
		});
	}

}
