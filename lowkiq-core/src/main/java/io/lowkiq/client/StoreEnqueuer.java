package io.lowkiq.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.lowkiq.Ids;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.NotEnqueued;
import io.lowkiq.PartlyEnqueuedException;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.StoreException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.store.BatchResult;
import io.lowkiq.store.OutboxCall;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardRefusal;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;

/** Enqueues into the shards of a store at once. */
public final class StoreEnqueuer implements Enqueuer {

	/** The name given to observers for queues that don't exist. */
	static final String UNKNOWN = "(unknown)";

	private final KnownQueues queues;

	private final ShardStore store;

	private final LowkiqObserver observer;

	/** Written by the server, read by all. */
	private volatile Map<String, String> foreign = Map.of();

	private final AsyncEnqueuer async = new AsyncEnqueuer(this::enqueue);

	public StoreEnqueuer(WorkerRegistry workers, Collection<QueueDeclaration> declarations, ShardStore store,
			QueueRegistry queues, LowkiqObserver observer) {
		this(workers, declarations, store, queues, observer, System::nanoTime);
	}

	/** An enqueuer with a clock of its own. */
	public StoreEnqueuer(WorkerRegistry workers, Collection<QueueDeclaration> declarations, ShardStore store,
			QueueRegistry queues, LowkiqObserver observer, LongSupplier nanoTime) {
		this.queues = new KnownQueues(workers, declarations, queues, nanoTime);
		this.store = store;
		this.observer = LowkiqObserver.guarded(List.of(observer));
	}

	/** Refuses what workers enqueue whose queues belong to another application. */
	public void foreignQueues(Map<String, String> foreign) {
		this.foreign = Map.copyOf(foreign);
	}

	/** Checks that a queue doesn't belong to another application. */
	void checkOwn(String queue) {
		String problem = this.foreign.get(queue);
		if (problem != null) {
			throw new InvalidQueueException(problem);
		}
	}

	/**
	 * Checks a queue.
	 * @throws io.lowkiq.LowkiqException if it is not known, if a worker declares another
	 * number of shards than is recorded, or if that can't be found out
	 */
	public void check(String queue) {
		this.queues.layout(queue);
	}

	/**
	 * Checks a target of follow-ups.
	 * @throws io.lowkiq.LowkiqException if no queue can have that name, or if this
	 * application declares the queue, or has its worker, and it can't be recorded
	 */
	void checkTarget(String queue) {
		Ids.checkQueue(queue);
		this.queues.record(queue);
	}

	/**
	 * The shard of an id.
	 * @throws io.lowkiq.LowkiqException as {@link #check} does
	 */
	public Shard shardOf(String queue, String id) {
		return this.queues.layout(queue).shardOf(id);
	}

	/**
	 * @throws io.lowkiq.PartlyEnqueuedException if some are enqueued and others are not
	 */
	@Override
	public void enqueue(String queue, List<NewPayload> payloads) {
		List<ShardRefusal> notEnqueued = enqueueByShard(queue, payloads);
		if (!notEnqueued.isEmpty()) {
			if (notIn(notEnqueued) == payloads.size()) {
				throw notEnqueued.get(0).problem();
			}
			throw new PartlyEnqueuedException(queue, payloads.size(),
					notEnqueued.stream()
						.map((some) -> new NotEnqueued(some.shard().index(), some.positions(), some.problem()))
						.toList());
		}
	}

	/**
	 * Returns what the shards have not confirmed instead of throwing it.
	 * @throws io.lowkiq.LowkiqException if nothing is enqueued because the queue is not
	 * known, can't be looked up, or has another number of shards than is declared
	 */
	public List<ShardRefusal> enqueueByShard(String queue, List<NewPayload> payloads) {
		return enqueueByShard(queue, payloads, this.store::enqueueAll, true);
	}

	/** As {@link #enqueueByShard(String, List)} does, for an outbox. */
	public List<ShardRefusal> enqueueFenced(String queue, List<NewPayload> payloads, OutboxCall outbox) {
		return enqueueByShard(queue, payloads, (calls) -> this.store.enqueueFenced(calls, outbox), !outbox.keeps());
	}

