package io.lowkiq.engine;

import java.util.Collection;
import java.util.concurrent.TimeUnit;

import io.lowkiq.engine.lease.HeldShard;
import io.lowkiq.engine.lease.Leases;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.Unexpected;
import io.lowkiq.engine.runtime.Waiter;

/**
 * Does what is due for a changed shard: first for its lease, then for its jobs. Guarded
 * by the {@link StateLock}.
 */
final class ShardProcessor implements StateLock.Processor {

	/** When to process a shard again after an unexpected error. */
	private static final long SOON = TimeUnit.MILLISECONDS.toNanos(100);

	private final StateLock lock;

	private final EngineRuntime runtime;

	private final Leases leases;

	private final Dispatcher dispatcher;

	private final Deadlines deadlines;

	/** Signalled when a shard is not held. Waited on by threads that stop the server. */
	private final Waiter notHeld;

	ShardProcessor(StateLock lock, EngineRuntime runtime, Leases leases, Dispatcher dispatcher, Deadlines deadlines) {
		this.lock = lock;
		this.runtime = runtime;
		this.leases = leases;
		this.dispatcher = dispatcher;
		this.deadlines = deadlines;
		this.notHeld = runtime.newWaiter();
	}

	/** Processes all shards before a thread is given to one of them. */
	@Override
	public void process(Collection<ServedShard> shards) {
		shards.forEach((shard) -> this.deadlines.set(shard, process(shard)));
		this.dispatcher.dispatch();
	}

	/** Returns the time until something is due for the shard, in nanoseconds. */
	private long process(ServedShard shard) {
		try {
			long left = this.leases.process(shard);
			if (shard.held() == null) {
				this.notHeld.signal();
			}
			return Math.min(left, this.dispatcher.process(shard));
		}
		catch (Throwable ex) {
			Unexpected.log("while processing a shard", ex);
			return SOON;
		}
	}

	/** Waits until all shards without runs are given back, or the nanoseconds are up. */
	boolean awaitReleased(Collection<ServedShard> shards, long nanos) {
		long deadline = this.runtime.nanoTime() + nanos;
		long left = nanos;
		while (!isReleased(shards) && left > 0) {
			this.notHeld.awaitUninterruptibly(left);
			left = deadline - this.runtime.nanoTime();
		}
		// Another thread may stop the server, too
		this.notHeld.signal();
		return isReleased(shards);
	}

	private boolean isReleased(Collection<ServedShard> shards) {
		return this.lock.get(() -> shards.stream().allMatch(ShardProcessor::isReleased));
	}

	private static boolean isReleased(ServedShard shard) {
		HeldShard held = shard.held();
		return (held == null) ? !shard.isAcquiring() : shard.isPerforming() || !held.session().isValid();
	}

}
