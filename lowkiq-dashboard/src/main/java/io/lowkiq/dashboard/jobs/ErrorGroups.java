package io.lowkiq.dashboard.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.StoreException;
import io.lowkiq.admin.store.SelectionWalk;
import io.lowkiq.dashboard.cluster.ClusterReader;
import io.lowkiq.dashboard.cluster.ClusterSnapshot;
import io.lowkiq.dashboard.cluster.Deaths;
import io.lowkiq.redis.ShardInspection;
import io.lowkiq.store.inspection.ErrorKind;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.RecentSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Groups dead jobs, and jobs that wait for a retry, by their errors. They are read in
 * slices of a limited time, a step of each list in turn, the latest jobs first, as long
 * as somebody asks. What was read is answered for a while. Thread-safe.
 */
public final class ErrorGroups {

	private static final Logger logger = LoggerFactory.getLogger(ErrorGroups.class);

	private static final Duration MAX_AGE = Duration.ofSeconds(10);

	/** How many times as long as it took to read it, a reading is answered. */
	private static final int RATIO = 20;

	/** Age from which on a reading is not continued. */
	private static final Duration ABANDONED = Duration.ofSeconds(30);

	/** The most jobs of a reading. */
	public static final int MAX_READ = 1_000_000;

	/** The most groups of a reading; the jobs of others are left out. */
	static final int MAX_KEPT = 2_000;

	/** The most groups of an answer. */
	static final int MAX_SHOWN = 100;

	private static final int STEP = 500;

	private final ShardInspection inspection;

	private final ClusterReader reader;

	private final InstantSource clock;

	private final Executor executor;

	private final int mostRead;

	/** Each of its readings is a slice of a {@link Reading}, under its lock. */
	private final RecentSnapshot<JobDocuments.Errors> slices;

	/** The reading in progress; guarded by the lock of the slices. */
	private @Nullable Reading begun;

	/** The last reading that has ended; guarded by the lock of the slices. */
	private @Nullable Reading ended;

	/** Written by all, cleared under the lock of the slices. */
	private volatile boolean isForgotten;

	/** The result of the last slice. Written under that lock, read by all. */
	private volatile JobDocuments.@Nullable Errors last;

	private final AtomicBoolean isContinued = new AtomicBoolean();

	/**
	 * Creates the groups; nothing is read yet.
	 * @param mostRead the maximum number of jobs of a reading
	 */
	public ErrorGroups(ShardInspection inspection, ClusterReader reader, InstantSource clock, Executor executor,
			int mostRead) {
		this.inspection = inspection;
		this.reader = reader;
		this.clock = clock;
		this.executor = executor;
		this.mostRead = mostRead;
		this.slices = new RecentSnapshot<>(this::read, clock, Duration.ofMillis(500));
	}

	/**
	 * The groups of a recent reading. While it is not complete, each call continues it
	 * for a limited time.
	 * @param queue of this queue only; null for all
	 */
	public JobDocuments.Errors recent(@Nullable String queue) {
		JobDocuments.Errors all = this.slices.get();
		return new JobDocuments.Errors(all.now(), all.asOf(), all.complete(), all.counting(), all.scanned(),
				all.total(),
				all.groups()
					.stream()
					.filter((group) -> queue == null || group.queue().equals(queue))
					.limit(MAX_SHOWN)
					.toList());
	}

	/**
	 * The most frequent error among the dead jobs of a queue, as far as it is known.
	 * Doesn't wait: a reading is continued by another thread.
	 * @return the deaths; null if none is known yet
	 */
	public @Nullable Deaths deaths(String queue) {
		if (this.isContinued.compareAndSet(false, true)) {
			try {
				this.executor.execute(this::continueReading);
			}
			catch (RejectedExecutionException ex) {
				this.isContinued.set(false);
			}
		}
		JobDocuments.Errors known = this.last;
		if (known == null) {
			return null;
		}
		List<JobDocuments.ErrorGroup> dead = known.groups()
			.stream()
			.filter((group) -> group.queue().equals(queue) && group.dead() > 0)
			.toList();
		return dead.stream()
			.max(Comparator.comparingLong(JobDocuments.ErrorGroup::dead))
			.map((most) -> new Deaths(
					dead.stream().mapToLong((group) -> Objects.requireNonNull(group.first())).min().orElseThrow(),
					dead.stream().mapToLong((group) -> Objects.requireNonNull(group.last())).max().orElseThrow(),
					most.key(), most.text(), most.dead(), most.complete()))
			.orElse(null);
	}

