package io.lowkiq.dashboard.cluster;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.GroupPolicy;
import io.lowkiq.RateLimit;
import io.lowkiq.admin.NodeActivity;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.Member;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardGroup;
import io.lowkiq.store.inspection.ShardInspection;
import org.jspecify.annotations.Nullable;

/**
 * The groups of a queue: what waits, by its shards; what runs, by the nodes' reports; and
 * what operators have set.
 */
public final class QueueGroups {

	/** Groups with something set are shown in any case. */
	static final int MAX_SHOWN = 50;

	private static final int MAX_OF_A_SHARD = 100;

	private final Map<String, List<ShardGroup>> waiting;

	private final Map<String, Integer> running = new HashMap<>();

	/** Until when groups wait because a job has asked for it. */
	private final Map<String, Long> asked = new HashMap<>();

	private final Map<String, GroupOverride> set;

	private QueueGroups(List<ShardGroup> waiting, Map<String, GroupOverride> set) {
		this.waiting = waiting.stream().collect(Collectors.groupingBy(ShardGroup::name));
		this.set = set;
	}

	/**
	 * The document.
	 * @param reading the reports, and which shards have groups
	 * @param queue the queue
	 * @param inspection looks into the shards
	 * @param set what operators have set, by group
	 * @return the groups with the most waiting jobs, and those with something set
	 */
	public static ClusterDocuments.Groups of(ClusterSnapshot reading, QueueLayout queue, ShardInspection inspection,
			Map<String, GroupOverride> set) {
		List<ShardCounts> shards = reading.queue(queue.name())
			.stream()
			.flatMap((counts) -> counts.shards().stream())
			.filter((shard) -> shard.groups() > 0)
			.toList();
		QueueGroups groups = new QueueGroups(
				inspection.groups(shards.stream().map(ShardCounts::shard).toList(), MAX_OF_A_SHARD), set);
		reading.nodes().forEach((node) -> groups.add(reading, node, queue.name()));
		List<ClusterDocuments.Group> all = groups.all();
		List<ClusterDocuments.Group> shown = IntStream.range(0, all.size())
			.filter((place) -> place < MAX_SHOWN || set.containsKey(all.get(place).name()))
			.mapToObj(all::get)
			.toList();
		return new ClusterDocuments.Groups(reading.now(), shown,
				shown.size() == all.size() && shards.stream().allMatch((shard) -> shard.groups() <= MAX_OF_A_SHARD),
				separators(reading, queue).findFirst().orElse(null), !queue.oneShardPerGroup().isEmpty(),
				limits(reading, queue.name()));
	}

	/** The limits of each group by the nodes; several if these differ, as in a deploy. */
	private static List<ClusterDocuments.GroupLimits> limits(ClusterSnapshot reading, String queue) {
		return reading.nodes()
			.stream()
			.map((node) -> settings(reading, node, queue))
			.filter((settings) -> !settings.separator().isEmpty())
			.map(QueueGroups::limits)
			.distinct()
			.toList();
	}

	private static ClusterDocuments.GroupLimits limits(NodeActivity.Groups settings) {
		return new ClusterDocuments.GroupLimits((settings.concurrency() > 0) ? settings.concurrency() : null,
				settings.rate().isEmpty() ? null : settings.rate(),
				(settings.maxShare() < 100) ? settings.maxShare() : null);
	}

	/** Whether the ids of a queue form groups, or did so when jobs came that wait. */
	static boolean isAny(ClusterSnapshot reading, QueueSnapshot queue) {
		return queue.sum(ShardCounts::groups) > 0 || separators(reading, queue.layout()).findAny().isPresent();
	}

	private static Stream<String> separators(ClusterSnapshot reading, QueueLayout queue) {
		return Stream
			.concat(Stream.of(queue.oneShardPerGroup()),
					reading.nodes().stream().map((node) -> settings(reading, node, queue.name()).separator()))
			.filter((separator) -> !separator.isEmpty());
	}

	private static NodeActivity.Groups settings(ClusterSnapshot reading, Member node, String queue) {
		NodeActivity.QueueSettings settings = reading.activity(node.session()).queues().get(queue);
		return (settings != null) ? settings.groups() : NodeActivity.Groups.NONE;
	}

	private void add(ClusterSnapshot reading, Member node, String queue) {
		NodeActivity.Groups settings = settings(reading, node, queue);
		settings.waiting().forEach((group, until) -> {
			if (until > reading.now()) {
				this.asked.merge(group, until, Math::max);
			}
		});
		GroupPolicy ids = new GroupPolicy(settings.separator());
		if (ids.isAny()) {
			reading.activity(node.session())
				.busy()
				.stream()
				.filter((thread) -> queue.equals(thread.queue()))
				.flatMap((thread) -> thread.ids().stream())
				.forEach((id) -> this.running.merge(ids.groupOf(id), 1, Integer::sum));
		}
	}

	private List<ClusterDocuments.Group> all() {
		Set<String> names = new TreeSet<>(this.waiting.keySet());
		names.addAll(this.running.keySet());
		names.addAll(this.asked.keySet());
		names.addAll(this.set.keySet());
		return names.stream()
			.map(this::group)
			.sorted(Comparator.comparingLong(ClusterDocuments.Group::waiting).reversed())
			.toList();
	}

	private ClusterDocuments.Group group(String name) {
		List<ShardGroup> inShards = this.waiting.getOrDefault(name, List.of());
		GroupOverride override = this.set.getOrDefault(name, GroupOverride.NONE);
		return new ClusterDocuments.Group(name, inShards.stream().mapToLong(ShardGroup::waiting).sum(),
				this.running.getOrDefault(name, 0),
				!inShards.isEmpty() && inShards.stream().allMatch(ShardGroup::parked), this.asked.get(name),
				override.pause(), override.concurrency(), rate(override.rate()), override.weight());
	}

	private static @Nullable Change<ClusterDocuments.Rate> rate(@Nullable Change<RateLimit> change) {
		if (change == null) {
			return null;
		}
		RateLimit rate = change.value();
		return new Change<>(new ClusterDocuments.Rate(rate.starts(), rate.period().toMillis(), rate.burst()),
				change.by(), change.at());
	}

}
