package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.LowkiqServerEvent;
import io.lowkiq.engine.lease.ServedShards;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.perform.Performer;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.schedule.ShardScheduler;
import io.lowkiq.internal.BackgroundLoop;
import io.lowkiq.internal.PrintableThrowable;
import io.lowkiq.store.Store;

/** Performs the jobs of an application's queues. Thread-safe. */
public final class LowkiqServer implements BackgroundLoop.Owner {

	private static final Logger logger = LoggerFactory.getLogger(LowkiqServer.class);

	private final Parts parts;

	private final StateLock lock;

	private final ServedShards shards;

	private final Performer performer;

	/** Written under the monitor by start, read by all. */
	private volatile @Nullable ServerRun run;

	public LowkiqServer(ServerOptions options) {
		Consumer<LowkiqServerEvent> events = options.events;
		Consumer<LowkiqServerEvent> guarded = (event) -> publish(events, event);
		LowkiqObserver observer = LowkiqObserver
			.guarded(List.of(options.observer, new BurialEvents(options.node, guarded)));
		this.parts = new Parts(options.store, options.settings, observer, options.scheduler, options.clock,
				options.runtime, new ThreadSource(options.threadFactory, options.threadPerRun, options.threadStates),
				guarded, options.node, options.application, options.foreignQueues, new BackgroundLoop("follow-ups",
						"What follows completed jobs waits in their shards", Duration.ofSeconds(5), () -> {
						}, options.clock));
		this.shards = new ServedShards(options.workers, options.store.queues(), options.splitter,
				options.settings.fetchAhead(), options.settings.threads(), options.clock);
		this.lock = new StateLock(options.runtime);
		this.performer = options.performer(observer, this::outOfMemory);
	}

	/** The parts of each run of a server. The application's name may be empty. */
	record Parts(Store store, ServerSettings settings, LowkiqObserver observer, ShardScheduler scheduler,
			InstantSource clock, EngineRuntime runtime, ThreadSource threads, Consumer<LowkiqServerEvent> events,
			String node, String application, Consumer<Map<String, String>> foreignQueues, BackgroundLoop followUps) {
	}

	private static void publish(Consumer<LowkiqServerEvent> events, LowkiqServerEvent event) {
		try {
			events.accept(event);
		}
		catch (Throwable ex) {
			PrintableThrowable.log(ex, (printable) -> logger.warn("A listener for {} threw an exception",
					event.getClass().getSimpleName(), printable));
		}
	}

	private void outOfMemory(String message) {
		ifStarted((current) -> current.fail(message, new OutOfMemoryError(message)));
	}

	private void ifStarted(Consumer<ServerRun> action) {
		ServerRun current = this.run;
		if (current != null) {
			action.accept(current);
		}
	}

	/**
	 * Records the queues of the application in the store.
	 * @throws io.lowkiq.LayoutMismatchException if a queue is recorded with another
	 * number of shards
	 */
	public void registerQueues() {
		this.shards.registerAll();
	}

	/** Starts the server and returns at once. */
	public void start() {
		ServerRun before = this.run;
		if (before != null && !before.isRunning()) {
			// Not within the monitor, as it publishes an event
			before.stop(Duration.ZERO);
		}
		ServerRun begun;
		synchronized (this) {
			if (isRunning() || this.run != before) {
				return;
			}
			begun = new ServerRun(this.parts, this.shards, this.lock, this.performer);
			this.run = begun;
			begun.start();
		}
		begun.publishStarted();
	}

	/** Stops fetching jobs at once. */
	public void quiet() {
		ifStarted(ServerRun::quiet);
	}

	/**
	 * Stops serving a queue on this node, until {@link #startQueue} or the end of the
	 * JVM. A shard goes to another node that serves the queue when nothing of it runs
	 * here; with fixed shards, as of
	 * {@link io.lowkiq.engine.schedule.ByNodeShardSplitter}, nobody takes it.
	 * @throws io.lowkiq.UnknownQueueException if this node has no worker for the queue
	 */
	public boolean stopQueue(String queue) {
		boolean changed = this.shards.stop(queue, true);
		if (changed) {
			logger.warn("Queue '{}' is stopped on node {}: its shards go to other nodes that serve it", queue,
					this.parts.node());
			ifStarted(ServerRun::queuesChanged);
		}
		return changed;
	}

	/**
	 * Serves a queue again that was {@linkplain #stopQueue stopped} on this node: it gets
	 * its part of the shards.
	 * @throws io.lowkiq.UnknownQueueException if this node has no worker for the queue
	 */
	public boolean startQueue(String queue) {
		boolean changed = this.shards.stop(queue, false);
		if (changed) {
			logger.info("Queue '{}' is served again on node {}", queue, this.parts.node());
			ifStarted(ServerRun::queuesChanged);
		}
		return changed;
	}

	/**
	 * Stops the server: {@linkplain #quiet() no more jobs are fetched}, runs in progress
	 * are waited for, their outcomes sent, the leases given back.
	 */
	public boolean stop(Duration timeout) {
		ServerRun current = this.run;
		return current == null || current.stop(timeout);
	}

	/**
	 * Checks all deadlines again and sends a heartbeat: the monotonic clock has jumped.
	 */
	public void clockMoved() {
		ifStarted(ServerRun::clockMoved);
	}

	/** Whether the server was started and not stopped, and has not failed. */
	public boolean isRunning() {
		ServerRun current = this.run;
		return current != null && current.isRunning();
	}

	public boolean isPerforming() {
		ServerRun current = this.run;
		return current != null && current.isPerforming();
	}

	/** The task that moves what follows completed jobs to their queues. */
	@Override
	public BackgroundLoop loop() {
		return this.parts.followUps();
	}

	public ServerStatus status() {
		ServerRun current = this.run;
		if (current != null) {
			return current.status();
		}
		return new ServerStatus(ServerStatus.State.STOPPED, this.parts.node(), null, null, null, null, null, List.of(),
				this.shards.stopped(), this.shards.foreign(), List.of(), List.of(), Map.of());
	}

}
