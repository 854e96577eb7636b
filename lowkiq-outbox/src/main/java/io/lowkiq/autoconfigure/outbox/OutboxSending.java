package io.lowkiq.autoconfigure.outbox;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.LowkiqException;
import io.lowkiq.NewerVersionException;
import io.lowkiq.StoreAccessException;
import io.lowkiq.StoreFullException;
import io.lowkiq.autoconfigure.outbox.WaitingRows.Part;
import io.lowkiq.store.LateCallException;
import io.lowkiq.store.OutboxCall;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.ShardRefusal;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;

/** Sends the rows of a batch, and notes what has become of them. */
final class OutboxSending {

	private final OutboxTarget store;

	private final OutboxLock lock;

	private final OutboxCall call;

	private final List<Long> sent = new ArrayList<>();

	private final List<OutboxRow> unsent = new ArrayList<>();

	private final Map<Part, RuntimeException> failed = new LinkedHashMap<>();

	/** Shards that have forgotten what was sent before: nothing new is sent to them. */
	private final Map<Shard, RuntimeException> forgetful = new LinkedHashMap<>();

	/** Shards that were called by another holder of the lock. */
	private final Set<Shard> ahead = new HashSet<>();

	/** The largest number of such a holder; 0 if there is none. */
	private long later;

	private boolean isComplete = true;

	private String lastQueue = "";

	/** 0 as long as no row has a delay. */
	private long now;

	OutboxSending(OutboxTarget store, OutboxLock lock, OutboxCall call) {
		this.store = store;
		this.lock = lock;
		this.call = call;
	}

	/** Until a queue does not respond: the lock is held for one timeout at most. */
	void send(OutboxBatch batch) {
		for (Map.Entry<String, List<OutboxRow>> some : batch.byQueue().entrySet()) {
			this.lastQueue = some.getKey();
			this.isComplete = this.lastQueue.equals(batch.lastQueue());
			send(this.lastQueue, some.getValue());
			if (isSilent()) {
				return;
			}
		}
	}

	private void send(String queue, List<OutboxRow> rows) {
		Set<Long> before = new HashSet<>(this.sent);
		try {
			enqueue(queue, rows).forEach((some) -> retry(queue, rows, some));
		}
		catch (LowkiqException ex) {
			this.failed.put(Part.of(queue), ex);
		}
		if (this.sent.size() < before.size() + rows.size()) {
			Set<Long> done = new HashSet<>(this.sent);
			rows.stream().filter((row) -> !done.contains(row.sequence()) && !staysFirst(row)).forEach(this.unsent::add);
		}
	}

	private List<ShardRefusal> enqueue(String queue, List<OutboxRow> rows) {
		List<NewPayload> payloads = rows.stream().map((row) -> row.toSend(now(row))).toList();
		List<ShardRefusal> notEnqueued = this.store.enqueue().apply(queue, payloads, this.call);
		Set<Integer> not = new HashSet<>();
		notEnqueued.forEach((some) -> not.addAll(some.positions()));
		for (int i = 0; i < rows.size(); i++) {
			if (!not.contains(i)) {
				this.sent.add(rows.get(i).sequence());
			}
		}
		return notEnqueued;
	}

	private boolean staysFirst(OutboxRow row) {
		if (!hasForgotten() && this.ahead.isEmpty()) {
			return false;
		}
		Shard shard = this.store.shardOf().apply(row.queue(), row.payload().id());
		return this.forgetful.containsKey(shard) || this.ahead.contains(shard);
	}

	private boolean isSilent() {
		return this.failed.values().stream().anyMatch(WaitingRows::isSilence);
	}

	/** By the clock of the database, whose time is asked for at most once. */
	private long now(OutboxRow row) {
		if (this.now == 0 && row.payload().delay() > 0) {
			this.now = this.lock.now();
		}
		return this.now;
	}

	/** Sends refused rows again, id by id, because one id may be at fault. */
	private void retry(String queue, List<OutboxRow> rows, ShardRefusal refused) {
		if (isToBeSentFirst(refused.shard(), refused.problem())) {
			return;
		}
		Map<String, List<OutboxRow>> byId = new LinkedHashMap<>();
		refused.positions()
			.forEach((position) -> byId.computeIfAbsent(rows.get(position).payload().id(), (id) -> new ArrayList<>())
				.add(rows.get(position)));
		// After a silence, each further id would cost a timeout
		if (byId.size() == 1 || isSilent() || !isRefusal(refused.problem()) || Thread.currentThread().isInterrupted()) {
			this.failed.put(Part.of(refused.shard()), refused.problem());
			return;
		}
		Map<Part, RuntimeException> ids = new LinkedHashMap<>();
		for (Map.Entry<String, List<OutboxRow>> some : byId.entrySet()) {
			for (ShardRefusal again : enqueue(queue, some.getValue())) {
				if (isToBeSentFirst(refused.shard(), again.problem())) {
					return;
				}
				if (WaitingRows.isSilence(again.problem())) {
					this.failed.put(Part.of(refused.shard()), again.problem());
					return;
				}
				ids.put(Part.of(queue, some.getKey()), again.problem());
			}
		}
		if (ids.size() == byId.size()) {
			this.failed.put(Part.of(refused.shard()), refused.problem());
		}
		else {
			this.failed.putAll(ids);
		}
	}

	/** Whether the rows stay in the table, and come first in a later step. */
	private boolean isToBeSentFirst(Shard shard, RuntimeException problem) {
		if (problem instanceof LateCallException late) {
			this.later = Math.max(this.later, late.last());
			return this.ahead.add(shard);
		}
		boolean hasForgotten = this.call.keeps() && SentPass.hasForgotten(problem);
		if (hasForgotten) {
			this.forgetful.put(shard, problem);
		}
		return hasForgotten;
	}

	private static boolean isRefusal(RuntimeException problem) {
		return !(WaitingRows.isSilence(problem) || problem instanceof QueueClosedException
				|| problem instanceof NewerVersionException || problem instanceof StoreFullException
				|| problem instanceof StoreAccessException);
	}

	List<Long> sent() {
		return this.sent;
	}

	/** The rows that were to be sent, and were not. */
	List<OutboxRow> unsent() {
		return this.unsent;
	}

	/** The refused or unconfirmed parts, and why. */
	Map<Part, RuntimeException> failed() {
		return this.failed;
	}

	/** Whether rows stay because their shard has forgotten earlier ones. */
	boolean hasForgotten() {
		return !this.forgetful.isEmpty();
	}

	/** The number of a holder of the lock that shards know; 0 if that is no larger. */
	long later() {
		return this.later;
	}

	/** The shards that have forgotten earlier rows, and what they said. */
	Map<Shard, RuntimeException> forgetful() {
		return this.forgetful;
	}

	/** Whether the rows of all queues were to be sent. */
	boolean isComplete() {
		return this.isComplete;
	}

	/** The last queue whose rows were to be sent; empty if there was none. */
	String lastQueue() {
		return this.lastQueue;
	}

}
