package io.lowkiq.admin.store;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.Ids;
import io.lowkiq.StoreException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.admin.FollowUpQueue;
import io.lowkiq.admin.FollowUpQueues;
import io.lowkiq.admin.JobStatus.NamedJob;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.ShardActions.Step;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.inspection.RecentSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.StoredFollowUp;

/**
 * The follow-ups that have not reached their queues. They may wait in any shard, so all
 * shards are counted, and those in which something waits are read in steps. Thread-safe.
 */
final class WaitingFollowUps {

	private static final int STEP = 100;

	/** No more are counted of a shard. */
	private static final int MAX_COUNTED = 1_000;

	/** No more are read to say where a job waits. */
	static final int MAX_READ = 1_000;

	/** How old it may be where a job waits: browsers ask every two seconds. */
	private static final Duration MAX_AGE = Duration.ofSeconds(5);

	private final RedisStore store;

	private final RecentSnapshot<Waiting> recent;

	WaitingFollowUps(RedisStore store, InstantSource clock) {
		this.store = store;
		this.recent = new RecentSnapshot<>(this::waiting, clock, MAX_AGE);
	}

	static Predicate<StoredFollowUp> of(String queue, String id) {
		return to(queue).and((each) -> each.followUp().payload().id().equals(id));
	}

	static Predicate<StoredFollowUp> to(String queue) {
		return (each) -> each.followUp().queue().equals(queue);
	}

	/** A recorded queue. The refusal of another one says what waits for it. */
	QueueLayout layout(String queue) {
		return this.store.queues().find(Ids.checkQueue(queue)).orElseThrow(() -> unknown(queue));
	}

	UnknownQueueException unknown(String queue) {
		int waiting = find(to(queue), MAX_COUNTED).size();
		return new UnknownQueueException("No queue '%s' is recorded in the store%s"
			.formatted(queue, (waiting == 0) ? "" : String.format(Locale.ROOT,
					", but %s%,d payloads that follow other jobs wait for it: drop or redirect them, or start an application that serves or declares it",
					(waiting == MAX_COUNTED) ? "at least " : "", waiting)));
	}

	/** The queues for which something waits. */
	FollowUpQueues queues() {
		Map<String, List<Origin>> waiting = new TreeMap<>();
		boolean complete = true;
		for (Shard shard : shards()) {
			Iterator<StoredFollowUp> all = all(shard).iterator();
			for (int counted = 0; counted < MAX_COUNTED && all.hasNext(); counted++) {
				StoredFollowUp next = all.next();
				waiting.computeIfAbsent(next.followUp().queue(), (queue) -> new ArrayList<>()).add(next.origin());
			}
			complete &= !all.hasNext();
		}
		Set<String> recorded = this.store.queues().all().stream().map(QueueLayout::name).collect(Collectors.toSet());
		return new FollowUpQueues(waiting.entrySet()
			.stream()
			.map((each) -> new FollowUpQueue(each.getKey(), recorded.contains(each.getKey()), each.getValue().size(),
					each.getValue().stream().map((origin) -> origin.shard().queue()).distinct().sorted().toList()))
			.sorted(Comparator.comparing(FollowUpQueue::recorded))
			.toList(), complete);
	}

	/** Finds at most a number of follow-ups. */
	List<StoredFollowUp> find(Predicate<StoredFollowUp> wanted, int limit) {
		return shards().stream().flatMap(this::all).filter(wanted).limit(limit).toList();
	}

	/** The queues for which follow-ups of some ids wait. */
	Set<String> queuesOf(Predicate<String> ids) {
		return shards().stream()
			.flatMap(this::all)
			.map(StoredFollowUp::followUp)
			.filter((each) -> ids.test(each.payload().id()))
			.map(FollowUp::queue)
			.collect(Collectors.toSet());
	}

	/** The jobs that waited in other shards a few seconds ago. All who ask share it. */
	Waiting recent() {
		return this.recent.get();
	}

	private Waiting waiting() {
		Map<NamedJob, Shard> shards = new HashMap<>();
		List<StoredFollowUp> some = find((each) -> true, MAX_READ + 1);
		some.stream()
			.limit(MAX_READ)
			.forEach((each) -> shards.putIfAbsent(new NamedJob(each.followUp().queue(), each.followUp().payload().id()),
					each.origin().shard()));
		return new Waiting(shards, some.size() <= MAX_READ);
	}

	/** Drops unwanted follow-ups, and returns how many. */
	long drop(Predicate<StoredFollowUp> unwanted, NewerShards newer) {
		AtomicLong dropped = new AtomicLong();
		for (Shard shard : shards()) {
			newer.run(() -> pages(shard)
				.forEach((page) -> dropped.addAndGet(drop(shard, page.stream().filter(unwanted).toList()))));
		}
		return dropped.get();
	}

