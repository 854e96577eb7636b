package io.lowkiq.admin;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Origin;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.StoredFollowUp;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.ShardCounts;

/**
 * The follow-ups that have not reached their queues. They may wait in any shard, so all
 * shards are counted, and those in which something waits are read in steps. Thread-safe.
 */
final class WaitingFollowUps {

	private static final int STEP = 100;

	/** No more are counted of a shard. */
	private static final int MAX_COUNTED = 1_000;

	private final InspectableStore store;

	WaitingFollowUps(InspectableStore store) {
		this.store = store;
	}

	static Predicate<StoredFollowUp> of(String queue, String id) {
		return to(queue).and((each) -> each.followUp().payload().id().equals(id));
	}

	static Predicate<StoredFollowUp> to(String queue) {
		return (each) -> each.followUp().queue().equals(queue);
	}

	/** The queues for which something waits. */
	List<FollowUpQueue> queues() {
		Map<String, List<Origin>> waiting = new TreeMap<>();
		boolean complete = true;
		for (Shard shard : shards()) {
			int counted = 0;
			List<StoredFollowUp> page = read(shard, 0);
			while (!page.isEmpty() && counted < MAX_COUNTED) {
				page.forEach((each) -> waiting.computeIfAbsent(each.followUp().queue(), (queue) -> new ArrayList<>())
					.add(each.origin()));
				counted += page.size();
				page = read(shard, last(page));
			}
			complete &= page.isEmpty();
		}
		Set<String> recorded = this.store.queues().all().stream().map(QueueLayout::name).collect(Collectors.toSet());
		boolean isComplete = complete;
		return waiting.entrySet()
			.stream()
			.map((each) -> new FollowUpQueue(each.getKey(), recorded.contains(each.getKey()), each.getValue().size(),
					isComplete,
					each.getValue().stream().map((origin) -> origin.shard().queue()).distinct().sorted().toList()))
			.sorted(Comparator.comparing(FollowUpQueue::recorded))
			.toList();
	}

	/** Finds at most a number of follow-ups. */
	List<StoredFollowUp> find(Predicate<StoredFollowUp> wanted, int limit) {
		List<StoredFollowUp> found = new ArrayList<>();
		for (Shard shard : shards()) {
			long after = 0;
			List<StoredFollowUp> page = read(shard, after);
			while (!page.isEmpty() && found.size() < limit) {
				page.stream().filter(wanted).limit(limit - found.size()).forEach(found::add);
				after = last(page);
				page = read(shard, after);
			}
		}
		return found;
	}

	/** Drops follow-ups, and returns how many were dropped. */
	long drop(Predicate<StoredFollowUp> unwanted) {
		long dropped = 0;
		for (Shard shard : shards()) {
			List<StoredFollowUp> page = read(shard, 0);
			while (!page.isEmpty()) {
				dropped += drop(shard, page.stream().filter(unwanted).toList());
				page = read(shard, last(page));
			}
		}
		return dropped;
	}

	/**
	 * Enqueues the follow-ups for a queue into another one, in their order, then drops
	 * them. They have an origin of their own, since others with larger numbers may have
	 * come from their shard: a call that is repeated enqueues none twice.
	 */
	long redirect(String queue, QueueLayout to) {
		long redirected = 0;
		for (Shard shard : shards()) {
			redirected += redirect(shard, queue, to);
		}
		return redirected;
	}

	private long redirect(Shard shard, String queue, QueueLayout to) {
		// No queue has such a name
		Shard source = new Shard(shard.queue() + ">" + queue, shard.generation(), shard.index());
		Map<Shard, Long> forgotten = new HashMap<>();
		Map<Shard, Origin> sent = new HashMap<>();
		long redirected = 0;
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
				EnqueueResult result = result(
						this.store.shards().enqueueFollowUps(target, payloads, forgotten.getOrDefault(target, 0L)));
				if (result.forgotten() != null) {
					// Only what is read from now on is certain not to be forgotten
					forgotten.put(target, result.forgotten());
					again = true;
				}
				else {
					sent.put(target, origin(source, some.getValue().get(some.getValue().size() - 1)));
					redirected += drop(shard, some.getValue());
				}
			}
			after = again ? after : last(page);
			page = read(shard, after);
		}
		sent.forEach((target, last) -> result(this.store.shards().forgetOrigin(target, last, false)));
		return redirected;
	}

	/**
	 * Lets other shards forget the last follow-up that has come from a closed shard. They
	 * would keep it for ever.
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

	private List<StoredFollowUp> read(Shard shard, long after) {
		return this.store.inspection().followUps(shard, after, STEP);
	}

	private static long last(List<StoredFollowUp> page) {
		return page.get(page.size() - 1).number();
	}

	private int drop(Shard shard, List<StoredFollowUp> some) {
		return some.isEmpty() ? 0
				: this.store.actions().dropFollowUps(shard, some.stream().map(StoredFollowUp::origin).toList());
	}

	private static <T> T result(CompletableFuture<T> answer) {
		try {
			return answer.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof StoreException cause) ? cause : ex;
		}
	}

}
