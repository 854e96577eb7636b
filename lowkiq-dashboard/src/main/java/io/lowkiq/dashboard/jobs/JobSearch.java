package io.lowkiq.dashboard.jobs;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import io.lowkiq.Ids;
import io.lowkiq.InvalidJobException;
import io.lowkiq.admin.store.SelectionWalk;
import io.lowkiq.dashboard.cluster.ClusterReader;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Searches all queues: for ids, and for the text of errors. A request works for a limited
 * time; its token says where the next one goes on. Thread-safe.
 */
public final class JobSearch {

	private final RedisStore store;

	private final ClusterReader reader;

	private final PayloadText.Renderer renderer;

	private final JobViews views;

	private final InstantSource clock;

	/** Creates a search. */
	public JobSearch(RedisStore store, ClusterReader reader, PayloadText.Renderer renderer, InstantSource clock) {
		this.store = store;
		this.reader = reader;
		this.renderer = renderer;
		this.views = new JobViews(renderer, reader, clock);
		this.clock = clock;
	}

	/** Where to search. */
	public enum In {

		/** Ids that equal the text, or begin with it. */
		IDS,

		/** Errors that contain the text, in whatever case. */
		ERRORS;

		List<JobList> lists() {
			return (this == IDS) ? List.of(JobList.QUEUED, JobList.BUSY, JobList.DEAD)
					: List.of(JobList.DEAD, JobList.RETRIES);
		}

	}

	/**
	 * Searches for a limited time.
	 * @param after the token of the last answer; null to begin
	 * @param limit the maximum number of hits, besides jobs whose id is the text
	 * @throws InvalidJobException if the text can't be an id, or the token isn't one
	 */
	public JobDocuments.Search search(String text, In in, @Nullable String after, int limit) {
		if (in == In.IDS) {
			Ids.check(text);
		}
		Run run = new Run(text, in, limit, Deadline.in(Deadline.REQUEST, this.clock));
		Spot next = run.search((after != null) ? Spot.decode(after) : null);
		return new JobDocuments.Search(this.reader.recent().now(), run.hits, (next != null) ? next.encode() : null,
				run.searched);
	}

	private List<QueueLayout> queues() {
		return this.store.queues().all().stream().sorted(Comparator.comparing(QueueLayout::name)).toList();
	}

	/** One request. Used by one thread. */
	private final class Run {

		private final String text;

		private final In in;

		private final int limit;

		private final Deadline deadline;

		private final String lowerText;

		private final List<JobDocuments.Hit> hits = new ArrayList<>();

		private long searched;

		private boolean stepped;

		Run(String text, In in, int limit, Deadline deadline) {
			this.text = text;
			this.in = in;
			this.limit = limit;
			this.deadline = deadline;
			this.lowerText = text.toLowerCase(Locale.ROOT);
		}

		/** Jobs whose id is the text come first. Returns where it stopped, or null. */
		@Nullable Spot search(@Nullable Spot from) {
			if (this.in == In.ERRORS || (from != null && from.list() != null)) {
				return walk(from);
			}
			Spot stopped = exact((from != null) ? from.queue() : "");
			return (stopped != null) ? stopped : walk(null);
		}

		/** Jobs whose id is the text: few, so that only the time limits them. */
		private @Nullable Spot exact(String fromQueue) {
			for (QueueLayout queue : queues()) {
				if (queue.name().compareTo(fromQueue) < 0) {
					continue;
				}
				if (this.stepped && this.deadline.isOver()) {
					return new Spot(queue.name(), null, new SelectionWalk.Place(0, null));
				}
				for (JobView.State state : JobView.State.values()) {
					JobSearch.this.store.inspection()
						.find(queue.shardOf(this.text), state, this.text, payloads())
						.ifPresent((job) -> hit(queue, job));
				}
				this.stepped = true;
			}
			return null;
		}

		/** Returns where enough hits or the time have stopped it, or null. */
		private @Nullable Spot walk(@Nullable Spot from) {
			for (QueueLayout queue : queues()) {
				int order = (from != null) ? queue.name().compareTo(from.queue()) : 1;
				for (JobList list : (order >= 0) ? this.in.lists() : List.<JobList>of()) {
					if (order > 0 || from == null || list == from.list()) {
						SelectionWalk.Place stopped = walk(queue, list,
								(order == 0 && from != null) ? from.place() : null);
						if (stopped != null) {
							return new Spot(queue.name(), list, stopped);
						}
						order = 1;
					}
				}
			}
			return null;
		}

