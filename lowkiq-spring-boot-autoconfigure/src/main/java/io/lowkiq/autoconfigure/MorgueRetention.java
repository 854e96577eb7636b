package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.time.InstantSource;

import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerStatus.ShardStatus;
import io.lowkiq.internal.BackgroundLoop;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.ShardActions.Step;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Deletes old or too many dead jobs of this node's shards, in small steps, if configured.
 */
class MorgueRetention implements SmartLifecycle, BackgroundLoop.Owner {

	private static final Duration PERIOD = Duration.ofSeconds(10);

	private static final int STEP = 500;

	private static final int MAX_STEPS = 20;

	private final LowkiqServer server;

	private final RedisStore store;

	private final @Nullable Duration maxAge;

	private final @Nullable Integer maxJobs;

	private final BackgroundLoop loop;

	MorgueRetention(LowkiqServer server, RedisStore store, @Nullable Duration maxAge, @Nullable Integer maxJobs) {
		this.server = server;
		this.store = store;
		this.maxAge = maxAge;
		this.maxJobs = maxJobs;
		this.loop = new BackgroundLoop("morgue-retention", "Dead jobs that are too old or too many are not deleted",
				PERIOD, this::round, InstantSource.system());
	}

	@Override
	public void start() {
		if (this.maxAge != null || this.maxJobs != null) {
			this.loop.start(PERIOD);
		}
	}

	@Override
	public void stop() {
		this.loop.close();
	}

	@Override
	public boolean isRunning() {
		return this.loop.isRunning();
	}

	@Override
	public BackgroundLoop loop() {
		return this.loop;
	}

	private void round() {
		this.server.status()
			.shards()
			.stream()
			.filter((shard) -> shard.held() && !shard.newer())
			.map(ShardStatus::shard)
			.forEach(this::trim);
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
