package io.lowkiq.engine;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.engine.lease.HeldShard;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.schedule.GroupSettings;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.job.FetchedJob;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts jobs of queues with groups whose ids name no group, so that no limit applies to
 * them. Guarded by the {@link StateLock}.
 */
final class UngroupedJobs {

	private static final Logger logger = LoggerFactory.getLogger(UngroupedJobs.class);

	private final StateLock lock;

	private final LowkiqObserver observer;

	private final Set<ServedQueue> queues = new HashSet<>();

	UngroupedJobs(StateLock lock, LowkiqObserver observer) {
		this.lock = lock;
		this.observer = observer;
	}

	void starts(HeldShard held, Task task) {
		GroupSettings settings = held.turns().queue().settings();
		if (!settings.policy().isAny()) {
			return;
		}
		List<String> ids = task.jobs()
			.stream()
			.map(FetchedJob::id)
			.filter((id) -> settings.groupOf(id).isEmpty())
			.toList();
		if (ids.isEmpty()) {
			return;
		}
		ServedQueue queue = held.shard().queue();
		this.lock.afterwards(() -> this.observer.ungrouped(queue.name(), ids.size()));
		if (settings.areLimited() && this.queues.add(queue)) {
			this.lock.afterwards(() -> logger.warn(
					"Id '{}' of queue '{}' names no group, because it doesn't have '{}' after a name: the limits of groups don't apply to it. The counter lowkiq.jobs.ungrouped has the number of such jobs",
					LogText.of(ids.get(0)), queue.name(), settings.policy().separator()));
		}
	}

}