	/** Asks shards whether they still have all calls of an outbox. */
	public Map<Shard, StoreException> ask(List<Shard> shards, OutboxCall outbox) {
		Map<Shard, StoreException> problems = new LinkedHashMap<>();
		this.store.enqueueFenced(shards.stream().map((shard) -> new ShardPayloads(shard, List.of())).toList(), outbox)
			.problems()
			.forEach((number, problem) -> problems.put(shards.get(number), problem));
		return problems;
	}

	private List<ShardRefusal> enqueueByShard(String queue, List<NewPayload> payloads,
			Function<List<ShardPayloads>, BatchResult> call, boolean again) {
		long begin = System.nanoTime();
		BatchEnd end;
		try {
			end = enqueue(this.queues.layout(queue), payloads, call, again);
		}
		catch (RuntimeException ex) {
			failed(queue, payloads.size(), begin);
			throw ex;
		}
		int notIn = notIn(end.notEnqueued());
		if (notIn < payloads.size()) {
			this.observer.enqueued(queue, payloads.size() - notIn, end.merged(), since(begin));
		}
		if (notIn > 0) {
			failed(queue, notIn, begin);
		}
		return end.notEnqueued();
	}

	private static int notIn(List<ShardRefusal> notEnqueued) {
		return notEnqueued.stream().mapToInt((some) -> some.positions().size()).sum();
	}

	@Override
	public CompletableFuture<Void> enqueueAsync(String queue, List<NewPayload> payloads) {
		return this.async.enqueue(queue, payloads);
	}

	/**
	 * Waits until the store has confirmed, or refused, what was enqueued without waiting.
	 */
	public boolean flush(Duration timeout) {
		return this.async.flush(timeout);
	}

	/**
	 * Once more if a queue was removed, or forgotten: it may be recorded again by now.
	 */
	private BatchEnd enqueue(QueueLayout layout, List<NewPayload> payloads,
			Function<List<ShardPayloads>, BatchResult> call, boolean again) {
		BatchEnd end = enqueueOnce(layout, payloads, call);
		List<ShardRefusal> closed = end.notEnqueued()
			.stream()
			.filter((some) -> some.problem() instanceof QueueClosedException)
			.toList();
		if (closed.isEmpty()) {
			return end;
		}
		QueueLayout present = this.queues.lookUp(layout.name());
		List<ShardRefusal> unknown = closed.stream().filter(StoreEnqueuer::isUnknown).toList();
		if (!unknown.isEmpty() && !again) {
			return end;
		}
		if (!present.equals(layout)) {
			return enqueueOnce(present, payloads, call);
		}
		List<Integer> positions = unknown.stream().flatMap((some) -> some.positions().stream()).toList();
		if (positions.isEmpty()) {
			return end;
		}
		BatchEnd second = enqueueOnce(present, positions.stream().map(payloads::get).toList(), call);
		List<ShardRefusal> left = new ArrayList<>(end.notEnqueued());
		left.removeAll(unknown);
		second.notEnqueued()
			.forEach((some) -> left.add(new ShardRefusal(some.shard(),
					some.positions().stream().map(positions::get).toList(), some.problem())));
		return new BatchEnd(end.merged() + second.merged(), left);
	}

	private static boolean isUnknown(ShardRefusal some) {
		return some.problem() instanceof QueueClosedException closed && closed.isUnknown();
	}

	private static BatchEnd enqueueOnce(QueueLayout layout, List<NewPayload> payloads,
			Function<List<ShardPayloads>, BatchResult> call) {
		EnqueuePlan plan = new EnqueuePlan(layout, payloads);
		BatchResult result = call.apply(plan.calls());
		return new BatchEnd(result.merged(), plan.notEnqueued(result.problems()));
	}

	/**
	 * Notifies of jobs that did not get as far as this, since {@link System#nanoTime()}.
	 */
	void failed(String queue, int jobs, long begin) {
		String known = this.queues.isKnown(queue) ? queue : UNKNOWN;
		this.observer.enqueueFailed(known, jobs, since(begin));
	}

	private static Duration since(long begin) {
		return Duration.ofNanos(System.nanoTime() - begin);
	}

	private record BatchEnd(int merged, List<ShardRefusal> notEnqueued) {
	}

}
