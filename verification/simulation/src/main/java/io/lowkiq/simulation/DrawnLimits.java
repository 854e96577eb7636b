package io.lowkiq.simulation;

import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.reliability.program.Workload;

/**
 * The limits of a queue, the same for all nodes of a run. They let everything end in time
 * after the faults.
 *
 * @param limits the limits of the queue
 * @param separator what separates groups if each is in one shard; else empty
 * @param group the limits of each group
 */
record DrawnLimits(Limits limits, String separator, Limits group) {

	/** With this one, some groups are many ids, some are one, and some ids have none. */
	private static final String FEW = "1";

	private static final Duration SECOND = Duration.ofSeconds(1);

	/**
	 * Draws the limits of a run: half of the runs have some.
	 * @return the limits by queue
	 */
	static Map<String, DrawnLimits> draw(SplittableRandom random, int shards) {
		Map<String, DrawnLimits> drawn = new TreeMap<>();
		if (random.nextBoolean()) {
			for (RegisteredWorker worker : Workload.workers(shards).all()) {
				// An id that waits is performed in time only without limits
				if (worker.settings().gathering().maxWait().isZero() && random.nextInt(4) > 0) {
					drawn.put(worker.queue(), drawOne(random, shards));
				}
			}
		}
		return drawn;
	}

	private static DrawnLimits drawOne(SplittableRandom random, int shards) {
		Limits limits = random.nextInt(3) > 0 ? limits(random, shards, 12) : Limits.NONE;
		if (random.nextInt(3) == 0) {
			return new DrawnLimits(limits, "", Limits.NONE);
		}
		Limits group = random.nextInt(4) > 0 ? limits(random, 1, 4) : Limits.NONE;
		return new DrawnLimits(limits, random.nextBoolean() ? "-" : FEW, group);
	}

	/**
	 * Each of several parts gets at least one job at a time, and four starts a second.
	 */
	private static Limits limits(SplittableRandom random, int parts, int most) {
		int concurrency = (random.nextInt(3) > 0) ? parts + random.nextInt(most) : 0;
		boolean isBurst = random.nextBoolean();
		RateLimit rate = new RateLimit(4 * parts + random.nextInt(60), SECOND,
				isBurst ? parts + random.nextInt(20) : 0);
		return new Limits(concurrency, (random.nextInt(3) > 0) ? rate : null);
	}

	/** The workers with the limits of a run. */
	static WorkerRegistry apply(WorkerRegistry workers, Map<String, DrawnLimits> limits) {
		return new WorkerRegistry(workers.all().stream().map((worker) -> {
			DrawnLimits drawn = limits.get(worker.queue());
			return (drawn != null) ? drawn.apply(worker) : worker;
		}).toList());
	}

	private RegisteredWorker apply(RegisteredWorker worker) {
		RegisteredWorker.Settings settings = worker.settings().with(this.limits);
		if (!this.separator.isEmpty()) {
			GroupPolicy own = settings.groups();
			settings = settings.with(new GroupPolicy(this.separator, own.maxShare(), own.weights(), true, this.group));
		}
		return new RegisteredWorker(worker.queue(), worker.workerClass(), worker.payloadType(), settings,
				worker.worker());
	}

}
