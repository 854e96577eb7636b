package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;

import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerStatus.ShardStatus;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.ShardActions.Step;
import io.lowkiq.store.inspection.ShardCounts;

/**
 * Deletes dead jobs that are too old or too many, of the shards that this node owns, in
 * steps of bounded size. Does nothing unless it is configured.
 */
class MorgueRetention implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(MorgueRetention.class);

	private static final Duration PERIOD = Duration.ofSeconds(10);

	/** How many jobs one step deletes. */
	private static final int STEP = 500;

	/** How many steps one round makes for a shard. */
	private static final int MAX_STEPS = 20;

	private final LowkiqServer server;

	private final InspectableStore store;

	private final @Nullable Duration maxAge;

	private final @Nullable Integer maxJobs;

	/** Guarded by the monitor. */
	private @Nullable ScheduledExecutorService executor;

	/**
	 * A retention.
	 * @param server says which shards this node owns
	 * @param store where the dead jobs are
	 * @param maxAge how long they are kept; null for ever
	 * @param maxJobs how many are kept of each shard; null for all
	 */
	MorgueRetention(LowkiqServer server, InspectableStore store, @Nullable Duration maxAge, @Nullable Integer maxJobs) {
		this.server = server;
		this.store = store;
		this.maxAge = maxAge;
		this.maxJobs = maxJobs;
	}

	@Override
	public synchronized void start() {
		if (this.executor == null && (this.maxAge != null || this.maxJobs != null)) {
			this.executor = Executors.newSingleThreadScheduledExecutor((task) -> {
				Thread thread = new Thread(task, "lowkiq-morgue");
				thread.setDaemon(true);
				return thread;
			});
			var unused = this.executor.scheduleWithFixedDelay(this::round, PERIOD.toMillis(), PERIOD.toMillis(),
					TimeUnit.MILLISECONDS);
		}
	}

	@Override
	public synchronized void stop() {
		if (this.executor != null) {
			this.executor.shutdownNow();
			this.executor = null;
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.executor != null;
	}

	private void round() {
		List<Shard> owned = this.server.status()
			.shards()
			.stream()
			.filter(ShardStatus::held)
			.map(ShardStatus::shard)
			.toList();
		try {
			owned.forEach(this::trim);
		}
		catch (StoreException ex) {
			logger.debug("Could not delete dead jobs", ex);
		}
		catch (Throwable ex) {
			// The next round is made in any case
			logger.warn("Could not delete dead jobs", ex);
		}
	}

	/** Deletes what is not to be kept of a shard. */
	void trim(Shard shard) {
		ShardCounts counts = this.store.inspection().counts(shard);
		if (this.maxAge != null) {
			long before = counts.now() - this.maxAge.toMillis();
			Step step = new Step(0, counts.dead() > 0);
			for (int i = 0; i < MAX_STEPS && step.more(); i++) {
				step = this.store.actions().deleteAllDead(shard, STEP, before);
			}
		}
		if (this.maxJobs != null) {
			long surplus = this.store.inspection().counts(shard).dead() - this.maxJobs;
			for (int i = 0; i < MAX_STEPS && surplus > 0; i++) {
				surplus -= this.store.actions()
					.deleteAllDead(shard, (int) Math.min(surplus, STEP), Long.MAX_VALUE)
					.changed();
			}
		}
	}

}
