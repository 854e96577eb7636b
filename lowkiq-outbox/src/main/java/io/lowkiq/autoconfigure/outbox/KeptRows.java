package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lowkiq.LowkiqException;
import io.lowkiq.StoreException;
import io.lowkiq.autoconfigure.outbox.OutboxLock.State;
import io.lowkiq.autoconfigure.outbox.SentTable.KeptShard;
import io.lowkiq.store.OutboxCall;
import io.lowkiq.store.OutboxCall.Stamp;
import io.lowkiq.store.ShardRefusal;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;

import org.springframework.transaction.TransactionStatus;

/**
 * Sends rows, keeps them if that is wanted, and sends them again if Redis forgets them.
 * Each shard remembers number and token of the last call of the outbox, in the step that
 * enqueues; each kept row has those of its call. A shard with a smaller number than the
 * largest one of its kept rows, or with another token, has forgotten calls, and refuses
 * all others. Then the rows of these return to the rows that wait, from which they are
 * sent in the order of their sequence, before anything newer of their id.
 * <p>
 * A {@linkplain SentPass pass} finds what was forgotten, and deletes what is old.
 * <p>
 * Used by the thread that flushes, under the lock.
 */
class KeptRows {

	/** After that, rows get a time after they were sent. */
	private static final long SLOW = Duration.ofMillis(500).toNanos();

	private final SentTable table;

	private final OutboxLock lock;

	private final OutboxTarget store;

	private final LongSupplier nanoTime;

	/** The last calls. Nothing else sends while the lock is taken in turn. */
	private final Map<Shard, Stamp> last = new HashMap<>();

	/** By queue: the generation into which it may send. As long as the last calls. */
	private final Map<String, Integer> checked = new HashMap<>();

	private final SentPass pass;

	private OutboxCall call = new OutboxCall("", Stamp.NONE);

	/** The number of the next holder of the lock, if that is this process again. */
	private long nextTaken = -1;

	KeptRows(OutboxTable table, SentPass pass, OutboxTarget store, LongSupplier nanoTime) {
		this.table = table.sent();
		this.lock = table.lock();
		this.pass = pass;
		this.store = store;
		this.nanoTime = nanoTime;
	}

	/** Whether what is sent is kept, for this application or for others. */
	boolean isKeeping() {
		return this.pass.isActive();
	}

	SentPass pass() {
		return this.pass;
	}

	/** The shard of an id, in a queue. */
	BiFunction<String, String, Shard> shardOf() {
		return this.store.shardOf();
	}

	/** Begins a transaction that has taken the lock. */
	void begin(State state) {
		String stream = (state.stream() != null) ? state.stream() : this.lock.name();
		Stamp stamp = new Stamp(state.taken(), UUID.randomUUID().getMostSignificantBits() >>> 11);
		this.pass.look(state.hasKept());
		if (stamp.number() != this.nextTaken || !stream.equals(this.call.outbox())) {
			clear();
		}
		this.nextTaken = -1;
		this.pass.begin();
		this.call = isKeeping() ? new OutboxCall(stream, stamp, this.last, this::lastKept)
				: new OutboxCall(stream, stamp);
	}

	/** The transaction was committed. */
	void committed() {
		this.nextTaken = this.call.stamp().number() + 1;
		this.pass.committed();
	}

