package io.lowkiq.admin.store;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import io.lowkiq.GroupPolicy;
import io.lowkiq.Ids;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.RateLimit;
import io.lowkiq.admin.GroupAdmin;
import io.lowkiq.admin.GroupLimits;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.GroupOverride.Part;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import org.jspecify.annotations.Nullable;

/** Sets what operators want for one group. Thread-safe. */
final class QueueGroup implements GroupAdmin {

	private final QueueRegistry queues;

	private final QueueLayout queue;

	private final String group;

	private final Audits audits;

	QueueGroup(QueueRegistry queues, QueueLayout queue, String group, Audits audits) {
		this.queues = queues;
		this.queue = queue;
		this.group = check(queue, group);
		this.audits = audits;
	}

	static String check(QueueLayout queue, String group) {
		if (group.isEmpty()) {
			throw new IllegalArgumentException(
					"The name of the group is empty. Ids without the separator can't be paused or limited as a group");
		}
		if (!queue.oneShardPerGroup().isEmpty() && group.contains(queue.oneShardPerGroup())) {
			throw new IllegalArgumentException(
					"Queue '%s' has no group '%s': the name of a group ends before the first '%s' of an id"
						.formatted(queue.name(), LogText.of(group), queue.oneShardPerGroup()));
		}
		return Ids.check(group);
	}

	/** Checks the limits of a group, and says that somebody sets them. */
	static GroupOverride override(QueueLayout queue, GroupLimits limits, String by) {
		Integer concurrency = limits.concurrency();
		RateLimit rate = limits.rate();
		Integer weight = limits.weight();
		if (concurrency != null) {
			checkRange("concurrency", concurrency, RateLimit.MAX);
			requireOneShard(queue, "concurrency");
		}
		if (rate != null) {
			if (!rate.isValid() || rate.period().toNanosPart() % 1_000_000 != 0) {
				throw new IllegalArgumentException(String.format(Locale.ROOT,
						"The rate is %s; it must be 1 to %,d starts in 1 millisecond to 1 day, in whole milliseconds, and starts must be at most a minute apart, since a shard that moves has saved up none",
						rate, RateLimit.MAX));
			}
			requireOneShard(queue, "rate");
		}
		if (weight != null) {
			checkRange("weight", weight, GroupPolicy.MAX_WEIGHT);
		}
		return new GroupOverride(null, change(concurrency, by), change(rate, by), change(weight, by));
	}

	private static <T> @Nullable Change<T> change(@Nullable T value, String by) {
		return (value != null) ? new Change<>(value, by, 0) : null;
	}

	@Override
	public GroupOverride settings() {
		return this.queues.overrides(this.queue).groups().getOrDefault(this.group, GroupOverride.NONE);
	}

	@Override
	public void pause() {
		set("pause-group", "was paused", EnumSet.of(Part.PAUSE),
				(by) -> new GroupOverride(new Change<>(true, by, 0), null, null, null));
	}

	@Override
	public void resume() {
		set("resume-group", "was resumed", EnumSet.of(Part.PAUSE), (by) -> GroupOverride.NONE);
	}

	@Override
	public void concurrency(int jobs) {
		limit("set-group-concurrency", String.format(Locale.ROOT, "has at most %,d running jobs now", jobs),
				Part.CONCURRENCY, new GroupLimits(jobs, null, null));
	}

	@Override
	public void rate(RateLimit rate) {
		limit("set-group-rate", "may start %s now".formatted(rate), Part.RATE, new GroupLimits(null, rate, null));
	}

	@Override
	public void weight(int weight) {
		limit("set-group-weight", String.format(Locale.ROOT, "has the weight %,d now", weight), Part.WEIGHT,
				new GroupLimits(null, null, weight));
	}

	@Override
	public void reset() {
		set("reset-group", "has the settings of the application again", EnumSet.allOf(Part.class),
				(by) -> GroupOverride.NONE);
	}

	private void limit(String action, String summary, Part part, GroupLimits limits) {
		override(this.queue, limits, "");
		set(action, summary, EnumSet.of(part), (by) -> override(this.queue, limits, by));
	}

	private void set(String action, String summary, Set<Part> parts, Function<String, GroupOverride> override) {
		this.audits.of(this.queue.name(), action, List.of(), (audit) -> {
			this.queues.override(this.queue, Map.of(this.group, override.apply(audit.who())), parts);
			audit.ended(0, true, "Group '%s' %s.".formatted(LogText.of(this.group), summary));
			return this.queue;
		});
	}

	private static void checkRange(String name, int value, int most) {
		if (value < 1 || value > most) {
			throw new IllegalArgumentException(String.format(Locale.ROOT,
					"The %s of a group is %s; it must be between 1 and %,d", name, value, most));
		}
	}

	private static void requireOneShard(QueueLayout queue, String setting) {
		if (queue.oneShardPerGroup().isEmpty()) {
			throw new InvalidQueueException(
					"The %s of a group of queue '%s' can't be limited, because the ids of a group are spread over all shards; it needs one-shard-per-group=true, which only a new queue can have. A pause and a weight need nothing"
						.formatted(setting, queue.name()));
		}
	}

}
