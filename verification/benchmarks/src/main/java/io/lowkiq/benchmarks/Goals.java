package io.lowkiq.benchmarks;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.DoubleStream;

/** The figures that Lowkiq is to reach, beside its peers where there are any. */
final class Goals {

	private static final double GEM_JOBS_PER_SECOND = 1 / 0.65e-3;

	/** In seconds, with the default duration. */
	private static final double TWO_LEASES = 30;

	/** A goal beside the best of them is not measured if one is missing. */
	private static final List<Peer> PEERS = List.of(Peer.SIDEKIQ, Peer.BULLMQ);

	private Goals() {
	}

	/** All goals. */
	static List<Goal> all() {
		return List.of(
				new Goal("classic, batch 1: times the fastest peer's jobs/s", 10, true,
						(r) -> rate(r, "Lowkiq, batch 1", Phase.PERFORM) / fastestPeer(r)),
				new Goal("classic, batch 1: times the gem's published 0.65 ms a job", 100, true,
						(r) -> rate(r, "Lowkiq, batch 1", Phase.PERFORM) / GEM_JOBS_PER_SECOND),
				new Goal("classic, batch 1: Redis CPU µs a job, fetch and complete", 4, false,
						(r) -> of(r, "classic", "Lowkiq, batch 1", Phase.PERFORM, Figure.STORAGE_CPU)),
				new Goal("classic, one job a call: times the fastest peer's jobs/s", 1, true,
						(r) -> rate(r, "Lowkiq, batch 1, fetch-ahead off", Phase.PERFORM) / fastestPeer(r)),
				new Goal("classic, one job a call, 50 threads as BullMQ has: times the fastest peer's jobs/s", 1, true,
						(r) -> rate(r, "Lowkiq, 50 threads, fetch-ahead off", Phase.PERFORM) / fastestPeer(r)),
				new Goal("bulk enqueue: times Sidekiq's jobs/s", 2.5, true,
						(r) -> rate(r, "Lowkiq, batch 1", Phase.ENQUEUE) / rate(r, "Sidekiq", Phase.ENQUEUE)),
				new Goal("bulk enqueue: times BullMQ's jobs/s", 12, true,
						(r) -> rate(r, "Lowkiq, batch 1", Phase.ENQUEUE) / rate(r, "BullMQ", Phase.ENQUEUE)),
				new Goal("idle latency: median ms", 1, false, (r) -> idle(r, Figure.P50)),
				new Goal("idle latency: p99 ms", 3, false, (r) -> idle(r, Figure.P99)),
				new Goal("idle latency: median as a part of the best peer's", 1, false,
						(r) -> idle(r, Figure.P50) / bestPeerLatency(r, Figure.P50)),
				new Goal("idle latency: p99 as a part of the best peer's", 1, false,
						(r) -> idle(r, Figure.P99) / bestPeerLatency(r, Figure.P99)),
				new Goal("scale, perform: largest time a job as a part of that with the fewest queued", 1.25, false,
						(r) -> growth(r, EnumSet.of(Phase.PERFORM))),
				new Goal("scale, enqueue and perform: largest time a job as a part of that with the fewest queued",
						1.25, false, (r) -> growth(r, EnumSet.of(Phase.ENQUEUE, Phase.PERFORM))),
				mixed("mixed-220", "median", Figure.P50), mixed("mixed-220", "p95", Figure.P95),
				mixed("mixed-220", "p99", Figure.P99), mixed("mixed-20", "median", Figure.P50),
				mixed("mixed-20", "p95", Figure.P95), mixed("mixed-20", "p99", Figure.P99),
				new Goal("one 60 s run in each shard: p99 wait of all other ids, ms", 50, false,
						(r) -> of(r, "long-runs", "Lowkiq", Phase.LOAD, Figure.P99)),
				new Goal("1,000 virtual threads, 24 shards, 100 ms each: jobs/s", 5_000, true,
						(r) -> of(r, "virtual-threads", "Lowkiq", Phase.PERFORM, Figure.RATE)),
				new Goal("coalescing, performed meanwhile: Redis CPU µs a change", 10, false,
						(r) -> of(r, "coalescing", "Lowkiq, 1,000 ids, performed meanwhile", Phase.PERFORM,
								Figure.STORAGE_CPU)),
				new Goal("5 % bad and 5 % passing failures: p99 ms of a good payload from enqueue to success", 2_000,
						false,
						(r) -> of(r, "failures", "Lowkiq, buryOn and RetryAfterException", Phase.LOAD, Figure.P99)),
				new Goal("5 % bad and 5 % passing failures: runs of payloads known to be bad", 0, false,
						(r) -> of(r, "failures", "Lowkiq, buryOn and RetryAfterException", Phase.LOAD, Figure.WASTED)),
				new Goal("gathering, 100,000 changes at once to 1,000 ids: runs", 1_000, false,
						(r) -> of(r, "gathering", "Lowkiq, 100,000 changes at once", Phase.LOAD, Figure.PERFORMS)),
				new Goal("gathering, 100,000 changes in 20 s: runs at most 50 ms after the longest wait, %", 99.9, true,
						(r) -> of(r, "gathering", "Lowkiq, 100,000 changes in 20 s", Phase.LOAD, Figure.KEPT)),
				new Goal("memory: bytes of Redis a job with a payload of 100 bytes", 220, false,
						(r) -> of(r, "memory", "Lowkiq", Phase.ENQUEUE, Figure.BYTES)),
				new Goal("silence: Redis commands per second, 5 threads, 100 shards", 2, false,
						(r) -> of(r, "silence", "Lowkiq", Phase.SILENCE, Figure.COMMANDS_PER_SECOND)),
				new Goal("hot id: Redis CPU µs a push", 20, false,
						(r) -> of(r, "hot", "Lowkiq", Phase.HOT, Figure.STORAGE_CPU)),
				new Goal("hot id: longest stop of Redis, ms", 10, false,
						(r) -> of(r, "hot", "Lowkiq", Phase.HOT, Figure.LONGEST_COMMAND)),
				new Goal("hot id: largest latency of other shards, ms", 10, false,
						(r) -> of(r, "hot", "Lowkiq", Phase.HOT, Figure.MAX)),
				new Goal("50 nodes, 5,000 shards: seconds until distributed evenly after the start", TWO_LEASES, false,
						(r) -> of(r, "fleet", "Lowkiq", Phase.SILENCE, Figure.EVEN_AFTER_START)),
				new Goal("50 nodes, 5,000 shards: seconds until distributed evenly after a death", TWO_LEASES, false,
						(r) -> of(r, "fleet", "Lowkiq", Phase.SILENCE, Figure.EVEN_AFTER_DEATH)),
				new Goal("50 nodes, 5,000 shards: bytes/s through Redis while nothing is done", 200_000, false,
						(r) -> of(r, "fleet", "Lowkiq", Phase.SILENCE, Figure.TRAFFIC)));
	}

