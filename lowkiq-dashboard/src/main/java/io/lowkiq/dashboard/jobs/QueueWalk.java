package io.lowkiq.dashboard.jobs;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.function.BiFunction;
import java.util.function.ToLongFunction;

import io.lowkiq.InvalidJobException;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Makes one page of the jobs of a queue, whose shards each know only their own. Used by
 * one thread.
 */
public final class QueueWalk {

	/** How many shards are merged. */
	static final int MAX_MERGED = 64;

	/**
	 * The token has a place for each merged shard, with the id of a job, and must fit
	 * into a URL.
	 */
	private static final int MAX_TOKEN_BYTES = 4_000;

	private static final int PLACE_BYTES = 24;

	/** The due jobs of a shard are merged from three lists, with a token in a token. */
	private static final int DUE_PLACES = 5;

	/** After so many calls of the store the page ends, full or not. */
	private static final int MAX_CALLS = 300;

	private final BiFunction<Shard, JobQuery, JobPage> lists;

	private final QueueLayout queue;

	private final JobQuery query;

	private final int end;

	private final boolean ordered;

	private final Comparator<JobView> order;

	private final List<JobView> jobs = new ArrayList<>();

	private int calls;

	private QueueWalk(BiFunction<Shard, JobQuery, JobPage> lists, QueueLayout queue, JobQuery query, int end) {
		this.lists = lists;
		this.queue = queue;
		this.query = query;
		this.end = end;
		this.ordered = query.list() != JobList.QUEUED && query.list() != JobList.BUSY;
		this.order = order(query);
	}

	/**
	 * Lists the jobs of a queue. Lists with an order are merged, of up to
	 * {@value #MAX_MERGED} shards at a time; the others come shard by shard. As in the
	 * store, a page may be short, even empty, though more follow.
	 * @param only the index of the one shard to look at; null for all
	 */
	public static JobPage list(BiFunction<Shard, JobQuery, JobPage> lists, QueueLayout queue, JobQuery query,
			@Nullable Integer only) {
		int end = (only != null) ? only + 1 : queue.shards();
		return new QueueWalk(lists, queue, query, end).page((only != null) ? only : 0);
	}

	private static Comparator<JobView> order(JobQuery query) {
		ToLongFunction<JobView> key = (query.list() == JobList.RETRIES) ? JobView::retryCount : JobView::performAt;
		Comparator<JobView> byKey = Comparator.comparingLong(key);
		return (query.descending() ? byKey.reversed() : byKey).thenComparing(JobView::shard);
	}

	/** The page. */
	private JobPage page(int first) {
		String after = this.query.after();
		Group group = (after != null) ? resume(PageToken.decode(after), first) : begin(first);
		boolean room = true;
		while (room && this.jobs.size() < this.query.limit() && this.calls < MAX_CALLS) {
			if (group.isThrough()) {
				int next = group.first() + group.shards().size();
				if (next >= this.end) {
					return new JobPage(List.copyOf(this.jobs), null);
				}
				group = group(next, Math.min(group.shards().size(), this.end - next));
			}
			room = this.ordered ? merge(group.shards()) : append(group.shards().get(0));
		}
		boolean last = group.isThrough() && group.first() + group.shards().size() >= this.end;
		return new JobPage(List.copyOf(this.jobs), last ? null : group.token().encode());
	}

	private Group begin(int first) {
		Group group = group(first, this.ordered ? Math.min(this.end - first, MAX_MERGED) : 1);
		if (group.shards().size() == 1) {
			return group;
		}
		int longest = group.shards()
			.stream()
			.flatMap((shard) -> shard.ahead(this.query.limit()).stream())
			.mapToInt((job) -> job.id().getBytes(StandardCharsets.UTF_8).length)
			.max()
			.orElse(0);
		int place = (longest + PLACE_BYTES) * ((this.query.list() == JobList.DUE) ? DUE_PLACES : 1);
		int fitting = Math.max(1, MAX_TOKEN_BYTES / place);
		return new Group(first, group.shards().subList(0, Math.min(group.shards().size(), fitting)));
	}

