package io.lowkiq.autoconfigure.health;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.lowkiq.StoreException;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.engine.ServerStatus.RefusedQueue;
import io.lowkiq.engine.ServerStatus.ShardStatus;
import io.lowkiq.engine.ServerStatus.State;
import io.lowkiq.internal.BackgroundLoop;
import io.lowkiq.metrics.QueueStatistics.QueueCounts;
import io.lowkiq.metrics.QueueStatistics.Snapshot;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.util.ObjectUtils;

/**
 * Tells whether jobs are performed: down when the server has failed, the store can't be
 * reached, or shards stay without an owner. Reads the store only while the server knows
 * of no problem with it, and not again after a call that failed: so a store that hangs
 * delays the answer by one timeout at most.
 */
class LowkiqHealthIndicator extends AbstractHealthIndicator {

	private final Supplier<ServerStatus> status;

	private final Supplier<Snapshot> counts;

	private final UnownedShards unownedShards;

	private final Map<String, Supplier<?>> details;

	private final Supplier<List<BackgroundLoop.Status>> loops;

	private final @Nullable String idleBecause;

	/**
	 * Creates the indicator.
	 * @param details by its name, what people should know of the store, though jobs are
	 * performed all the same
	 */
	LowkiqHealthIndicator(Supplier<ServerStatus> status, Supplier<Snapshot> counts, UnownedShards unownedShards,
			Map<String, Supplier<?>> details, Supplier<List<BackgroundLoop.Status>> loops,
			@Nullable String idleBecause) {
		super("Lowkiq health check failed");
		this.status = status;
		this.counts = counts;
		this.unownedShards = unownedShards;
		this.details = details;
		this.loops = loops;
		this.idleBecause = idleBecause;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		ServerStatus now = this.status.get();
		builder.up();
		if (this.idleBecause == null) {
			builder.withDetail("server", now.state().name().toLowerCase(Locale.ROOT)).withDetail("node", now.node());
		}
		else {
			builder.withDetail("server", "none, " + this.idleBecause);
		}
		if (now.state() == State.FAILED) {
			builder.down();
			if (now.failure() != null) {
				builder.withException(now.failure());
			}
			return;
		}
		checkStore(builder, now);
		addDetail(builder, "clock", now.clockDifference());
		addDetail(builder, "failingTasks", failingTasks());
		addDetail(builder, "unreadableJobs", now.unreadableJobs());
		addDetail(builder, "stoppedQueues", now.stoppedQueues());
		if (now.state() == State.RUNNING) {
			builder.withDetail("shardsHeld", now.shards().stream().filter(ShardStatus::held).count());
			// A newer version serves them, perhaps on another node
			addDetail(builder, "newerShards",
					now.shards().stream().filter(ShardStatus::newer).map((shard) -> shard.shard().toString()).toList());
		}
		if (!now.refusedQueues().isEmpty()) {
			builder.down()
				.withDetail("refusedQueues",
						now.refusedQueues()
							.stream()
							.collect(Collectors.toMap(RefusedQueue::queue, RefusedQueue::reason, (a, b) -> a)));
		}
	}

	private void checkStore(Health.Builder builder, ServerStatus now) {
		if (now.storeProblem() != null) {
			builder.down().withDetail("store", now.storeProblem());
			return;
		}
		try {
			Snapshot reading = this.counts.get();
			long held = reading.sum(QueueCounts::held);
			// Jobs that wait for a person are no fault of the server
			addDetail(builder, "jobsOnHold", (held > 0) ? held : null);
			checkOwners(builder, now, reading);
			this.details.forEach((name, found) -> addDetail(builder, name, found.get()));
		}
		catch (StoreException ex) {
			if (now.state() != State.RUNNING) {
				builder.down(ex);
			}
			// A running server says itself that the store can't be reached
		}
	}

	private void checkOwners(Health.Builder builder, ServerStatus now, Snapshot reading) {
		if (now.state() != State.RUNNING) {
			return;
		}
		Set<Shard> served = now.shards()
			.stream()
			.filter((shard) -> !shard.held() && !shard.newer() && !now.stoppedQueues().contains(shard.shard().queue())
					&& !now.foreignQueues().containsKey(shard.shard().queue()))
			.map(ShardStatus::shard)
			.collect(Collectors.toUnmodifiableSet());
		List<String> unowned = this.unownedShards.after(reading)
			.stream()
			.filter(served::contains)
			.map(Shard::toString)
			.toList();
		if (!unowned.isEmpty()) {
			builder.down().withDetail("unownedShards", unowned);
		}
	}

	private static void addDetail(Health.Builder builder, String name, @Nullable Object found) {
		if (found != null && !ObjectUtils.isEmpty(found)) {
			builder.withDetail(name, found);
		}
	}

	private Map<String, String> failingTasks() {
		Map<String, String> problems = new LinkedHashMap<>();
		this.loops.get().forEach((loop) -> {
			if (loop.problem() != null) {
				problems.put(loop.name(), loop.problem());
			}
		});
		return problems;
	}

}
