package io.lowkiq.dashboard.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.GroupPolicy;
import io.lowkiq.RateLimit;
import io.lowkiq.admin.NodeActivity;
import io.lowkiq.redis.ShardInspection;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardGroup;
import io.lowkiq.store.inspection.ShardGroups;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Member;
import org.jspecify.annotations.Nullable;

/**
 * The groups of a queue: what waits, by its shards; what runs, by the nodes' reports; and
 * what operators have set.
 */
public final class QueueGroups {

	/** The maximum number of groups of one page. */
	static final int MAX_SHOWN = 50;

	private static final int MAX_OF_A_SHARD = 100;

	private static final Comparator<ClusterDocuments.Group> MOST_WAITING = Comparator
		.comparingLong(ClusterDocuments.Group::waiting)
		.reversed();

	private final Map<String, List<ShardGroup>> waiting;

	private final Map<String, Integer> running = new HashMap<>();

	/** Until when groups wait because a job has asked for it. */
	private final Map<String, Long> asked = new HashMap<>();

	private final Map<String, GroupOverride> set;

	/** The choice of groups. */
	public enum Show {

		/** Groups with the most waiting jobs. */
		WAITING,

		/** Groups with the most running jobs. */
		RUNNING,

		/** Groups for which something is set, by name. */
		SET

	}

	/**
	 * A request for groups.
	 *
	 * @param show the kind
	 * @param find the name of a group, or its beginning, or one of its ids; null for all
	 * @param after the last name of the page before; null for the first page
	 */
	public record Wanted(Show show, @Nullable String find, @Nullable String after) {
	}

	private QueueGroups(List<ShardGroup> waiting, Map<String, GroupOverride> set) {
		this.waiting = waiting.stream().distinct().collect(Collectors.groupingBy(ShardGroup::name));
		this.set = set;
	}

	/** At most 50 of the groups. */
	public static ClusterDocuments.Groups of(ClusterSnapshot reading, QueueLayout queue, ShardInspection inspection,
			Map<String, GroupOverride> set, int forgotten, Wanted wanted) {
		String separator = separator(reading, queue).orElse(null);
		String known = Objects.requireNonNullElse(separator, "");
		List<Shard> shards = reading.queue(queue.name()).map((snapshot) -> snapshot.grouped(known)).orElse(List.of());
		String find = wanted.find();
		String name = (find == null) ? ""
				: (separator != null && find.contains(separator)) ? find.substring(0, find.indexOf(separator)) : find;
		ShardGroups found = inspection.groups(shards, known, MAX_OF_A_SHARD + 1);
		List<ShardGroup> waiting = new ArrayList<>(found.groups());
		if (!name.isEmpty()) {
			waiting.addAll(inspection.group(shards, known, name));
		}
		QueueGroups groups = new QueueGroups(waiting, set);
		reading.nodes().forEach((node) -> groups.add(reading, node, queue.name()));
		List<ClusterDocuments.Group> all = name.isEmpty() ? groups.all(wanted) : groups.find(name);
		List<ClusterDocuments.Group> shown = all.stream().limit(MAX_SHOWN).toList();
		boolean complete = shown.size() == all.size();
		return new ClusterDocuments.Groups(reading.now(), shown,
				complete && found.undivided() == 0
						&& found.groups()
							.stream()
							.collect(Collectors.groupingBy(ShardGroup::shard, Collectors.counting()))
							.values()
							.stream()
							.allMatch((count) -> count <= MAX_OF_A_SHARD),
				found.undivided(), separator, !queue.oneShardPerGroup().isEmpty(), limits(reading, queue.name()),
				set.size(), (complete || wanted.show() != Show.SET) ? null : shown.get(shown.size() - 1).name(),
				forgotten);
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

	/** The separator of the ids; empty if no node says it. */
	public static Optional<String> separator(ClusterSnapshot reading, QueueLayout queue) {
		return separators(reading, queue).findFirst();
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
		settings.running().forEach((group, jobs) -> this.running.merge(group, jobs.jobs(), Integer::sum));
		GroupPolicy ids = new GroupPolicy(settings.separator());
		if (ids.isAny() && settings.running().isEmpty()) {
			reading.activity(node.session())
				.busy()
				.stream()
				.filter((thread) -> queue.equals(thread.queue()))
				.flatMap((thread) -> thread.ids().stream())
				.forEach((id) -> this.running.merge(ids.groupOf(id), 1, Integer::sum));
		}
	}

	private Stream<ClusterDocuments.Group> all() {
		Set<String> names = new TreeSet<>(this.waiting.keySet());
		names.addAll(this.running.keySet());
		names.addAll(this.asked.keySet());
		names.addAll(this.set.keySet());
		return names.stream().map(this::group);
	}

	private List<ClusterDocuments.Group> all(Wanted wanted) {
		String after = wanted.after();
		return switch (wanted.show()) {
			case WAITING -> all().sorted(MOST_WAITING).toList();
			case RUNNING -> all().filter((group) -> group.running() > 0)
				.sorted(Comparator.comparingInt(ClusterDocuments.Group::running).reversed())
				.toList();
			case SET -> all().filter((group) -> this.set.containsKey(group.name()))
				.filter((group) -> after == null || group.name().compareTo(after) > 0)
				.toList();
		};
	}

	/** The group itself, known or not, then groups with longer names. */
	private List<ClusterDocuments.Group> find(String name) {
		return Stream
			.concat(Stream.of(group(name)),
					all().filter((group) -> group.name().startsWith(name) && !group.name().equals(name))
						.sorted(MOST_WAITING))
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