		/** Returns where it stopped in a list; null at its end. */
		private SelectionWalk.@Nullable Place walk(QueueLayout queue, JobList list,
				SelectionWalk.@Nullable Place from) {
			if (isEnough()) {
				return (from != null) ? from : new SelectionWalk.Place(0, null);
			}
			JobSelection selection = new JobSelection(list, (this.in == In.IDS) ? this.text : null, null, null);
			List<ShardCounts> counts = JobSearch.this.store.inspection()
				.counts(queue.allShards())
				.stream()
				.filter((shard) -> selection.most(shard) > 0)
				.toList();
			SelectionWalk walk = new SelectionWalk(JobSearch.this.store.inspection(),
					counts.stream().map(ShardCounts::shard).toList(), selection, false, 0,
					(this.in == In.ERRORS) ? Outcome.MAX_ERROR_BYTES : 0);
			SelectionWalk.Place place = (from != null) ? from : walk.start();
			while (true) {
				if (isEnough()) {
					return place;
				}
				// Always the same number: a list without an order would skip jobs with
				// another
				SelectionWalk.Step step = walk.step(place, this.limit);
				this.stepped = true;
				step.jobs().stream().filter(this::matches).forEach((job) -> found(queue, job));
				SelectionWalk.Place next = step.next();
				count(step, selection, counts, place, next);
				if (next == null) {
					return null;
				}
				place = next;
			}
		}

		/** Every request makes some progress. */
		private boolean isEnough() {
			return this.hits.size() >= this.limit || (this.stepped && this.deadline.isOver());
		}

		/** The store goes through ids by itself, and doesn't say through how many. */
		private void count(SelectionWalk.Step step, JobSelection selection, List<ShardCounts> counts,
				SelectionWalk.Place place, SelectionWalk.@Nullable Place next) {
			if (this.in == In.ERRORS) {
				this.searched += step.read();
			}
			else if (next == null || next.after() == null) {
				this.searched += counts.stream()
					.filter((shard) -> shard.shard().index() >= place.shard())
					.findFirst()
					.map(selection::most)
					.orElse(0L);
			}
		}

		private boolean matches(JobView job) {
			if (this.in == In.IDS) {
				return !job.id().equals(this.text);
			}
			String error = job.error();
			return error != null && error.toLowerCase(Locale.ROOT).contains(this.lowerText);
		}

		private void found(QueueLayout queue, JobView job) {
			Optional<JobView> whole = JobSearch.this.store.inspection()
				.find(job.shard(), job.state(), job.id(), payloads());
			whole.ifPresent((view) -> hit(queue, view));
		}

		private void hit(QueueLayout queue, JobView job) {
			this.hits
				.add(new JobDocuments.Hit(queue.name(), JobSearch.this.views.job(job, JobViews.LIST_CHARACTERS, null)));
		}

		private int payloads() {
			return JobSearch.this.renderer.read(JobViews.LIST_PAYLOADS);
		}

	}

	/**
	 * The place where a search continues.
	 *
	 * @param queue the queue's name
	 * @param list the list; null while jobs are looked for whose id is the text
	 * @param place the place in the list
	 */
	private record Spot(String queue, @Nullable JobList list, SelectionWalk.Place place) {

		private static final String EXACT = "EXACT";

		String encode() {
			String text = this.queue + '\n' + ((this.list != null) ? this.list : EXACT) + '\n'
					+ PageToken.of(this.place).encode();
			return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
		}

		static Spot decode(String token) {
			try {
				String[] parts = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8).split("\n",
						-1);
				if (parts.length == 3) {
					JobList list = EXACT.equals(parts[1]) ? null : JobList.valueOf(parts[1]);
					return new Spot(parts[0], list, PageToken.decode(parts[2]).single());
				}
			}
			catch (IllegalArgumentException ex) {
				// The answer is below
			}
			throw new InvalidJobException("Invalid page token");
		}

	}

}
