package io.lowkiq.simulation;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.WorkerRegistry;
import io.lowkiq.reliability.program.DrawnLimits;
import io.lowkiq.reliability.program.Surroundings;
import io.lowkiq.reliability.program.Workload;
import io.lowkiq.store.job.Shard;

/**
 * Everything that was chosen for a run, or drawn from its seed.
 *
 * @param draw the seed from which the options are drawn
 * @param runs how long faults are injected
 * @param without the numbers of planned faults to do without
 * @param work the part of the work to do, in percent
 * @param jobs the numbers of the payloads to enqueue; empty for all
 * @param fetchAhead how many jobs are fetched ahead
 * @param pause how long a producer waits between two chunks, on average
 * @param failures how many runs of a thousand fail
 * @param faultPause the time between two faults, on average
 * @param weighted whether the queues have weights
 * @param poisoned whether one payload crashes each node that performs it
 * @param emptied whether Redis loses everything once, and the queues are of generation 2
 * @param rests whether producers and faults rest, so that leases last until shards forget
 * where follow-ups come from
 */
record Options(long seed, long draw, int nodes, Duration lease, Duration runs, Faults faults, List<Integer> without,
		int work, List<Long> jobs, int threads, int shards, int fetchAhead, int ids, Duration pause, int failures,
		Duration faultPause, boolean weighted, boolean poisoned, Map<String, DrawnLimits> limits, boolean emptied,
		boolean rests) {

	/** How many jobs may begin in a second at least, in each shard and group. */
	private static final int STARTS = 4;

	private static final Duration REST = Duration.ofSeconds(66);

	/** Draws what is not chosen. */
	static Options draw(long seed, long draw, int nodes, Duration lease, Duration runs, Faults faults,
			List<Integer> without, int work, List<Long> jobs) {
		SplittableRandom random = new SplittableRandom(draw);
		int threads = 1 + random.nextInt(5);
		int shards = 1 + random.nextInt(4);
		return new Options(seed, draw, nodes, lease, runs, faults, without, work, jobs, threads, shards,
				random.nextBoolean() ? 100 : 1 + random.nextInt(10), 10 + random.nextInt(60),
				Duration.ofMillis(80 + random.nextInt(400)), random.nextInt(80), faultPause(random),
				random.nextBoolean(), random.nextInt(3) == 0 && faults.kinds().contains(Fault.KILL),
				DrawnLimits.draw(random, shards, STARTS),
				random.nextInt(4) == 0 && faults.kinds().contains(Fault.EMPTY), random.nextInt(4) == 0);
	}

	/** Half of the runs have so many faults that one comes into the effects of others. */
	private static Duration faultPause(SplittableRandom random) {
		return Duration.ofMillis(random.nextBoolean() ? 50 + random.nextInt(400) : 200 + random.nextInt(2_500));
	}

	/** How long faults are injected, with the rest. */
	Duration lasts() {
		return this.rests ? this.runs.plus(REST) : this.runs;
	}

	/** How much of the rest is left at a time; 0 without a rest. */
	long restLeft(long nanos) {
		long begin = this.runs.toNanos() / 3;
		return (this.rests && nanos > begin) ? Math.max(begin + REST.toNanos() - nanos, 0) : 0;
	}

	/** The workers of the queues, with the limits of the run. */
	WorkerRegistry workers(Surroundings surroundings) {
		return DrawnLimits.apply(Workload.workers(this.shards, surroundings), this.limits);
	}

	/** The shards of all queues, also of a generation that nobody is to serve. */
	List<Shard> allShards() {
		int generations = this.emptied ? 2 : 1;
		return Workload.QUEUES.stream()
			.flatMap((queue) -> IntStream.range(0, generations * this.shards)
				.mapToObj((i) -> new Shard(queue, 1 + i / this.shards, i % this.shards)))
			.toList();
	}

	/** A stream of random numbers of its own for each use. */
	SplittableRandom random(int use) {
		return new SplittableRandom(this.seed * 1_000_003 + use);
	}

	/** The same without some more faults. */
	Options without(Collection<Integer> more) {
		List<Integer> all = Stream.concat(this.without.stream(), more.stream()).distinct().sorted().toList();
		return draw(this.seed, this.draw, this.nodes, this.lease, this.runs, this.faults, all, this.work, this.jobs);
	}

	/** The same with some payloads only. */
	Options jobs(List<Long> some) {
		return draw(this.seed, this.draw, this.nodes, this.lease, this.runs, this.faults, this.without, this.work,
				some);
	}

	/** The same with another number of nodes. */
	Options nodes(int other) {
		return draw(this.seed, this.draw, other, this.lease, this.runs, this.faults, this.without, this.work,
				this.jobs);
	}

	/** The chosen options, as {@link SimulationProgram} takes them. */
	String choices() {
		StringBuilder text = new StringBuilder("seed=").append(this.seed);
		if (this.draw != this.seed) {
			text.append(" draw=").append(this.draw);
		}
		text.append(" nodes=").append(this.nodes);
		text.append(" lease=").append(this.lease.toMillis());
		text.append(" virtual=").append(this.runs.toSeconds());
		if (!this.faults.equals(Faults.ALL)) {
			text.append(" off=").append(names(Faults.ALL.without(this.faults.kinds().toArray(Fault[]::new)).kinds()));
		}
		if (!this.without.isEmpty()) {
			text.append(" without=").append(names(this.without));
		}
		if (this.work != 100) {
			text.append(" work=").append(this.work);
		}
		if (!this.jobs.isEmpty()) {
			text.append(" jobs=").append(names(this.jobs));
		}
		return text.toString();
	}

	private static String names(List<?> values) {
		return values.stream().map(Object::toString).collect(Collectors.joining(","));
	}

}
