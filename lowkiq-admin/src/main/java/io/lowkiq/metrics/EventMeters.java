package io.lowkiq.metrics;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** The timers and counters of one registry. */
final class EventMeters {

	private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

	private final MeterRegistry registry;

	/**
	 * By queue and outcome: a look-up in the registry for each job would be expensive.
	 */
	private final Map<Key, Timer> timers = new ConcurrentHashMap<>();

	private final Map<String, Timer> waits = new ConcurrentHashMap<>();

	private final Map<String, DistributionSummary> payloads = new ConcurrentHashMap<>();

	private final Map<Key, Counter> counters = new ConcurrentHashMap<>();

	private final Counter leasesLost;

	private final Counter everythingForgotten;

	private final Counter callsForgotten;

	private record Key(String name, String queue, String outcome) {
	}

	EventMeters(MeterRegistry registry) {
		this.registry = registry;
		this.leasesLost = Counter.builder("lowkiq.leases.lost")
			.description("Sessions of this node that lapsed, with all their leases")
			.register(registry);
		this.everythingForgotten = forgotten("everything");
		this.callsForgotten = forgotten("calls");
	}

	private Counter forgotten(String degree) {
		return Counter.builder("lowkiq.redis.forgotten")
			.description("Losses of data in Redis that this node has noticed")
			.tag("degree", degree)
			.register(this.registry);
	}

	void enqueued(String queue, int merged, Duration took) {
		timer("lowkiq.enqueue", queue, "done").record(took);
		count("lowkiq.jobs.merged", queue, merged);
	}

	void enqueueFailed(String queue, Duration took) {
		timer("lowkiq.enqueue", queue, "failed").record(took);
	}

	void begins(String queue, int payloads, Duration waited) {
		this.waits.computeIfAbsent(queue, this::wait).record(waited);
		this.payloads.computeIfAbsent(queue, this::payloads).record(payloads);
	}

	private Timer wait(String queue) {
		return Timer.builder("lowkiq.wait")
			.description("How long jobs were due before their worker was called")
			.tag("queue", queue)
			.publishPercentileHistogram()
			.maximumExpectedValue(LONGEST_WAIT)
			.register(this.registry);
	}

	private DistributionSummary payloads(String queue) {
		return DistributionSummary.builder("lowkiq.perform.payloads")
			.description("Payloads of a job when its worker was called")
			.tag("queue", queue)
			.register(this.registry);
	}

	void performed(String queue, int done, int failed, Duration took) {
		String outcome = (failed == 0) ? "done" : (done == 0) ? "failed" : "partly";
		timer("lowkiq.perform", queue, outcome).record(took);
		count("lowkiq.jobs.processed", queue, done);
		count("lowkiq.jobs.failed", queue, failed);
	}

	void count(String name, String queue, int amount) {
		this.counters.computeIfAbsent(new Key(name, queue, ""), this::counter).increment(amount);
	}

	void leaseLost() {
		this.leasesLost.increment();
	}

	void everythingForgotten() {
		this.everythingForgotten.increment();
	}

	void callsForgotten() {
		this.callsForgotten.increment();
	}

	private Timer timer(String name, String queue, String outcome) {
		return this.timers.computeIfAbsent(new Key(name, queue, outcome), this::timer);
	}

	private Timer timer(Key key) {
		return Timer.builder(key.name())
			.description(key.name().equals("lowkiq.perform") ? "Calls of workers" : "Enqueues")
			.tag("queue", key.queue())
			.tag("outcome", key.outcome())
			.register(this.registry);
	}

	private Counter counter(Key key) {
		return Counter.builder(key.name())
			.description(description(key.name()))
			.tag("queue", key.queue())
			.register(this.registry);
	}

	private static String description(String name) {
		return switch (name) {
			case "lowkiq.jobs.processed" -> "Jobs completed successfully";
			case "lowkiq.jobs.failed" -> "Jobs that failed";
			case "lowkiq.jobs.buried" -> "Payloads that went to the morgue";
			case "lowkiq.jobs.ungrouped" -> "Jobs that began in a queue with groups, and whose ids name none";
			case "lowkiq.jobs.merged" -> "Enqueued jobs that merged with a queued job";
			case "lowkiq.jobs.restored" -> "Jobs that were put back because a node crashed or an answer was lost";
			default -> "Calls refused by the store because the shard has a new owner";
		};
	}

}