	/** Nothing is sent that can't be kept, or deleted where it is. */
	OutboxSending send(TransactionStatus status, OutboxBatch batch, String from, Consumer<List<Long>> delete) {
		OutboxSending sending = new OutboxSending(new OutboxTarget(this::enqueue, this.store.ask(), shardOf()),
				this.lock, this.call);
		if (batch.byQueue().isEmpty()) {
			return sending;
		}
		Map<Long, Shard> planned = shards(batch.rows());
		lookUp(new HashSet<>(planned.values()));
		Object savepoint = status.createSavepoint();
		this.table.keep(from, planned, this.call.stamp());
		delete.accept(OutboxBatch.sequences(batch.rows()));
		long begin = this.nanoTime.getAsLong();
		sending.send(batch);
		Set<Long> sent = new HashSet<>(sending.sent());
		Map<Long, Shard> actual = shards(batch.rows().stream().filter((row) -> sent.contains(row.sequence())).toList());
		boolean isSlow = isKeeping() && this.nanoTime.getAsLong() - begin > SLOW;
		if (sent.size() < batch.size() || !actual.equals(planned) || isSlow) {
			status.rollbackToSavepoint(savepoint);
			this.table.keep(from, actual, this.call.stamp());
			// If nobody knows any more where a row was sent to, it is sent again
			delete.accept(isKeeping() ? List.copyOf(actual.keySet()) : sending.sent());
		}
		if (sending.later() > 0) {
			this.lock.raise(sending.later());
		}
		if (sending.hasForgotten()) {
			clear();
		}
		this.pass.note(sending);
		return sending;
	}

	private void clear() {
		this.last.clear();
		this.checked.clear();
	}

	/**
	 * Enqueues, unless rows of another generation were forgotten with it: their ids have
	 * other shards now, which don't know that these rows go first.
	 */
	private List<ShardRefusal> enqueue(String queue, List<NewPayload> payloads, OutboxCall call) {
		int generation = call.keeps() ? shardOf().apply(queue, payloads.get(0).id()).generation() : 0;
		if (call.keeps() && !Objects.equals(this.checked.get(queue), generation)) {
			for (Map.Entry<Shard, StoreException> each : ask(this.table.ofOtherGenerations(queue, generation))
				.entrySet()) {
				if (SentPass.hasForgotten(each.getValue())) {
					return List.of(new ShardRefusal(each.getKey(), IntStream.range(0, payloads.size()).boxed().toList(),
							each.getValue()));
				}
				if (WaitingRows.isSilence(each.getValue())) {
					throw each.getValue();
				}
			}
			this.checked.put(queue, generation);
		}
		return this.store.enqueue().apply(queue, payloads, call);
	}

	private Map<Shard, StoreException> ask(Collection<Shard> shards) {
		if (shards.isEmpty()) {
			return Map.of();
		}
		lookUp(new HashSet<>(shards));
		return this.store.ask().apply(List.copyOf(shards), this.call);
	}

	/** Without the rows of queues that can't be looked up, and are probably refused. */
	private Map<Long, Shard> shards(List<OutboxRow> rows) {
		Map<Long, Shard> shards = new HashMap<>();
		Set<String> unknown = new HashSet<>();
		for (OutboxRow row : isKeeping() ? rows : List.<OutboxRow>of()) {
			try {
				if (!unknown.contains(row.queue())) {
					shards.put(row.sequence(), shardOf().apply(row.queue(), row.payload().id()));
				}
			}
			catch (LowkiqException ex) {
				unknown.add(row.queue());
			}
		}
		return shards;
	}

	/**
	 * Its queue could not be looked up before, or was removed and made again meanwhile.
	 */
	private Stamp lastKept(Shard shard) {
		return this.table.lastCalls(Set.of(shard)).getOrDefault(shard, Stamp.NONE);
	}

	/** Of all shards of a batch, which takes fewer statements. */
	private void lookUp(Set<Shard> shards) {
		shards.removeAll(this.last.keySet());
		if (!shards.isEmpty()) {
			Map<Shard, Stamp> found = this.table.lastCalls(shards);
			shards.forEach((shard) -> this.last.put(shard, found.getOrDefault(shard, Stamp.NONE)));
		}
	}

	/** Asks the next shards, from what the table said when the pass began. */
	void ask() {
		this.pass.step((stream, shards) -> {
			Map<Shard, Stamp> last = shards.stream().collect(Collectors.toMap(KeptShard::shard, KeptShard::last));
			return this.store.ask()
				.apply(List.copyOf(last.keySet()), new OutboxCall(stream, Stamp.NONE, last, (shard) -> Stamp.NONE));
		});
	}

	/** Returns rows that were forgotten to the outbox, under the lock. */
	void takeBack() {
		clear();
		this.pass.takeBack(this::ask);
		// Their rows may have returned
		clear();
	}

}