	private void continueReading() {
		try {
			this.slices.get();
		}
		catch (StoreException ex) {
			logger.debug("Could not read the errors", ex);
		}
		finally {
			this.isContinued.set(false);
		}
	}

	/** Forgets the last reading, because an action changed what it counted. */
	public void forget() {
		this.isForgotten = true;
		this.slices.forget();
	}

	private JobDocuments.Errors read() {
		if (this.isForgotten) {
			this.isForgotten = false;
			this.begun = null;
			this.ended = null;
		}
		Reading before = this.ended;
		if (before != null && !before.isOld()) {
			return shown(before);
		}
		Reading current = this.begun;
		if (current == null || current.isAbandoned()) {
			current = new Reading(this.reader.recent());
		}
		current.advance();
		this.begun = current.isOver() ? null : current;
		this.ended = current.isOver() ? current : before;
		return shown((this.ended != null) ? this.ended : current);
	}

	private JobDocuments.Errors shown(Reading reading) {
		JobDocuments.Errors document = reading.document();
		this.last = document;
		return document;
	}

	/** The dead jobs or the retries of a queue, and its shards that have some. */
	private record FailedList(String queue, JobList list, List<Shard> shards, long size) {

		static FailedList of(QueueSnapshot queue, JobList list) {
			JobSelection selection = JobSelection.of(list);
			return new FailedList(queue.layout().name(), list,
					queue.shards()
						.stream()
						.filter((shard) -> selection.most(shard) > 0)
						.map(ShardCounts::shard)
						.toList(),
					queue.sum(selection::most));
		}

	}

	/** A list and how far it was read. */
	private record OpenList(FailedList list, SelectionWalk walk, SelectionWalk.Place place) {
	}

	/** A reading in slices. Used by one thread at a time. */
	private final class Reading {

		private final Map<String, Group> groups = new LinkedHashMap<>();

		/** A step of each in turn, so that each has its share of a slice. */
		private final Deque<OpenList> open = new ArrayDeque<>();

		private final long now;

		private final long total;

		private int scanned;

		private boolean isWithoutSome;

		private Duration spent = Duration.ZERO;

		private final Instant begunAt = ErrorGroups.this.clock.instant();

		private Instant continuedAt = this.begunAt;

		Reading(ClusterSnapshot cluster) {
			this.now = cluster.now();
			cluster.queues()
				.stream()
				.flatMap(
						(queue) -> Stream.of(FailedList.of(queue, JobList.DEAD), FailedList.of(queue, JobList.RETRIES)))
				.filter((list) -> list.size() > 0)
				.sorted(Comparator.comparingLong(FailedList::size))
				.forEach((list) -> {
					SelectionWalk walk = new SelectionWalk(ErrorGroups.this.inspection, list.shards(),
							JobSelection.of(list.list()), true, 0, ErrorKind.ENOUGH_BYTES);
					this.open.add(new OpenList(list, walk, walk.start()));
				});
			this.total = this.open.stream().mapToLong((each) -> each.list().size()).sum();
		}

		boolean isOver() {
			return this.open.isEmpty() || this.scanned >= ErrorGroups.this.mostRead;
		}

		boolean isOld() {
			Duration atMost = this.spent.multipliedBy(RATIO);
			return age().compareTo((atMost.compareTo(MAX_AGE) > 0) ? atMost : MAX_AGE) >= 0;
		}

		boolean isAbandoned() {
			return age().compareTo(ABANDONED) >= 0;
		}

