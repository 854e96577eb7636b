package io.lowkiq.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.lowkiq.InvalidJobException;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.Order;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ShardInspection;
import org.jspecify.annotations.Nullable;

/**
 * Looks jobs up in a whole queue, whose shards each know their own jobs only. A page
 * costs at most two calls a shard. Thread-safe.
 */
final class QueueInspection {

	private final ShardInspection inspection;

	QueueInspection(ShardInspection inspection) {
		this.inspection = inspection;
	}

	/**
	 * Finds an id wherever it lies.
	 * @param queue the queue
	 * @param id the job's id
	 * @param payloads how many payloads to bring at the most
	 * @return the jobs of the id: queued, busy, dead
	 */
	List<JobView> find(QueueLayout queue, String id, int payloads) {
		Shard shard = queue.shardOf(id);
		return Arrays.stream(JobView.State.values())
			.flatMap((state) -> this.inspection.find(shard, state, id, payloads).stream())
			.toList();
	}

	/**
	 * Lists the jobs of a queue.
	 * @param queue the queue
	 * @param query which jobs; its token is that of a page of this method
	 * @param only the index of the one shard to look at; null for all
	 * @return a page; its token is good for this method only
	 */
	JobPage list(QueueLayout queue, JobQuery query, @Nullable Integer only) {
		PageToken token = (query.after() != null) ? PageToken.decode(query.after()) : null;
		Map<Shard, JobQuery> starts = starts(queue, query, only, token);
		Map<Shard, Integer> taken = countTaken(starts, query);
		List<JobView> jobs = new ArrayList<>();
		Map<Shard, JobPage> pages = new TreeMap<>();
		taken.forEach((shard, count) -> {
			JobPage page = this.inspection.list(shard,
					resized(starts.getOrDefault(shard, query), count, query.payloads()));
			pages.put(shard, page);
			jobs.addAll(page.jobs());
		});
		jobs.sort(order(query));
		if (jobs.size() < query.limit() || jobs.isEmpty()) {
			return new JobPage(List.copyOf(jobs), null);
		}
		JobView last = jobs.get(jobs.size() - 1);
		JobPage page = pages.get(last.shard());
		PageToken next = new PageToken(value(last, query.order()), last.shard().index(),
				(page != null) ? page.next() : null);
		return new JobPage(List.copyOf(jobs), next.encode());
	}

	/**
	 * Finds out how many jobs of each shard are on the page, without their payloads.
	 */
	private Map<Shard, Integer> countTaken(Map<Shard, JobQuery> starts, JobQuery query) {
		List<JobView> candidates = new ArrayList<>();
		starts.forEach((shard, start) -> candidates
			.addAll(this.inspection.list(shard, resized(start, query.limit(), 0)).jobs()));
		candidates.sort(order(query));
		Map<Shard, Integer> taken = new TreeMap<>();
		candidates.stream().limit(query.limit()).forEach((job) -> taken.merge(job.shard(), 1, Integer::sum));
		return taken;
	}

	private static Map<Shard, JobQuery> starts(QueueLayout queue, JobQuery query, @Nullable Integer only,
			@Nullable PageToken token) {
		Map<Shard, JobQuery> starts = new TreeMap<>();
		for (Shard shard : queue.allShards()) {
			if (only == null || shard.index() == only) {
				JobQuery start = start(query, shard.index(), token);
				if (start != null) {
					starts.put(shard, start);
				}
			}
		}
		return starts;
	}

	private static @Nullable JobQuery start(JobQuery query, int shard, @Nullable PageToken token) {
		if (token == null) {
			return query;
		}
		if (shard == token.shard()) {
			return (token.next() != null) ? query.after(token.next()) : null;
		}
		// An id lies in one shard only: the value itself can't come again
		if (query.order() == Order.ID || shard > token.shard()) {
			return query.from(token.value());
		}
		try {
			long value = Long.parseLong(token.value());
			return query.from(Long.toString(query.descending() ? value - 1 : value + 1));
		}
		catch (NumberFormatException ex) {
			throw new InvalidJobException("Not the token of a page of this order", ex);
		}
	}

	private static JobQuery resized(JobQuery query, int limit, int payloads) {
		return new JobQuery(query.state(), query.order(), query.descending(), query.from(), query.prefix(),
				query.after(), limit, payloads);
	}

	private static String value(JobView job, Order order) {
		return switch (order) {
			case ID -> job.id();
			case PERFORM_AT -> Long.toString(job.performAt());
			case RETRY_COUNT -> Integer.toString(job.retryCount());
		};
	}

	/**
	 * Sorting is stable, so jobs of a shard with equal values stay as the shard orders
	 * them.
	 */
	private static Comparator<JobView> order(JobQuery query) {
		Comparator<JobView> byValue = switch (query.order()) {
			case ID ->
				Comparator.comparing((job) -> job.id().getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);
			case PERFORM_AT -> Comparator.comparingLong(JobView::performAt);
			case RETRY_COUNT -> Comparator.comparingInt(JobView::retryCount);
		};
		return (query.descending() ? byValue.reversed() : byValue).thenComparing(JobView::shard);
	}

}
