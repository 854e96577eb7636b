package io.lowkiq.engine.lease;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;

import io.lowkiq.StoreException;
import io.lowkiq.store.LastCall;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Forgotten;
import io.lowkiq.store.node.Forgotten.Degree;
import io.lowkiq.store.node.NodeRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of this node that the store has answered and then forgotten, as after a
 * failover to a replica that had not received them. Thread-safe.
 */
public final class ForgottenCalls {

	private static final Logger logger = LoggerFactory.getLogger(ForgottenCalls.class);

	/**
	 * Heartbeats answered before a loss is reported; meanwhile other shards are asked.
	 */
	private static final int BEATS = 2;

	private final StateLock lock;

	private final NodeRegistry nodes;

	private final String node;

	private final LongSupplier nanoTime;

	private final IntConsumer listener;

	/** The loss that is not reported yet. Guarded by the lock. */
	private @Nullable Loss found;

	/** The heartbeats answered since. Guarded by the lock. */
	private int beats;

	/**
	 * When the last loss was noticed. A shard whose last answer had come before has lost
	 * it then. Guarded by the lock.
	 */
	private @Nullable Long noticedAt;

	/** The loss that is being reported. Used by the thread that reports. */
	private @Nullable Loss taken;

	/** The record of it, perhaps not written. Used by that thread. */
	private @Nullable Forgotten recording;

	/**
	 * A loss as far as it has been noticed.
	 *
	 * @param since the earliest of the last calls that they remember, by the store's
	 * clock
	 * @param answeredAt the last time when a forgotten call was answered
	 * @param noticedAt when the first of the shards showed it
	 * @param known whether all of it is of a loss that was reported before
	 */
	private record Loss(Set<Shard> shards, long since, long answeredAt, long noticedAt, boolean known) {

		Loss and(Loss other) {
			Set<Shard> all = new LinkedHashSet<>(this.shards);
			all.addAll(other.shards);
			long answered = (other.answeredAt - this.answeredAt > 0) ? other.answeredAt : this.answeredAt;
			return new Loss(all, Math.min(this.since, other.since), answered, this.noticedAt,
					this.known && other.known);
		}

	}

	public ForgottenCalls(StateLock lock, NodeRegistry nodes, String node, LongSupplier nanoTime,
			IntConsumer listener) {
		this.lock = lock;
		this.nodes = nodes;
		this.node = node;
		this.nanoTime = nanoTime;
		this.listener = listener;
	}

	/** Compares the last call of a shard with the last answer; with the lock only. */
	public void check(ServedShard shard, LastCall last) {
		if (!shard.hasForgotten(last)) {
			return;
		}
		Long before = this.noticedAt;
		long nanos = this.nanoTime.getAsLong();
		boolean known = before != null && shard.answeredAt() - before < 0;
		Loss loss = new Loss(Set.of(shard.shard()), last.at(), shard.answeredAt(), nanos, known);
		Loss all = this.found;
		if (all == null) {
			this.beats = 0;
		}
		this.found = (all != null) ? all.and(loss) : loss;
	}

	/** A heartbeat was answered. */
	void beat() {
		this.lock.run(() -> this.beats++);
	}

	/**
	 * Reports what has been noticed, unless it is part of a larger loss. Used by one
	 * thread.
	 * @throws StoreException if the store can't be reached; then it is reported the next
	 * time
	 */
	public void report() {
		Loss loss = this.taken;
		if (loss == null) {
			loss = this.lock.get(this::take);
			this.taken = loss;
		}
		if (loss != null) {
			report(loss);
			this.taken = null;
			this.recording = null;
		}
	}

	private @Nullable Loss take() {
		Loss loss = this.found;
		if (loss == null || this.beats < BEATS) {
			return null;
		}
		this.found = null;
		if (!loss.known()) {
			this.noticedAt = loss.noticedAt();
		}
		return loss;
	}

	private void report(Loss loss) {
		long now = this.nodes.now();
		long nanos = this.nanoTime.getAsLong();
		long answered = now - Duration.ofNanos(nanos - loss.answeredAt()).toMillis();
		if (this.nodes.forgotten()
			.stream()
			.anyMatch((other) -> other.degree() == Degree.EVERYTHING && other.noticedAt() >= answered)) {
			return;
		}
		Forgotten forgotten = this.recording;
		if (forgotten == null) {
			forgotten = Forgotten.calls(now, Math.min(loss.since(), now), this.node, loss.shards());
			this.recording = forgotten;
		}
		this.nodes.recordForgotten(forgotten);
		if (loss.known()) {
			logger.info("Redis has forgotten calls in {} more shards", loss.shards().size());
		}
		else {
			logger.warn("The store has lost its last writes. {} See 'Redis has forgotten calls' in docs/operations.md",
					forgotten.sentence());
			this.listener.accept(loss.shards().size());
		}
	}

}
