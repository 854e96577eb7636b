package io.lowkiq.dashboard.jobs;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import io.lowkiq.admin.SelectionWalk;
import io.lowkiq.dashboard.cluster.ClusterReader;
import io.lowkiq.dashboard.cluster.ClusterSnapshot;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ErrorKind;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.RecentSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardInspection;
import org.jspecify.annotations.Nullable;

/**
 * Groups dead jobs, and jobs that wait for a retry, by their errors. Reads at most once
 * in {@value #MAX_AGE_SECONDS} seconds, for a limited time, a limited number of jobs,
 * however many there are: of each list its share, the latest first. Thread-safe.
 */
public final class ErrorGroups {

	private static final int MAX_AGE_SECONDS = 10;

	/** The most jobs of a reading. */
	public static final int MAX_READ = 100_000;

	/** The most groups of a reading; the jobs of others are left out. */
	static final int MAX_KEPT = 2_000;

	/** The most groups of an answer. */
	static final int MAX_SHOWN = 100;

	private static final int STEP = 500;

	private final ShardInspection inspection;

	private final ClusterReader reader;

	private final InstantSource clock;

	private final int mostRead;

	private final RecentSnapshot<JobDocuments.Errors> last;

	/**
	 * Creates the groups; nothing is read yet.
	 * @param inspection looks into one shard
	 * @param reader reads the counts
	 * @param clock limits the time of a reading
	 * @param mostRead the maximum number of jobs of a reading
	 */
	public ErrorGroups(ShardInspection inspection, ClusterReader reader, InstantSource clock, int mostRead) {
		this.inspection = inspection;
		this.reader = reader;
		this.clock = clock;
		this.mostRead = mostRead;
		this.last = new RecentSnapshot<>(this::read, clock, Duration.ofSeconds(MAX_AGE_SECONDS));
	}

	/**
	 * The groups of a reading that is at most {@value #MAX_AGE_SECONDS} seconds old.
	 * @param queue of this queue only; null for all
	 * @return the largest groups
	 */
	public JobDocuments.Errors recent(@Nullable String queue) {
		JobDocuments.Errors all = this.last.get();
		return new JobDocuments.Errors(all.now(), all.complete(), all.scanned(),
				all.groups()
					.stream()
					.filter((group) -> queue == null || group.queue().equals(queue))
					.limit(MAX_SHOWN)
					.toList());
	}

	/**
	 * Forgets the last reading, because an action changed what it counted.
	 */
	public void forget() {
		this.last.forget();
	}

	private JobDocuments.Errors read() {
		ClusterSnapshot cluster = this.reader.recent();
		List<FailedList> lists = cluster.queues()
			.stream()
			.flatMap((queue) -> Stream.of(FailedList.of(queue, JobList.DEAD), FailedList.of(queue, JobList.RETRIES)))
			.filter((list) -> list.size() > 0)
			.sorted(Comparator.comparingLong(FailedList::size))
			.toList();
		Reading reading = new Reading(Deadline.in(Deadline.REQUEST, this.clock));
		for (int i = 0; i < lists.size(); i++) {
			// What a short list leaves of its share is for the longer ones
			reading.read(lists.get(i), (this.mostRead - reading.scanned) / (lists.size() - i));
		}
		return new JobDocuments.Errors(cluster.now(), reading.complete, reading.scanned,
				reading.groups.values()
					.stream()
					.map(Group::document)
					.sorted(Comparator.comparingLong(JobDocuments.ErrorGroup::size)
						.reversed()
						.thenComparing(JobDocuments.ErrorGroup::queue)
						.thenComparing(JobDocuments.ErrorGroup::key))
					.toList());
	}

	/**
	 * The dead jobs or the retries of a queue.
	 *
	 * @param queue the queue's name
	 * @param list the list
	 * @param shards those that have such jobs
	 * @param size how many there are
	 */
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

	/**
	 * A reading under way. Used by one thread.
	 */
	private final class Reading {

		private final Map<String, Group> groups = new LinkedHashMap<>();

		private final Deadline deadline;

		private int scanned;

		private boolean complete = true;

		Reading(Deadline deadline) {
			this.deadline = deadline;
		}

		void read(FailedList list, int share) {
			SelectionWalk walk = new SelectionWalk(ErrorGroups.this.inspection, list.shards(),
					JobSelection.of(list.list()), true, 0, ErrorKind.ENOUGH_BYTES);
			SelectionWalk.@Nullable Place place = walk.start();
			int rest = share;
			while (place != null && rest > 0 && !this.deadline.isOver()) {
				SelectionWalk.Step step = walk.step(place, Math.min(rest, STEP));
				step.jobs().forEach((job) -> add(list.queue(), job));
				this.scanned += step.read();
				rest -= step.read();
				place = step.next();
			}
			this.complete &= place == null;
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
				this.complete = false;
			}
		}

	}

	/**
	 * Jobs of one queue with one kind of errors. Used by one thread.
	 */
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

		JobDocuments.ErrorGroup document() {
			boolean died = this.dead > 0;
			return new JobDocuments.ErrorGroup(this.kind.key(), this.queue, this.kind.type(), this.kind.message(),
					this.dead, this.retrying, died ? this.first : null, died ? this.last : null, this.example);
		}

	}

}