	/**
	 * One slow job delays nobody: jobs wait as in a queue without order, which at 220/s
	 * is until one of five threads is free.
	 */
	private static Goal mixed(String scenario, String title, Figure figure) {
		return new Goal("%s: %s wait as a part of BullMQ's".formatted(scenario, title), 1, false,
				(r) -> of(r, scenario, "Lowkiq", Phase.LOAD, figure) / of(r, scenario, "BullMQ", Phase.LOAD, figure));
	}

	private static double rate(Results results, String who, Phase phase) {
		return of(results, "classic", who, phase, Figure.RATE);
	}

	private static double fastestPeer(Results results) {
		return peers(results, "classic", Phase.PERFORM, Figure.RATE).max().orElse(Double.NaN);
	}

	private static double idle(Results results, Figure figure) {
		return of(results, "idle", "Lowkiq, one job every 100 ms", Phase.IDLE, figure);
	}

	private static double bestPeerLatency(Results results, Figure figure) {
		return peers(results, "idle", Phase.IDLE, figure).min().orElse(Double.NaN);
	}

	/**
	 * The figures of both peers; not a number for a peer that did not come to its end.
	 */
	private static DoubleStream peers(Results results, String scenario, Phase phase, Figure figure) {
		return PEERS.stream().mapToDouble((peer) -> of(results, scenario, peer.title(), phase, figure));
	}

	/** Of the time that a job takes in all given phases. */
	private static double growth(Results results, Set<Phase> phases) {
		double[] inOrderOfDepth = timePerJob(results, "scale", phases);
		return (inOrderOfDepth.length > 1)
				? DoubleStream.of(inOrderOfDepth).max().orElse(Double.NaN) / inOrderOfDepth[0] : Double.NaN;
	}

	/** The sum over the phases, in the order of measuring. */
	private static double[] timePerJob(Results results, String scenario, Set<Phase> phases) {
		Map<String, Double> sums = new LinkedHashMap<>();
		results.lines()
			.stream()
			.filter((line) -> line.scenario().equals(scenario) && phases.contains(line.phase()))
			.forEach((line) -> sums.merge(line.who(), results.median(line, Figure.WALL).orElse(Double.NaN),
					Double::sum));
		return sums.values().stream().mapToDouble(Double::doubleValue).toArray();
	}

	private static double of(Results results, String scenario, String who, Phase phase, Figure figure) {
		return results.median(scenario, who, phase, figure).orElse(Double.NaN);
	}

}