	private Group resume(PageToken token, int first) {
		if (token.first() < first || token.first() + token.places().size() > this.end) {
			throw new InvalidJobException("Invalid page token for these shards");
		}
		Group group = group(token.first(), token.places().size());
		for (int i = 0; i < token.places().size(); i++) {
			group.shards().get(i).resume(token.places().get(i));
		}
		return group;
	}

	private Group group(int first, int size) {
		List<ShardWalk> shards = new ArrayList<>();
		for (int i = 0; i < size; i++) {
			shards.add(new ShardWalk(this::list, this.queue.shard(first + i)));
		}
		return new Group(first, shards);
	}

	private JobPage list(ShardWalk shard, int limit, int payloads) {
		this.calls++;
		return this.lists.apply(shard.shard(), new JobQuery(this.query.list(), this.query.descending(),
				this.query.prefix(), shard.place().after(), limit, payloads));
	}

	/**
	 * Adds the next page of a shard whose list has no order, if there is room for all of
	 * it: the token of such a page is good for pages of the same size only.
	 */
	private boolean append(ShardWalk shard) {
		List<JobView> page = shard.takePage(this.query.limit(), this.query.limit() - this.jobs.size(),
				this.query.payloads());
		if (page != null) {
			this.jobs.addAll(page);
		}
		return page != null;
	}

	/**
	 * Adds the jobs that are certain to come next; possibly none, while a shard searches
	 * for the next id with the prefix.
	 */
	private boolean merge(List<ShardWalk> shards) {
		int limit = this.query.limit() - this.jobs.size();
		List<Source> ahead = new ArrayList<>();
		for (ShardWalk shard : shards) {
			List<JobView> some = shard.ahead(limit);
			if (!some.isEmpty()) {
				ahead.add(new Source(shard, new ArrayDeque<>(some)));
			}
			else if (!shard.place().ended()) {
				return true;
			}
		}
		merge(ahead, limit, false);
		List<Source> taken = new ArrayList<>();
		for (Source source : ahead) {
			int count = source.shard().aheadSize() - source.jobs().size();
			if (count > 0) {
				taken.add(new Source(source.shard(),
						new ArrayDeque<>(source.shard().take(count, this.query.payloads()))));
			}
		}
		this.jobs.addAll(merge(taken, limit, true));
		return true;
	}

	/**
	 * Takes the jobs out of the sources in their order. Each source keeps its own order,
	 * even if it is not quite that of the times.
	 */
	private List<JobView> merge(List<Source> sources, int limit, boolean complete) {
		PriorityQueue<Source> next = new PriorityQueue<>(Comparator.comparing(Source::first, this.order));
		sources.stream().filter((source) -> !source.jobs().isEmpty()).forEach(next::add);
		List<JobView> merged = new ArrayList<>();
		while (merged.size() < limit && !next.isEmpty()) {
			Source source = next.remove();
			merged.add(source.jobs().remove());
			if (!source.jobs().isEmpty()) {
				next.add(source);
			}
			else if (!complete && source.shard().hasMoreThanAhead()) {
				break;
			}
		}
		return merged;
	}

	private record Source(ShardWalk shard, Deque<JobView> jobs) {

		JobView first() {
			return Objects.requireNonNull(this.jobs.peek());
		}

	}

	/** Shards that are merged, from the index of the first one on. */
	private record Group(int first, List<ShardWalk> shards) {

		boolean isThrough() {
			return this.shards.stream().allMatch((shard) -> shard.place().ended());
		}

		PageToken token() {
			return new PageToken(this.first, this.shards.stream().map(ShardWalk::place).toList());
		}

	}

	/** Reads the jobs of a shard that follow its place. */
	interface Lister {

		JobPage list(ShardWalk shard, int limit, int payloads);

	}

}
