package io.lowkiq.autoconfigure.kafka;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import io.lowkiq.store.job.Shard;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The records that an attempt has brought into the store, and the waiting ones. Used by
 * the thread of a consumer.
 */
final class RecordAttempt {

	private final Function<String, Shard> shardOf;

	/** The records that don't wait any more. */
	private final Set<WaitingRecord> settled = new HashSet<>();

	private final List<WaitingRecord> buried = new ArrayList<>();

	private final Set<TopicPartition> heldPartitions = new HashSet<>();

	private final Set<String> heldIds = new HashSet<>();

	private final Set<Shard> heldShards = new HashSet<>();

	private @Nullable Throwable problem;

	private boolean storeDown;

	RecordAttempt(Function<String, Shard> shardOf) {
		this.shardOf = shardOf;
	}

	/** The problem is null if none waits. */
	record Result(List<WaitingRecord> waiting, @Nullable Throwable problem, boolean storeDown) {
	}

	/** The record is in the store, or is to have no job. */
	void settle(WaitingRecord each) {
		this.settled.add(each);
	}

	void buried(WaitingRecord each) {
		this.buried.add(each);
		settle(each);
	}

	List<WaitingRecord> buried() {
		return this.buried;
	}

	/** Lets a record wait, and with it all later records that must not pass it. */
	void hold(WaitingRecord each) {
		Shard shard = each.shard();
		String id = each.id();
		if (shard != null) {
			this.heldShards.add(shard);
		}
		else if (id != null) {
			this.heldIds.add(id);
		}
		else {
			this.heldPartitions.add(each.partition());
		}
	}

	/** Whether a record has to wait for an earlier one. */
	boolean isHeld(WaitingRecord each) {
		String id = each.id();
		return this.heldPartitions.contains(each.partition()) || (id != null && (this.heldIds.contains(id)
				|| (!this.heldShards.isEmpty() && this.heldShards.contains(this.shardOf.apply(id)))));
	}

	/** Something other than a record has failed. */
	void failed(@Nullable Throwable reason) {
		this.problem = reason;
	}

	/** Nothing at all can be enqueued. */
	void storeDown(@Nullable Throwable reason) {
		failed(reason);
		this.storeDown = true;
	}

	/** Whether something other than a record has failed. */
	boolean hasFailed() {
		return this.problem != null;
	}

	Result result(List<WaitingRecord> records) {
		List<WaitingRecord> waiting = records.stream().filter((each) -> !this.settled.contains(each)).toList();
		return new Result(waiting, waiting.isEmpty() ? null : problemOf(waiting), this.storeDown);
	}

	private Throwable problemOf(List<WaitingRecord> waiting) {
		return (this.problem != null) ? this.problem
				: waiting.stream()
					.map(WaitingRecord::problem)
					.filter((each) -> each != null)
					.map(Throwable.class::cast)
					.findFirst()
					.orElseGet(() -> new IllegalStateException("Records wait for earlier ones"));
	}

}
