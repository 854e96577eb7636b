package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import io.lowkiq.dashboard.cluster.Found.Kind;
import io.lowkiq.dashboard.cluster.Found.Place;
import io.lowkiq.dashboard.cluster.RunningJobs.Perform;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Member;
import org.jspecify.annotations.Nullable;

/**
 * The runs that continue although their leases were lost. Their results will be refused,
 * and the same node runs nothing else of their shards until they have ended.
 *
 * @param runs the longest first
 * @param waiting how many due jobs wait for them
 */
record LostRuns(List<Perform> runs, Set<Shard> shards, long waiting) {

	/** How much older than a run the lease must be, because two clocks are compared. */
	private static final long EARLIER = Duration.ofSeconds(2).toMillis();

	static LostRuns of(ClusterSnapshot reading) {
		List<Perform> runs = RunningJobs.of(reading, null)
			.performs()
			.stream()
			.filter((run) -> shard(run, reading).filter((shard) -> isLost(run, shard, reading)).isPresent())
			.toList();
		Set<Shard> shards = new HashSet<>();
		long waiting = 0;
		for (Perform run : runs) {
			ShardCounts shard = shard(run, reading).orElseThrow();
			if (shards.add(shard.shard()) && isOf(run.member(), shard.session(), reading)) {
				waiting += shard.due();
			}
		}
		return new LostRuns(runs, Set.copyOf(shards), waiting);
	}

	/**
	 * Only what was reported since the lease was given is certain. A run of the owner is
	 * lost if it began before the lease, unless the shard has busy jobs: then the owner
	 * has renewed its lease. A run of another node is lost. Nobody gives a lease back
	 * before its runs have ended, so a free shard has lost one only if it knows of none.
	 */
	private static boolean isLost(Perform run, ShardCounts shard, ClusterSnapshot reading) {
		long reportedAt = reading.activity(run.member().session()).reportedAt();
		if (run.thread().since() <= 0 || shard.newer()) {
			return false;
		}
		String owner = shard.session();
		if (owner == null) {
			return shard.epoch() == 0;
		}
		return run.member().session().equals(owner)
				? shard.busy() == 0 && run.thread().since() < shard.since() - EARLIER && reportedAt > shard.since()
				: reportedAt > shard.since() + EARLIER;
	}

	private static Optional<ShardCounts> shard(Perform run, ClusterSnapshot reading) {
		String queue = run.thread().queue();
		int index = run.thread().shard();
		return (queue == null) ? Optional.empty()
				: reading.queue(queue)
					.filter((found) -> index >= 0 && index < found.shards().size())
					.map((found) -> found.shards().get(index));
	}

	/** Whether the owner of a shard is a session of the same process, or nobody. */
	private static boolean isOf(Member member, @Nullable String owner, ClusterSnapshot reading) {
		return owner == null || reading.member(owner)
			.filter((other) -> !other.info().isSameProcess(member.info()) && !other.equals(member))
			.isEmpty();
	}

	boolean contains(Perform run) {
		return this.runs.contains(run);
	}

	void addTo(List<Found> found, long now) {
		if (this.runs.isEmpty()) {
			return;
		}
		Perform longest = this.runs.get(0);
		boolean one = this.runs.size() == 1;
		String queue = longest.thread().queue();
		String id = longest.thread().ids().get(0);
		String node = longest.member().info().node();
		String what = one ? "1 run continues although its lease was lost, for " : String.format(Locale.ROOT,
				"%,d runs continue although their leases were lost, the longest for ", this.runs.size());
		String waits = (this.waiting == 0) ? ""
				: String.format(Locale.ROOT, " %,d due %s of %s wait%s until %s.", this.waiting,
						(this.waiting == 1) ? "job" : "jobs", (this.shards.size() == 1) ? "the shard" : "their shards",
						(this.waiting == 1) ? "s" : "", one ? "it ends" : "they end");
		found.add(new Found(Kind.LEASE_LOST, false,
				"%s%s: %s on thread %s of node %s. %s will be refused.%s".formatted(what,
						Problems.lasting(now - longest.thread().since()), Problems.job(id, queue),
						longest.thread().name(), node, one ? "Its result" : "Their results", waits),
				one ? new Place(queue, longest.thread().shard(), id, node, longest.thread().since())
						: new Place(null, null, null, null, longest.thread().since())));
	}

}
