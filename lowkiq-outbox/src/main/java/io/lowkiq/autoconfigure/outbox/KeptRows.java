package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.springframework.transaction.TransactionStatus;

import io.lowkiq.LowkiqException;
import io.lowkiq.autoconfigure.outbox.SentTable.KeptShard;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.NotEnqueued;
import io.lowkiq.store.OutboxCall;
import io.lowkiq.store.OutboxCall.Stamp;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;

/**
 * Keeps rows that were sent, and sends them again if Redis forgets them. Used by the
 * thread that flushes, under the lock.
 */
class KeptRows {

	/** After that, rows get a time after they were sent. */
	private static final long SLOW = Duration.ofMillis(500).toNanos();

	private final SentTable table;

	private final OutboxLock lock;

	private final StoreEnqueuer store;

	private final LongSupplier nanoTime;

	/** The last calls. Nothing else sends while the lock is taken in turn. */
	private final Map<Shard, Stamp> last = new HashMap<>();

	/** By queue: the generation into which it may send. */
	private final Map<String, Integer> checked = new HashMap<>();

	private final SentPass pass;

	private OutboxCall call = new OutboxCall("", Stamp.NONE);

	/** The number of the next holder of the lock, if that is this process again. */
	private long nextTaken = -1;

	/**
	 * Keeps rows.
	 * @param nanoTime a monotonic clock
	 */
	KeptRows(OutboxTable table, SentPass pass, StoreEnqueuer store, LongSupplier nanoTime) {
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

	/** Begins a transaction that has taken the lock. */
	OutboxCall begin(String stream, Stamp stamp, boolean hasKept) {
		this.pass.look(hasKept);
		if (stamp.number() != this.nextTaken || !stream.equals(this.call.outbox())) {
			clear();
		}
		this.nextTaken = -1;
		this.pass.begin();
		this.call = isKeeping() ? new OutboxCall(stream, stamp, this.last, this::lastKept)
				: new OutboxCall(stream, stamp);
		return this.call;
	}

	void committed() {
		this.nextTaken = this.call.stamp().number() + 1;
		this.pass.committed();
	}

	/**
	 * Sends a batch, and keeps what was sent. Nothing is sent that can't be kept, or
	 * deleted where it is.
	 */
	OutboxSending send(TransactionStatus status, OutboxBatch batch, String from,
			BiFunction<String, String, Shard> shardOf, Consumer<List<Long>> delete) {
		OutboxSending sending = new OutboxSending(new OutboxTarget(this::enqueue, shardOf), this.lock, this.call);
		if (batch.byQueue().isEmpty()) {
			return sending;
		}
		Map<Long, Shard> planned = shards(batch.rows(), shardOf);
		lookUp(new HashSet<>(planned.values()));
		Object savepoint = status.createSavepoint();
		this.table.keep(from, planned, this.call.stamp());
		delete.accept(batch.rows().stream().map(OutboxRow::sequence).toList());
		long begin = this.nanoTime.getAsLong();
		sending.send(batch);
		Set<Long> sent = new HashSet<>(sending.sent());
		Map<Long, Shard> actual = shards(batch.rows().stream().filter((row) -> sent.contains(row.sequence())).toList(),
				shardOf);
		boolean isSlow = this.nanoTime.getAsLong() - begin > SLOW;
		if (sent.size() < batch.size() || !actual.equals(planned) || isSlow) {
			status.rollbackToSavepoint(savepoint);
			this.table.keep(from, actual, this.call.stamp());
			// If nobody knows any more where a row was sent to, it is sent again
			delete.accept(List.copyOf(actual.keySet()));
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
	private List<NotEnqueued> enqueue(String queue, List<NewPayload> payloads, OutboxCall call) {
		int generation = this.store.shardOf(queue, payloads.get(0).id()).generation();
		if (!Objects.equals(this.checked.get(queue), generation)) {
			for (Map.Entry<Shard, StoreException> each : ask(this.table.ofOtherGenerations(queue, generation))
				.entrySet()) {
				if (SentPass.hasForgotten(each.getValue())) {
					return List.of(new NotEnqueued(each.getKey(), IntStream.range(0, payloads.size()).boxed().toList(),
							each.getValue()));
				}
				if (WaitingRows.isSilence(each.getValue())) {
					throw each.getValue();
				}
			}
			this.checked.put(queue, generation);
		}
		return this.store.enqueueFenced(queue, payloads, call);
	}

	private Map<Shard, StoreException> ask(Collection<Shard> shards) {
		if (shards.isEmpty()) {
			return Map.of();
		}
		lookUp(new HashSet<>(shards));
		return this.store.ask(List.copyOf(shards), this.call);
	}

	/** Without the rows of queues that can't be looked up, and are probably refused. */
	private static Map<Long, Shard> shards(List<OutboxRow> rows, BiFunction<String, String, Shard> shardOf) {
		Map<Long, Shard> shards = new HashMap<>();
		Set<String> unknown = new HashSet<>();
		for (OutboxRow row : rows) {
			try {
				if (!unknown.contains(row.queue())) {
					shards.put(row.sequence(), shardOf.apply(row.queue(), row.payload().id()));
				}
			}
			catch (LowkiqException ex) {
				unknown.add(row.queue());
			}
		}
		return shards;
	}

	/**
	 * Of a shard that was not planned: its queue could not be looked up before, or was
	 * removed and made again meanwhile.
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
			return this.store.ask(List.copyOf(last.keySet()),
					new OutboxCall(stream, Stamp.NONE, last, (shard) -> Stamp.NONE));
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
