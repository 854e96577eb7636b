package io.lowkiq.autoconfigure;

import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.redis.RedisStore;

/** Says at start what this server serves, and where the jobs are. */
class StartUpLog {

	private static final Logger logger = LoggerFactory.getLogger(StartUpLog.class);

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
		writeStore();
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
