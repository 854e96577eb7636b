package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.admin.NodeActivity.Groups;
import io.lowkiq.admin.NodeActivity.QueueSettings;
import io.lowkiq.admin.NodeActivity.RunningGroup;
import io.lowkiq.dashboard.cluster.Found.Kind;
import io.lowkiq.dashboard.cluster.Found.Place;
import io.lowkiq.dashboard.cluster.Found.Severity;
import io.lowkiq.internal.LogText;
import io.lowkiq.internal.TimeText;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardCounts.ParkedGroup;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a queue that pauses of groups and limits hold back: the groups by its
 * shards, the causes by the reports of the nodes.
 *
 * @param groups the groups of which none may start, the one that waits longest first
 * @param paused those that operators have paused, whether jobs wait or not
 */
record HeldBack(QueueSnapshot snapshot, long now, List<QueueSettings> settings, List<ParkedGroup> groups,
		Map<String, Change<Boolean>> paused) {

	/** A state that lasts longer may be forgotten. */
	private static final long LONG = Duration.ofDays(1).toMillis();

	/** If no run of a full group has ended since then, its runs may hang. */
	private static final long HANGING = Duration.ofMinutes(10).toMillis();

	/** The number of paused groups of a report that may be cut. */
	private static final int MAX_REPORTED = 100;

	private static final int MAX_NAMED = 3;

	static HeldBack in(QueueSnapshot snapshot, ClusterSnapshot reading) {
		List<QueueSettings> settings = reading.nodes()
			.stream()
			.flatMap((node) -> Stream
				.ofNullable(reading.activity(node.session()).queues().get(snapshot.layout().name())))
			.toList();
		Map<String, Change<Boolean>> paused = new HashMap<>();
		settings.forEach((each) -> paused.putAll(each.groups().paused()));
		Map<String, ParkedGroup> groups = new HashMap<>();
		snapshot.shards()
			.forEach((shard) -> shard.parked().forEach((group) -> groups.merge(group.name(), group, HeldBack::plus)));
		return new HeldBack(snapshot, reading.now(), settings,
				groups.values().stream().sorted(Comparator.comparingLong(ParkedGroup::oldest)).toList(), paused);
	}

	private static ParkedGroup plus(ParkedGroup one, ParkedGroup other) {
		return new ParkedGroup(one.name(), one.waiting() + other.waiting(), Math.min(one.oldest(), other.oldest()));
	}

	/** Whether the limits of the queue hold due jobs of a shard back. */
	boolean isLimited(ShardCounts shard) {
		return this.settings.stream().anyMatch((each) -> each.limited().contains(shard.shard().index()));
	}

	void addTo(List<Found> found) {
		addPaused(found);
		addFull(found);
		addLimited(found);
	}

	private void addPaused(List<Found> found) {
		List<Map.Entry<String, Change<Boolean>>> first = this.paused.entrySet()
			.stream()
			.sorted(Map.Entry.comparingByValue(Comparator.comparingLong(Change::at)))
			.limit(MAX_NAMED)
			.toList();
		long waiting = this.groups.stream()
			.filter((group) -> this.paused.containsKey(group.name()))
			.mapToLong(ParkedGroup::waiting)
			.sum();
		int count = this.paused.size();
		if (count > 0 && (waiting > 0 || isLong(first.get(0).getValue().at()))) {
			String named = first.stream()
				.map((group) -> LogText.of(group.getKey()) + QueueProblems.by(group.getValue()))
				.collect(Collectors.joining(", "));
			String more = (count > MAX_NAMED) ? String.format(Locale.ROOT, " and %,d more", count - MAX_NAMED) : "";
			add(found, Kind.GROUPS_PAUSED, isLong(first.get(0).getValue().at()),
					"%s%s of %s %s paused: %s%s".formatted((count >= MAX_REPORTED) ? "At least " : "",
							Problems.counted(count, "group", "groups"), name(), (count == 1) ? "is" : "are", named,
							more),
					waiting, (count == 1) ? first.get(0).getKey() : null, first.get(0).getValue().at());
		}
	}

	private void addFull(List<Found> found) {
		List<ParkedGroup> full = this.groups.stream()
			.filter((group) -> !this.paused.containsKey(group.name())
					&& this.now - group.oldest() > QueueProblems.OVERDUE)
			.toList();
		if (full.isEmpty()) {
			return;
		}
		ParkedGroup longest = full.get(0);
		ParkedGroup first = full.stream().filter((group) -> isHanging(running(group))).findFirst().orElse(longest);
		String group = (full.size() == 1)
				? "Group %s of %s %s".formatted(LogText.of(first.name()), name(), cause(first))
				: String.format(Locale.ROOT, "%,d groups of %s are at their limits: %s %s", full.size(), name(),
						LogText.of(first.name()), cause(first));
		add(found, Kind.LIMITED, isHanging(running(first)) || isLong(longest.oldest()), group,
				full.stream().mapToLong(ParkedGroup::waiting).sum(), first.name(), longest.oldest());
	}

	private String cause(ParkedGroup group) {
		long asked = latest(Groups::waiting, group);
		long start = latest(Groups::starts, group);
		RunningGroup running = running(group);
		if (asked > this.now) {
			return "waits until %s, because one of its jobs has asked for it".formatted(TimeText.of(asked));
		}
		if (running.isFull()) {
			return String.format(Locale.ROOT, "has %,d of %,d running%s", running.jobs(), running.concurrency(),
					isHanging(running) ? ", and none has ended for " + Problems.lasting(this.now - running.last())
							: "");
		}
		return (start > this.now) ? "may start its next job at " + TimeText.of(start)
				: "may start nothing at the moment";
	}

	private long latest(Function<Groups, Map<String, Long>> times, ParkedGroup group) {
		return this.settings.stream()
			.mapToLong((each) -> times.apply(each.groups()).getOrDefault(group.name(), 0L))
			.max()
			.orElse(0);
	}

	private RunningGroup running(ParkedGroup group) {
		return this.settings.stream()
			.flatMap((each) -> Stream.ofNullable(each.groups().running().get(group.name())))
			.max(Comparator.comparingInt(RunningGroup::jobs))
			.orElse(new RunningGroup(0, 0, 0, 0));
	}

	private boolean isHanging(RunningGroup running) {
		return running.isFull() && running.last() > 0 && this.now - running.last() > HANGING;
	}

	private void addLimited(List<Found> found) {
		List<ShardCounts> shards = this.snapshot.shards()
			.stream()
			.filter((shard) -> isLimited(shard) && shard.lag() > QueueProblems.OVERDUE)
			.toList();
		long lag = shards.stream().mapToLong(ShardCounts::lag).max().orElse(0);
		this.settings.stream().filter((each) -> lag > 0 && !each.limited().isEmpty()).findFirst().ifPresent((set) -> {
			String limits = Stream
				.of((set.concurrency() > 0)
						? String.format(Locale.ROOT, "run at most %,d jobs at a time", set.concurrency()) : "",
						set.rate().isEmpty() ? "" : "start " + set.rate())
				.filter((limit) -> !limit.isEmpty())
				.collect(Collectors.joining(", and "));
			add(found, Kind.LIMITED, isLong(this.now - lag),
					"Queue %s may %s%s".formatted(name(), limits,
							(set.shards() > 1)
									? String.format(Locale.ROOT, ", divided among its %,d shards", set.shards()) : ""),
					shards.stream().mapToLong(ShardCounts::due).sum(), null, this.now - lag);
		});
	}

	private void add(List<Found> found, Kind kind, boolean warning, String sentence, long waiting,
			@Nullable String group, long since) {
		found.add(new Found(kind, warning ? Severity.WARNING : Severity.NOTE,
				"%s; %s.".formatted(sentence,
						(waiting == 0) ? "no job waits" : Problems.counted(waiting, "job waits", "jobs wait")),
				new Place(name(), null, group, null, since)));
	}

	private String name() {
		return this.snapshot.layout().name();
	}

	private boolean isLong(long since) {
		return since > 0 && this.now - since > LONG;
	}

}
