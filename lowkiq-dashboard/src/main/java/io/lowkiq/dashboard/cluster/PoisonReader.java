package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.admin.JobStatus.NamedJob;
import io.lowkiq.admin.NodeActivity.ThreadActivity;
import io.lowkiq.dashboard.cluster.Found.Kind;
import io.lowkiq.dashboard.cluster.Found.Place;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.JobView.State;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.RecentSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.node.EndedNode;
import io.lowkiq.store.node.Member;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Jobs that have probably ended nodes: they were running in several crashes, and run
 * again. The crashes that a job's entry counts are the evidence, and one more if it is
 * busy on a node that has crashed; besides, what nodes reported last. Reads nothing while
 * fewer nodes have crashed lately than it takes. Thread-safe.
 */
public final class PoisonReader {

	private static final Duration MAX_AGE = Duration.ofSeconds(2);

	/** The maximum number of shards whose jobs are read, and of jobs read of each. */
	private static final int MAX_SHARDS = 30;

	private static final int MAX_JOBS = 20;

	/** The maximum number of jobs that are looked up because nodes reported them. */
	private static final int MAX_REPORTED = 20;

	private final RedisStore store;

	private final RecentSnapshot<List<Poison>> last;

	/** A job that was running when nodes ended; its last node is null if it is queued. */
	private record Poison(JobView job, int nodes, @Nullable String node, boolean isRunning) {

		Found found() {
			String where = (this.node == null) ? "It waits to run alone." : this.isRunning
					? "It is running again, on node %s.".formatted(this.node)
					: "It runs again as soon as a node takes over shard %s.".formatted(this.job.shard().index());
			return new Found(Kind.POISON, true, "%s was running when %s nodes ended. %s".formatted(
					StringUtils.capitalize(Problems.job(this.job.id(), this.job.shard().queue())), this.nodes, where),
					new Place(this.job.shard().queue(), this.job.shard().index(), this.job.id(), this.node, null));
		}

	}

	/** Nothing is read yet. */
	public PoisonReader(RedisStore store, ClusterReader reader, InstantSource clock) {
		this.store = store;
		this.last = new RecentSnapshot<>(() -> read(reader.recent()), clock, MAX_AGE);
	}

	/** Forgets the last reading, because an action changed it. */
	public void forget() {
		this.last.forget();
	}

	void addTo(List<Found> found, ClusterSnapshot reading) {
		if (reading.crashed().size() >= ShardStore.SUSPECT_AFTER) {
			this.last.get().forEach((poison) -> found.add(poison.found()));
		}
	}

	private List<Poison> read(ClusterSnapshot reading) {
		Set<String> crashed = reading.crashed().stream().map(EndedNode::session).collect(Collectors.toSet());
		Map<NamedJob, Integer> reported = reported(reading);
		Map<NamedJob, Poison> found = new LinkedHashMap<>();
		shards(reading).forEach((counts) -> jobs(counts)
			.forEach((job) -> judge(job, counts, reading, reported, crashed.contains(counts.session()), found)));
		reported.entrySet()
			.stream()
			.filter((job) -> job.getValue() >= ShardStore.SUSPECT_AFTER && !found.containsKey(job.getKey()))
			.limit(MAX_REPORTED)
			.forEach((job) -> lookUp(job.getKey(), reading, reported, crashed, found));
		return found.values().stream().sorted(Comparator.comparingInt(Poison::nodes).reversed()).toList();
	}

	/** How many of the nodes that crashed reported each job last. */
	private static Map<NamedJob, Integer> reported(ClusterSnapshot reading) {
		Map<NamedJob, Integer> reported = new HashMap<>();
		for (EndedNode node : reading.crashed()) {
			reading.activity(node.session())
				.busy()
				.stream()
				.flatMap(PoisonReader::named)
				.distinct()
				.forEach((job) -> reported.merge(job, 1, Integer::sum));
		}
		return reported;
	}

	private static Stream<NamedJob> named(ThreadActivity thread) {
		String queue = thread.queue();
		return (queue != null) ? thread.ids().stream().map((id) -> new NamedJob(queue, id)) : Stream.empty();
	}

	/** The shards in which such a job may be, those without an owner first. */
	private static List<ShardCounts> shards(ClusterSnapshot reading) {
		return reading.queues()
			.stream()
			.map(QueueSnapshot::shards)
			.flatMap(List::stream)
			.filter((shard) -> shard.suspects() > 0 || shard.busy() > 0)
			.sorted(Comparator.comparing((ShardCounts shard) -> owner(shard, reading) != null)
				.thenComparing(ShardCounts::suspects, Comparator.reverseOrder()))
			.limit(MAX_SHARDS)
			.toList();
	}

	private Stream<JobView> jobs(ShardCounts counts) {
		return Stream.concat((counts.suspects() > 0) ? list(counts, JobList.SUSPECTS) : Stream.empty(),
				(counts.busy() > 0) ? list(counts, JobList.BUSY) : Stream.empty());
	}

	private Stream<JobView> list(ShardCounts counts, JobList list) {
		return this.store.inspection()
			.list(counts.shard(), new JobQuery(list, false, null, null, MAX_JOBS, 0, 0))
			.jobs()
			.stream();
	}

	private void lookUp(NamedJob named, ClusterSnapshot reading, Map<NamedJob, Integer> reported, Set<String> crashed,
			Map<NamedJob, Poison> found) {
		reading.queue(named.queue()).ifPresent((queue) -> {
			ShardCounts counts = queue.shards().get(queue.layout().shardIndexOf(named.id()));
			Stream.of(State.BUSY, State.QUEUED)
				.flatMap((state) -> this.store.inspection().find(counts.shard(), state, named.id(), 0).stream())
				.forEach((job) -> judge(job, counts, reading, reported, crashed.contains(counts.session()), found));
		});
	}

	/**
	 * Out of memory makes a suspect, too: no job was running in more crashes than there
	 * were.
	 */
	private static void judge(JobView job, ShardCounts counts, ClusterSnapshot reading, Map<NamedJob, Integer> reported,
			boolean ownerCrashed, Map<NamedJob, Poison> found) {
		NamedJob named = new NamedJob(job.shard().queue(), job.id());
		boolean isBusy = job.state() == State.BUSY;
		int counted = Math.min(reading.crashed().size(), job.crashes() + ((isBusy && ownerCrashed) ? 1 : 0));
		int nodes = Math.max(counted, reported.getOrDefault(named, 0));
		if (nodes >= ShardStore.SUSPECT_AFTER && job.performAt() != FetchResult.NOTHING) {
			Member owner = owner(counts, reading);
			String node = !isBusy ? null : (owner != null) ? owner.info().node() : former(counts, reading);
			found.putIfAbsent(named, new Poison(job, nodes, node, owner != null));
		}
	}

	private static @Nullable Member owner(ShardCounts counts, ClusterSnapshot reading) {
		String session = counts.session();
		return (session != null) ? reading.member(session).orElse(null) : null;
	}

	private static String former(ShardCounts counts, ClusterSnapshot reading) {
		return reading.ended()
			.stream()
			.filter((node) -> node.session().equals(counts.session()))
			.map((node) -> node.info().node())
			.findFirst()
			.orElse("");
	}

}
