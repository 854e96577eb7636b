package io.lowkiq.admin.store;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

import io.lowkiq.InvalidQueueException;
import io.lowkiq.admin.GroupAdmin;
import io.lowkiq.admin.GroupLimits;
import io.lowkiq.admin.NodeActivity;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverride.Part;
import io.lowkiq.store.QueueLayout;

/** The wishes of operators for the groups of queues. Thread-safe. */
final class Groups {

	private final RedisStore store;

	private final WaitingFollowUps followUps;

	private final Audits audits;

	Groups(RedisStore store, WaitingFollowUps followUps, Audits audits) {
		this.store = store;
		this.followUps = followUps;
		this.audits = audits;
	}

	GroupAdmin group(String queue, String group) {
		return new QueueGroup(this.store.queues(), grouped(queue), group, this.audits);
	}

	int limit(String queue, Map<String, GroupLimits> limits) {
		QueueLayout layout = grouped(queue);
		limits.forEach((group, each) -> QueueGroup.override(layout, each, QueueGroup.check(layout, group)));
		return change(layout, "limit-groups", "%,d groups have other limits now.", (who) -> {
			Map<String, GroupOverride> overrides = new HashMap<>();
			limits.forEach((group, each) -> overrides.put(group, QueueGroup.override(layout, each, who)));
			return this.store.queues()
				.override(layout, overrides, EnumSet.of(Part.CONCURRENCY, Part.RATE, Part.WEIGHT));
		});
	}

	SortedMap<String, GroupOverride> forgotten(String queue) {
		QueueLayout layout = this.followUps.layout(queue);
		this.store.queues().overrides(layout);
		return new TreeMap<>(this.store.queues().forgottenOverrides(layout));
	}

	int restore(String queue) {
		SortedMap<String, GroupOverride> forgotten = forgotten(queue);
		QueueLayout layout = this.followUps.layout(queue);
		return change(layout, "restore-groups", "What Redis had forgotten was set again for %,d groups.", (who) -> {
			for (Part part : Part.values()) {
				Map<String, GroupOverride> having = new HashMap<>(forgotten);
				having.values().removeIf((override) -> override.part(part) == null);
				this.store.queues().override(layout, having, EnumSet.of(part));
			}
			return forgotten.size();
		});
	}

	SortedMap<String, GroupOverride> all(String queue) {
		return new TreeMap<>(this.store.queues().overrides(this.followUps.layout(queue)).groups());
	}

	private QueueLayout grouped(String queue) {
		QueueLayout layout = this.followUps.layout(queue);
		List<NodeActivity.QueueSettings> serving = serving(this.store, queue);
		if (!serving.isEmpty() && serving.stream().allMatch((settings) -> settings.groups().separator().isEmpty())) {
			throw new InvalidQueueException(
					"Queue '%s' has no groups; set groups of its worker to the separator between the group and the rest of an id, such as ':'"
						.formatted(queue));
		}
		return layout;
	}

	private int change(QueueLayout queue, String action, String summary, ToIntFunction<String> change) {
		return this.audits.of(queue.name(), action, List.of(), (audit) -> {
			int changed = change.applyAsInt(audit.who());
			audit.ended(changed, true, String.format(Locale.ROOT, summary, changed));
			return changed;
		});
	}

	/** The settings of a queue on the nodes that serve it. */
	static List<NodeActivity.QueueSettings> serving(RedisStore store, String queue) {
		return store.nodes()
			.reports()
			.values()
			.stream()
			.flatMap((report) -> Stream.ofNullable(NodeActivity.of(report).queues().get(queue)))
			.toList();
	}

}
