package io.lowkiq.reliability.program;

import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;

/**
 * The limits of a queue, the same for all nodes of a run. They let everything end in time
 * after the faults.
 *
 * @param limits the limits of the queue
 * @param separator what separates groups if each is in one shard; else empty
 * @param group the limits of each group
 */
public record DrawnLimits(Limits limits, String separator, Limits group) {

	/** With this one, some groups are many ids, some are one, and some ids have none. */
	private static final String FEW = "1";

	private static final int STARTS = 10;

	private static final Duration SECOND = Duration.ofSeconds(1);

	/**
	 * The workers of programs in real time, which perform more jobs than a simulation.
	 * @param seed draws the limits; 0 for none
	 */
	public static WorkerRegistry workers(int shards, long seed) {
		WorkerRegistry workers = Workload.workers(shards);
		return (seed != 0) ? apply(workers, draw(new SplittableRandom(seed), shards, STARTS)) : workers;
	}

	/**
	 * Draws the limits of a run: half of the runs have some.
	 * @param starts how many jobs may begin in a second at least, in each shard and group
	 */
	public static Map<String, DrawnLimits> draw(RandomGenerator random, int shards, int starts) {
		Map<String, DrawnLimits> drawn = new TreeMap<>();
		if (random.nextBoolean()) {
			for (RegisteredWorker worker : Workload.workers(shards).all()) {
				// An id that waits is performed in time only without limits
				if (worker.settings().gathering().maxWait().isZero() && random.nextInt(4) > 0) {
					drawn.put(worker.queue(), drawOne(random, shards, starts));
				}
			}
		}
		return drawn;
	}

	private static DrawnLimits drawOne(RandomGenerator random, int shards, int starts) {
		Limits limits = random.nextInt(3) > 0 ? limits(random, shards, 12, starts) : Limits.NONE;
		if (random.nextInt(3) == 0) {
			return new DrawnLimits(limits, "", Limits.NONE);
		}
		Limits group = random.nextInt(4) > 0 ? limits(random, 1, 4, starts) : Limits.NONE;
		return new DrawnLimits(limits, random.nextBoolean() ? "-" : FEW, group);
	}

	/**
	 * Each of several parts gets at least one job at a time, and some starts a second.
	 */
	private static Limits limits(RandomGenerator random, int parts, int most, int starts) {
		int concurrency = (random.nextInt(3) > 0) ? parts + random.nextInt(most) : 0;
		boolean isBurst = random.nextBoolean();
		RateLimit rate = new RateLimit(starts * parts + random.nextInt(15 * starts), SECOND,
				isBurst ? parts + random.nextInt(20) : 0);
		return new Limits(concurrency, (random.nextInt(3) > 0) ? rate : null);
	}

	/** Gives workers the limits of a run. */
	public static WorkerRegistry apply(WorkerRegistry workers, Map<String, DrawnLimits> limits) {
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
