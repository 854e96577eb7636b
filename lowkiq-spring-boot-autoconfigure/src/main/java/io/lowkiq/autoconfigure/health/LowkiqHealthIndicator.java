package io.lowkiq.autoconfigure.health;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import io.lowkiq.internal.BackgroundLoop;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.engine.ServerStatus.RefusedQueue;
import io.lowkiq.engine.ServerStatus.ShardStatus;
import io.lowkiq.engine.ServerStatus.State;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.StoreException;

/**
 * Tells whether jobs are performed: down when the server has failed, the store can't be
 * reached, or shards stay without an owner.
 */
class LowkiqHealthIndicator extends AbstractHealthIndicator {

	private final Supplier<ServerStatus> status;

	private final QueueRegistry queues;

	private final InstantSource clock;

	private final Duration patience;

	private final LongSupplier held;

	private final Supplier<List<String>> unserved;

	private final Supplier<Map<String, String>> foreign;

	private final Supplier<List<BackgroundLoop.Status>> loops;

	private final boolean isServing;

	/**
	 * A health indicator.
	 * @param status what the server does
	 * @param queues asked whether the store answers, where the server doesn't know
	 * @param clock the clock of the server
	 * @param patience how long a shard may have no owner
	 * @param held counts the jobs on hold of all queues
	 * @param unserved finds the queues that no node serves
	 * @param foreign finds the queues that another application serves with other payloads
	 * @param loops how the background tasks are doing
	 * @param isServing whether this application is to perform jobs; if not, it only
	 * enqueues
	 */
	LowkiqHealthIndicator(Supplier<ServerStatus> status, QueueRegistry queues, InstantSource clock, Duration patience,
			LongSupplier held, Supplier<List<String>> unserved, Supplier<Map<String, String>> foreign,
			Supplier<List<BackgroundLoop.Status>> loops, boolean isServing) {
		super("Lowkiq health check failed");
		this.status = status;
		this.queues = queues;
		this.clock = clock;
		this.patience = patience;
		this.held = held;
		this.unserved = unserved;
		this.foreign = foreign;
		this.loops = loops;
		this.isServing = isServing;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		ServerStatus now = this.status.get();
		builder.up();
		if (this.isServing) {
			builder.withDetail("server", now.state().name().toLowerCase(Locale.ROOT)).withDetail("node", now.node());
		}
		else {
			builder.withDetail("server", "none, this application only enqueues");
		}
		if (now.state() == State.FAILED) {
			builder.down();
			if (now.failure() != null) {
				builder.withException(now.failure());
			}
			return;
		}
		checkStore(builder, now);
		if (now.clockDifference() != null) {
			builder.withDetail("clock", now.clockDifference());
		}
		addHeld(builder);
		addUnserved(builder);
		addForeign(builder);
		addFailingTasks(builder);
		if (!now.stoppedQueues().isEmpty()) {
			builder.withDetail("stoppedQueues", now.stoppedQueues());
		}
		checkOwners(builder, now);
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
		}
		else if (now.state() != State.RUNNING) {
			try {
				this.queues.all();
			}
			catch (StoreException ex) {
				builder.down(ex);
			}
		}
	}

	/** Jobs that wait for a person are no fault of the server. */
	private void addHeld(Health.Builder builder) {
		try {
			long jobs = this.held.getAsLong();
			if (jobs > 0) {
				builder.withDetail("jobsOnHold", jobs);
			}
		}
		catch (StoreException ex) {
			// That the store can't be reached is known from the server
		}
	}

	/** Another application may have been shut down on purpose. */
	private void addUnserved(Health.Builder builder) {
		try {
			List<String> queues = this.unserved.get();
			if (!queues.isEmpty()) {
				builder.withDetail("queuesWithoutNode", queues);
			}
		}
		catch (StoreException ex) {
			// That the store can't be reached is known from the server
		}
	}

	/** A matter of how the applications are set up, no fault of the server. */
	private void addForeign(Health.Builder builder) {
		try {
			Map<String, String> queues = this.foreign.get();
			if (!queues.isEmpty()) {
				builder.withDetail("foreignQueues", queues);
			}
		}
		catch (StoreException ex) {
			// That the store can't be reached is known from the server
		}
	}

	/** Jobs are performed all the same. */
	private void addFailingTasks(Health.Builder builder) {
		Map<String, String> problems = new LinkedHashMap<>();
		this.loops.get().forEach((loop) -> {
			if (loop.problem() != null) {
				problems.put(loop.name(), loop.problem());
			}
		});
		if (!problems.isEmpty()) {
			builder.withDetail("failingTasks", problems);
		}
	}

	private void checkOwners(Health.Builder builder, ServerStatus now) {
		if (now.state() != State.RUNNING) {
			return;
		}
		Instant limit = this.clock.instant().minus(this.patience);
		Map<Boolean, List<ShardStatus>> byHeld = now.shards()
			.stream()
			.collect(Collectors.partitioningBy(ShardStatus::held));
		builder.withDetail("shardsHeld", byHeld.getOrDefault(true, List.of()).size());
		List<String> unowned = byHeld.getOrDefault(false, List.of())
			.stream()
			.filter((shard) -> shard.holder() == null && shard.since().isBefore(limit)
					&& !now.stoppedQueues().contains(shard.shard().queue()))
			.map((shard) -> shard.shard().toString())
			.toList();
		if (!unowned.isEmpty()) {
			builder.down().withDetail("unownedShards", unowned);
		}
	}

}
