package io.lowkiq.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

import io.lowkiq.GroupPolicy;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.ServerSettings;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.engine.schedule.LagShardScheduler;
import io.lowkiq.engine.schedule.WeightedShardScheduler;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.program.DrawnLimits;
import io.lowkiq.reliability.program.PerformRecorder;
import io.lowkiq.reliability.program.PuzzledCodec;
import io.lowkiq.reliability.program.RecordingStore;
import io.lowkiq.reliability.program.Workload;

/** A node: a whole server in a simulated process. */
final class SimulatedNode {

	private final SimulatedProcess process;

	private final Network network;

	private final LowkiqServer server;

	private final Thread starter;

	private boolean wasUp = true;

	SimulatedNode(SimulatedProcess process, Scheduler scheduler, Network network, SimulatedRedis redis, Options options,
			int producer, ForgottenCheck forgotten) {
		this.process = process;
		this.network = network;
		WorkerRegistry workers = DrawnLimits
			.apply(grouped(Workload.workers(options.shards(), process), process.random()), options.limits());
		RedisStore store = new RedisStore(new SimulatedConnections(process, scheduler, network, redis), "lowkiq", null);
		ThreadPerformContext context = new ThreadPerformContext(new ShardedLowkiqClient(workers, store.shards(),
				store.queues(), new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE)::keeping);
		RandomGenerator random = process.random();
		this.server = new LowkiqServer(new ServerOptions(workers,
				new RecordingStore(store, process, process,
						() -> process.write(new Event.ProcessUp(process.nanoTime(), process.name()))))
			.settings(new ServerSettings(options.threads(), Duration.ofSeconds(1), options.lease(),
					options.fetchAhead(), false))
			.interceptors(List
				.of(new PerformRecorder(process, process, process.name(), context, options.failures(), producer)))
			.performContext(context)
			.observer(new LowkiqObserver() {

				@Override
				public void callsForgotten(int shards) {
					forgotten.said();
				}

			})
			.codec(new PuzzledCodec(process))
			.scheduler(options.weighted() ? new WeightedShardScheduler(String::length, random::nextInt)
					: new LagShardScheduler())
			.clock(() -> Instant.EPOCH.plusNanos(process.nanoTime()))
			.runtime(process)
			.node(process.name()));
		this.starter = process.start("main", true, this.server::start);
	}

	/**
	 * Each process groups ids in its own way, as after a deploy, or not at all, unless
	 * each group is in one shard.
	 */
	private static WorkerRegistry grouped(WorkerRegistry workers, RandomGenerator random) {
		return new WorkerRegistry(workers.all().stream().map((worker) -> grouped(worker, random.nextInt(6))).toList());
	}

	private static RegisteredWorker grouped(RegisteredWorker worker, int draw) {
		GroupPolicy policy = switch (draw) {
			case 0 -> new GroupPolicy("1");
			case 1 -> new GroupPolicy("-", 50, Map.of("id", 2));
			case 2 -> new GroupPolicy("-");
			default -> GroupPolicy.NONE;
		};
		return new RegisteredWorker(worker.queue(), worker.workerClass(), worker.payloadType(),
				worker.settings().with(policy), worker.worker());
	}

	SimulatedProcess process() {
		return this.process;
	}

	Network network() {
		return this.network;
	}

	/** Stops the server in order. */
	void stop(Duration timeout, Runnable done) {
		this.process.start("shutdown", true, () -> {
			this.process.join(this.starter, Long.MAX_VALUE);
			this.server.stop(timeout);
			done.run();
		});
	}

	/** Kills the process; what is left of it ends by itself. */
	void kill() {
		this.process.kill();
		stop(Duration.ZERO, () -> {
		});
	}

	/** Writes down if the health has changed. */
	void seeHealth() {
		ServerStatus now = this.server.status();
		boolean isUp = now.storeProblem() == null && now.state() != ServerStatus.State.STARTING
				&& now.state() != ServerStatus.State.FAILED;
		if (isUp != this.wasUp) {
			this.process.write(new Event.HealthSeen(this.process.nanoTime(), isUp));
			this.wasUp = isUp;
		}
	}

}