	/**
	 * Enqueues the follow-ups for a queue into another one, in their order, then drops
	 * them, and returns how many. They have an origin of their own, since others with
	 * larger numbers may have come from their shard: a call that is repeated enqueues
	 * none twice.
	 */
	long redirect(String queue, QueueLayout to, NewerShards newer) {
		AtomicLong redirected = new AtomicLong();
		for (Shard shard : shards()) {
			Map<Shard, Origin> sent = new HashMap<>();
			newer.run(() -> redirect(shard, queue, to, redirected, sent));
			// Also if a target has refused the next ones
			sent.forEach(
					(target, last) -> newer.run(() -> result(this.store.shards().forgetOrigin(target, last, false))));
		}
		return redirected.get();
	}

	private void redirect(Shard shard, String queue, QueueLayout to, AtomicLong redirected, Map<Shard, Origin> sent) {
		// Refused by a shard of a newer version, before anything is enqueued
		this.store.actions().dropFollowUps(shard, List.of());
		// No queue has such a name
		Shard source = new Shard(shard.queue() + ">" + queue, shard.generation(), shard.index());
		Map<Shard, Remembered> remembered = new HashMap<>();
		long after = 0;
		List<StoredFollowUp> page = read(shard, after);
		while (!page.isEmpty()) {
			boolean again = false;
			for (Map.Entry<Shard, List<StoredFollowUp>> some : byShard(page, queue, to).entrySet()) {
				Shard target = some.getKey();
				List<NewPayload> payloads = some.getValue()
					.stream()
					.map((each) -> each.followUp().payload().from(origin(source, each)))
					.toList();
				Remembered known = remembered.getOrDefault(target, Remembered.NOTHING);
				EnqueueResult result = result(this.store.shards().enqueueFollowUps(target, payloads, known));
				if (result.remembered() != null) {
					// Only what is read from now on is certain to leave none out
					remembered.put(target, result.remembered());
					again = true;
				}
				else {
					Origin last = origin(source, some.getValue().get(some.getValue().size() - 1));
					remembered.put(target, known.after(last));
					Step dropped = this.store.actions().dropEnqueued(shard, origins(some.getValue()), source, target);
					if (!dropped.more()) {
						// What stays would be enqueued twice
						sent.put(target, last);
					}
					redirected.addAndGet(dropped.changed());
					again |= dropped.more();
				}
			}
			after = again ? after : last(page);
			page = read(shard, after);
		}
	}

	/**
	 * Lets others forget a closed shard's last follow-up, which they would keep for ever.
	 */
	void letOthersForget(Shard closed) {
		ShardStore shards = this.store.shards();
		Lease any = new Lease(closed, "", 0);
		Origin last = new Origin(closed, Long.MAX_VALUE, 0);
		List<Shard> others = result(shards.followUpTargets(any, List.of()));
		while (!others.isEmpty()) {
			List<CompletableFuture<Boolean>> calls = others.stream()
				.map((other) -> shards.forgetOrigin(other, last, true))
				.toList();
			calls.forEach(WaitingFollowUps::result);
			others = result(shards.followUpTargets(any, others));
		}
	}

	private static Origin origin(Shard source, StoredFollowUp followUp) {
		return new Origin(source, followUp.origin().epoch(), followUp.number());
	}

	private static Map<Shard, List<StoredFollowUp>> byShard(List<StoredFollowUp> page, String queue, QueueLayout to) {
		Map<Shard, List<StoredFollowUp>> all = new LinkedHashMap<>();
		page.stream()
			.filter(to(queue))
			.forEach((each) -> all
				.computeIfAbsent(to.shardOf(each.followUp().payload().id()), (target) -> new ArrayList<>())
				.add(each));
		return all;
	}

	/** The shards in which something waits. */
	private List<Shard> shards() {
		List<Shard> all = this.store.queues().all().stream().flatMap((queue) -> queue.allShards().stream()).toList();
		return this.store.inspection()
			.counts(all)
			.stream()
			.filter((counts) -> counts.followUps() > 0)
			.map(ShardCounts::shard)
			.toList();
	}

	/** All that waits in a shard, read page by page as it is asked for. */
	private Stream<StoredFollowUp> all(Shard shard) {
		return pages(shard).flatMap(List::stream);
	}

	private Stream<List<StoredFollowUp>> pages(Shard shard) {
		return Stream.iterate(read(shard, 0), (page) -> !page.isEmpty(), (page) -> read(shard, last(page)));
	}

	private List<StoredFollowUp> read(Shard shard, long after) {
		return this.store.inspection().followUps(shard, after, STEP);
	}

	private static long last(List<StoredFollowUp> page) {
		return page.get(page.size() - 1).number();
	}

	private int drop(Shard shard, List<StoredFollowUp> some) {
		return some.isEmpty() ? 0 : this.store.actions().dropFollowUps(shard, origins(some));
	}

	private static List<Origin> origins(List<StoredFollowUp> some) {
		return some.stream().map(StoredFollowUp::origin).toList();
	}

	private static <T> T result(CompletableFuture<T> answer) {
		try {
			return answer.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof StoreException cause) ? cause : ex;
		}
	}

	/** Where jobs wait, and whether all shards were read. */
	record Waiting(Map<NamedJob, Shard> shards, boolean complete) {
	}

}
