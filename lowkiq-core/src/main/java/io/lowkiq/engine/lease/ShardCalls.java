package io.lowkiq.engine.lease;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lowkiq.NewerVersionException;
import io.lowkiq.StoreException;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.Unexpected;
import io.lowkiq.store.QueueClosedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls about the shards of this node, and what an answer, or none, says about the
 * lease. Used with the {@link StateLock} only.
 */
public final class ShardCalls {

	private static final Logger logger = LoggerFactory.getLogger(ShardCalls.class);

	private final StateLock lock;

	private final StoreAvailability availability;

	private final EngineRuntime runtime;

	public ShardCalls(StateLock lock, StoreAvailability availability, EngineRuntime runtime) {
		this.lock = lock;
		this.availability = availability;
		this.runtime = runtime;
	}

	/** An answer that comes after the call was given up changes nothing. */
	public <T> void make(HeldShard held, Supplier<CompletableFuture<T>> call, Consumer<T> answered) {
		ServedShard shard = held.shard();
		long number = held.call();
		this.lock.call(call, (answer, problem) -> {
			this.lock.changed(shard);
			if (shard.held() != held || !held.isCalling(number)) {
				return;
			}
			if (answer == null) {
				callUnanswered(held, problem);
				return;
			}
			succeeded(shard);
			try {
				answered.accept(answer);
			}
			catch (Throwable ex) {
				Unexpected.log("while handling a reply; the shard's busy jobs are restored", ex);
				held.uncertain(CallUncertainty.OUT_OF_STEP);
			}
		});
	}

	<T> void acquire(ServedShard shard, ServedShard.Attempt attempt, Supplier<CompletableFuture<T>> call,
			Consumer<T> answered) {
		this.lock.call(call, (answer, problem) -> {
			this.lock.changed(shard);
			if (!attempt.equals(shard.attempt())) {
				return;
			}
			shard.attempt(null);
			if (answer == null) {
				attemptUnanswered(shard, problem);
			}
			else {
				succeeded(shard);
				answered.accept(answer);
			}
		});
	}

	void callUnanswered(HeldShard held, @Nullable Throwable problem) {
		held.unanswered();
		backOff(held.shard(), problem);
	}

	/** This node may hold the shard without knowing, unless it was refused. */
	void attemptUnanswered(ServedShard shard, @Nullable Throwable problem) {
		if (problem instanceof NewerVersionException) {
			shard.maybeFree(true);
		}
		else {
			shard.attemptUnanswered();
		}
		backOff(shard, problem);
	}

	private void backOff(ServedShard shard, @Nullable Throwable problem) {
		shard.backOff(this.runtime);
		shard.forgotten(problem instanceof QueueClosedException closed && closed.isUnknown());
		if (problem instanceof NewerVersionException) {
			this.availability.succeeded(shard);
			newer(shard, true);
			return;
		}
		this.availability.failed(shard,
				(problem != null) ? problem : new StoreException("The store gave no answer", null));
	}

	private void succeeded(ServedShard shard) {
		newer(shard, false);
		shard.forgotten(false);
		shard.resetBackOff();
		this.availability.succeeded(shard);
	}

	private void newer(ServedShard shard, boolean newer) {
		if (newer == shard.isNewer()) {
			return;
		}
		shard.newer(newer);
		this.lock.afterwards(() -> {
			if (newer) {
				logger.warn(
						"Shard {} of {} was written by a newer version; this node doesn't serve it. See 'A shard of a newer version' in docs/operations.md",
						shard.shard().index(), shard.shard().queue());
			}
			else {
				logger.info("Shard {} of {} can be served by this version again", shard.shard().index(),
						shard.shard().queue());
			}
		});
	}

	/** The shard is not asked for any more. */
	void forget(ServedShard shard) {
		shard.newer(false);
		shard.forgotten(false);
		this.availability.succeeded(shard);
	}

}