		private Duration age() {
			return Duration.between(this.continuedAt, ErrorGroups.this.clock.instant()).abs();
		}

		void advance() {
			Instant begin = ErrorGroups.this.clock.instant();
			Deadline deadline = Deadline.in(Deadline.REQUEST, ErrorGroups.this.clock);
			while (!isOver() && !deadline.isOver()) {
				OpenList next = this.open.element();
				SelectionWalk.@Nullable Place place = next.place();
				int read = 0;
				while (place != null && read < STEP && !isOver()) {
					SelectionWalk.Step step = next.walk()
						.step(place, Math.min(ErrorGroups.this.mostRead - this.scanned, STEP));
					step.jobs().forEach((job) -> add(next.list().queue(), job));
					// Empty shards count, too
					read += Math.max(step.read(), 1);
					this.scanned += step.read();
					place = step.next();
				}
				this.open.remove();
				if (place != null) {
					this.open.add(new OpenList(next.list(), next.walk(), place));
				}
			}
			this.continuedAt = ErrorGroups.this.clock.instant();
			this.spent = this.spent.plus(Duration.between(begin, this.continuedAt).abs());
		}

		private void add(String queue, JobView job) {
			if (job.error() == null) {
				return;
			}
			ErrorKind kind = ErrorKind.of(job.error());
			String key = queue + ' ' + kind.key();
			Group group = this.groups.get(key);
			if (group == null && this.groups.size() < MAX_KEPT) {
				group = new Group(queue, kind, job);
				this.groups.put(key, group);
			}
			if (group != null) {
				group.add(job);
			}
			else {
				this.isWithoutSome = true;
			}
		}

		/** The store's time at an instant of the clock. */
		private long at(Instant instant) {
			return this.now + Math.max(Duration.between(this.begunAt, instant).toMillis(), 0);
		}

		JobDocuments.Errors document() {
			Set<String> unread = this.open.stream().map((each) -> each.list().queue()).collect(Collectors.toSet());
			// The store's time of the snapshot may be a second old: no death is later
			// than the answer
			long latest = this.groups.values().stream().mapToLong((group) -> group.last).max().orElse(0);
			long asOf = Math.max(at(this.continuedAt), latest);
			return new JobDocuments.Errors(Math.max(at(ErrorGroups.this.clock.instant()), asOf), asOf,
					unread.isEmpty() && !this.isWithoutSome, !isOver(), this.scanned,
					Math.max(this.total, this.scanned),
					this.groups.values()
						.stream()
						.map((group) -> group.document(!unread.contains(group.queue)))
						.sorted(Comparator.comparingLong(JobDocuments.ErrorGroup::size)
							.reversed()
							.thenComparing(JobDocuments.ErrorGroup::queue)
							.thenComparing(JobDocuments.ErrorGroup::key))
						.toList());
		}

	}

	/** Jobs of one queue with one kind of errors. Used by one thread. */
	private static final class Group {

		private final String queue;

		private final ErrorKind kind;

		private final JobDocuments.Example example;

		private long dead;

		private long retrying;

		private long first = Long.MAX_VALUE;

		private long last;

		Group(String queue, ErrorKind kind, JobView example) {
			this.queue = queue;
			this.kind = kind;
			this.example = new JobDocuments.Example(example.id(), example.state().name().toLowerCase(Locale.ROOT));
		}

		void add(JobView job) {
			if (job.state() == JobView.State.DEAD) {
				this.dead++;
				this.first = Math.min(this.first, job.performAt());
				this.last = Math.max(this.last, job.performAt());
			}
			else {
				this.retrying++;
			}
		}

		JobDocuments.ErrorGroup document(boolean complete) {
			boolean died = this.dead > 0;
			return new JobDocuments.ErrorGroup(this.kind.key(), this.queue, this.kind.type(), this.kind.message(),
					this.dead, this.retrying, complete, died ? this.first : null, died ? this.last : null,
					this.example);
		}

	}

}
