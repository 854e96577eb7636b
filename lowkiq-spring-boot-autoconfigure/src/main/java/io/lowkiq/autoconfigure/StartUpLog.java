package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.RateLimit;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.internal.DurationText;
import io.lowkiq.redis.RedisStore;

/** Says at start what this server serves, and where the jobs are. */
class StartUpLog {

	private static final Logger logger = LoggerFactory.getLogger(StartUpLog.class);

	/** Between two starts of a shard, in nanoseconds; above it, a line says so. */
	private static final long LONGEST_INTERVAL = Duration.ofSeconds(10).toNanos();

	private final WorkerRegistry workers;

	private final RedisStore store;

	private final LowkiqProperties.Server properties;

	private final boolean isVirtual;

	StartUpLog(WorkerRegistry workers, RedisStore store, LowkiqProperties.Server properties, boolean isVirtual) {
		this.workers = workers;
		this.store = store;
		this.properties = properties;
		this.isVirtual = isVirtual;
	}

	void write() {
		logger.info("Queues: {}", queues());
		logger.info("Workers: {}", workers());
		logger.info("Threads: {} {}", this.properties.threads(),
				this.isVirtual ? "virtual threads" : "platform threads");
		this.workers.all().forEach(StartUpLog::writeSlowShards);
		writeStore();
	}

	private static void writeSlowShards(RegisteredWorker worker) {
		RateLimit rate = worker.settings().limits().rate();
		int shards = worker.settings().shards();
		if (rate != null && rate.interval(shards) > LONGEST_INTERVAL) {
			logger.info(
					"Queue '{}' may start {}, divided among its {} shards: each starts a job every {}. Fewer shards, which only a new queue can have, start it earlier",
					worker.queue(), rate, shards, DurationText.of(Duration.ofNanos(rate.interval(shards))));
		}
	}

	/** Only where the jobs are, for an application that only enqueues. */
	void writeStore() {
		logger.info("Redis: {}, keys begin with '{}'", this.store.address(), this.store.keyPrefix());
	}

	private String queues() {
		return this.workers.all()
			.stream()
			.map((worker) -> "%s (%s shards)".formatted(worker.queue(), worker.settings().shards()))
			.collect(Collectors.joining(", "));
	}

	private String workers() {
		return this.workers.all().stream().map(StartUpLog::describe).collect(Collectors.joining(", "));
	}

	private static String describe(RegisteredWorker worker) {
		String type = worker.workerClass().getSimpleName();
		return type.equals(worker.queue()) ? type : "%s (%s)".formatted(type, worker.queue());
	}

}
