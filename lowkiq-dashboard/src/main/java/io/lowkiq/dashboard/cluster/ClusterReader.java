package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.admin.NodeActivity;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.inspection.LivingNodes;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.RecentSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.StrandedShards;
import io.lowkiq.store.node.EndedNode;
import io.lowkiq.store.node.Member;

/**
 * Reads the counts of all queues, at most once a second however many browsers look, and
 * not at all while none does. One call a shard and seven more, whatever the queues hold.
 * Thread-safe.
 */
public final class ClusterReader {

	static final Duration MAX_AGE = Duration.ofSeconds(1);

	private static final long DAY = Duration.ofDays(1).toMillis();

	private static final int MAX_ENDED = 20;

	private final RedisStore store;

	private final RecentSnapshot<ClusterSnapshot> last;

	/**
	 * The heartbeats that were counted when a session was first seen. Used under the lock
	 * of the last reading.
	 */
	private final Map<String, Long> firstBeats = new HashMap<>();

	/**
	 * The last reports of nodes that crashed, by session. They don't change. Used under
	 * the lock of the last reading.
	 */
	private final Map<String, NodeActivity> lastActivities = new HashMap<>();

	/** Creates a reader; nothing is read yet. */
	public ClusterReader(RedisStore store, InstantSource clock) {
		this.store = store;
		this.last = new RecentSnapshot<>(this::read, clock, MAX_AGE);
	}

	/**
	 * A reading that is at most a second old.
	 * @throws io.lowkiq.StoreException if the store can't be reached
	 */
	public ClusterSnapshot recent() {
		return this.last.get();
	}

	/** Forgets the last reading, because an action changed what it counted. */
	public void forget() {
		this.last.forget();
	}

	private ClusterSnapshot read() {
		AtomicReference<LivingNodes.Look> look = new AtomicReference<>();
		List<QueueSnapshot> queues = this.store.inspection().snapshots(this.store.queues().all(), () -> {
			LivingNodes.Look looked = this.store.livingNodes().look();
			look.set(looked);
			return looked.living().stream().map(Member::session).collect(Collectors.toUnmodifiableSet());
		});
		List<StrandedShards> stranded = this.store.stranded();
		LivingNodes.Look looked = look.get();
		long now = queues.stream()
			.flatMap((queue) -> queue.shards().stream())
			.mapToLong(ShardCounts::now)
			.max()
			.orElseGet(this.store.nodes()::now);
		Map<String, NodeActivity> activities = new HashMap<>();
		this.firstBeats.keySet()
			.retainAll(Stream.concat(looked.living().stream(), looked.dead().stream()).map(Member::session).toList());
		this.store.nodes().reports().forEach((session, report) -> activities.put(session, NodeActivity.of(report)));
		List<Member> silent = looked.living().stream().filter((member) -> isSilent(member, activities, now)).toList();
		if (silent.isEmpty()) {
			return new ClusterSnapshot(now, queues, stranded, looked.living(), ended(looked.dead(), activities, now),
					activities);
		}
		List<Member> living = looked.living().stream().filter((member) -> !silent.contains(member)).toList();
		List<Member> dead = Stream.concat(looked.dead().stream(), silent.stream()).toList();
		Set<String> sessions = living.stream().map(Member::session).collect(Collectors.toUnmodifiableSet());
		return new ClusterSnapshot(now,
				queues.stream().map((queue) -> new QueueSnapshot(queue.layout(), queue.shards(), sessions)).toList(),
				stranded, living, ended(dead, activities, now), activities);
	}

	/**
	 * Whether a node has not reported for longer than its lease, and no heartbeat of it
	 * was seen here. That is evidence enough for what is shown, so that the nodes are not
	 * shown as living for a lease after a total outage. It decides nothing: a full Redis
	 * takes heartbeats, but no reports.
	 */
	private boolean isSilent(Member member, Map<String, NodeActivity> activities, long now) {
		long first = this.firstBeats.computeIfAbsent(member.session(), (session) -> member.beats());
		NodeActivity activity = activities.get(member.session());
		long reportedAt = (activity != null) ? activity.reportedAt() : 0;
		return member.beats() == first && reportedAt > 0 && now - reportedAt > member.info().leaseDuration().toMillis();
	}

	/** Adds the last reports of nodes that crashed. Each is read once. */
	private void readLast(List<EndedNode> ended, Map<String, NodeActivity> activities) {
		List<String> crashed = ended.stream().filter(EndedNode::crashed).map(EndedNode::session).toList();
		this.lastActivities.keySet().retainAll(crashed);
		List<String> unread = crashed.stream().filter((session) -> !this.lastActivities.containsKey(session)).toList();
		if (!unread.isEmpty()) {
			Map<String, String> reports = this.store.nodes().lastReports(unread);
			unread.forEach((session) -> this.lastActivities.put(session, NodeActivity.of(reports.get(session))));
		}
		activities.putAll(this.lastActivities);
	}

	private List<EndedNode> ended(List<Member> dead, Map<String, NodeActivity> activities, long now) {
		List<EndedNode> ended = new ArrayList<>(this.store.nodes().endedNodes());
		readLast(ended, activities);
		for (Member member : dead) {
			NodeActivity last = activities.get(member.session());
			long heard = (last != null) ? last.reportedAt() : 0;
			ended.add(new EndedNode(member.session(), member.info(), (heard > 0) ? heard : now,
					!member.info().stopping()));
		}
		ended.removeIf((node) -> node.endedAt() < now - DAY);
		ended.sort(Comparator.comparingLong(EndedNode::endedAt).reversed());
		return ended.stream().limit(MAX_ENDED).toList();
	}

}
