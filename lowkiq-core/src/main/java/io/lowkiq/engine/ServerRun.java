package io.lowkiq.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.lowkiq.LowkiqServerEvent;
import io.lowkiq.engine.lease.ClusterMembership;
import io.lowkiq.engine.lease.ForgottenCalls;
import io.lowkiq.engine.lease.Leases;
import io.lowkiq.engine.lease.ServedShards;
import io.lowkiq.engine.lease.Session;
import io.lowkiq.engine.lease.ShardCalls;
import io.lowkiq.engine.lease.ShardEvents;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.lease.StoreAvailability;
import io.lowkiq.engine.lease.StoreMemory;
import io.lowkiq.engine.perform.Performer;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.store.Store;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run of a server, from start to stop: makes its parts, starts and ends threads. */
final class ServerRun {

	private static final Logger logger = LoggerFactory.getLogger(ServerRun.class);

	/** The maximum time to give leases back after the last run, if the store is slow. */
	private static final long MAX_RELEASE_TIME = Duration.ofSeconds(3).toNanos();

	private static final Duration FAILURE_TIMEOUT = Duration.ofSeconds(30);

	private static final long MAX_THREAD_END_TIME = Duration.ofSeconds(1).toNanos();

	private final LowkiqServer.Parts parts;

	private final ServedShards shards;

	private final StateLock lock;

	private final Performer performer;

	private final Lifecycle lifecycle = new Lifecycle();

	private final StoreAvailability availability;

	private final ForgottenCalls forgottenCalls;

	private final NodeDescription description;

	private final FollowUpThread followUps;

	private final Deadlines deadlines;

	private final Dispatcher dispatcher;

	private final ShardProcessor processor;

	private final ShardEvents events;

	private final ClusterMembership membership;

	private final PerformThreads performThreads;

	/** Written by stop under the monitor, read by all. */
	private volatile boolean stopped;

	ServerRun(LowkiqServer.Parts parts, ServedShards shards, StateLock lock, Performer performer) {
		this.parts = parts;
		this.shards = shards;
		this.lock = lock;
		this.performer = performer;
		ServerSettings settings = parts.settings();
		EngineRuntime runtime = parts.runtime();
		Store store = parts.store();
		String family = Session.newFamily(runtime);
		this.availability = new StoreAvailability(lock, this::storeIsBack);
		this.followUps = new FollowUpThread(new FollowUpMover(store.shards(), store.queues(), parts.observer(), runtime,
				(lookUp) -> runtime.start("lowkiq-look-up", true, lookUp)), lock, runtime, parts.followUps());
		this.forgottenCalls = new ForgottenCalls(lock, store.nodes(), parts.node(), runtime::nanoTime,
				parts.observer()::callsForgotten);
		ShardCalls calls = new ShardCalls(lock, this.availability, runtime);
		Leases leases = new Leases(lock, store.shards(), calls, this.lifecycle::isQuiet, parts.observer(),
				parts.clock(), runtime::nanoTime, settings.leaseDuration(), family, this.forgottenCalls,
				this.followUps::wake, this::orphaned);
		Suspects suspects = new Suspects(lock);
		Fetcher fetcher = new Fetcher(lock, store.shards(), calls, suspects, parts.observer(), settings.fetchAhead(),
				runtime::nanoTime, this.forgottenCalls, this.followUps::wake);
		this.dispatcher = new Dispatcher(lock, fetcher, suspects, new UngroupedJobs(lock, parts.observer()),
				new ShardChooser(parts.scheduler(), lock, runtime::nanoTime), this.lifecycle, runtime::nanoTime,
				this::isPolling, settings.pollInterval());
		this.deadlines = new Deadlines(lock, runtime);
		this.processor = new ShardProcessor(lock, runtime, leases, this.dispatcher, this.deadlines);
		this.events = new ShardEvents(lock, shards, leases, runtime::nanoTime, this.lifecycle::isAborted,
				(session) -> parts.observer().leaseLost(), this.followUps::wake);
		List<ThreadActivity> activities = IntStream.rangeClosed(1, settings.threads())
			.mapToObj((i) -> new ThreadActivity("lowkiq-perform-" + i, parts.clock()))
			.toList();
		this.description = new NodeDescription(parts.node(), parts.application(), parts.clock().instant(),
				settings.leaseDuration(), shards, activities, this.lifecycle, parts.clock(), lock);
		this.membership = new ClusterMembership(store, family, settings.leaseDuration(), runtime,
				this.description::info, this.availability, shards, parts.foreignQueues(), this.events,
				new StoreMemory(store, shards, parts.node(), runtime, parts.observer()::everythingForgotten),
				this.forgottenCalls, this::eachRound);
		this.performThreads = new PerformThreads(runtime, activities, (activity, ended) -> new PerformThread(runtime,
				parts.threads(), this.dispatcher, performer, shards, activity, ended));
	}

	private void storeIsBack() {
		this.membership.reconnect();
	}

	private boolean isPolling() {
		return this.membership.isPolling();
	}

	private void orphaned(Set<Task> runs) {
		if (this.parts.settings().interruptOnLeaseLoss()) {
			this.performThreads.interrupt(runs);
		}
	}

	private void eachRound(Session session) {
		this.performer.summarizeFailures(false);
		this.events.recheckOneShard();
		this.description.report(session, this.parts.store().nodes(), this.parts.runtime().nanoTime());
		this.forgottenCalls.report();
	}

	synchronized void start() {
		this.lock.begin(this.processor);
		try {
			this.performThreads.start();
			this.deadlines.loop().start(this::fail);
			this.parts.followUps().begin();
			this.followUps.loop().start(this::fail);
			this.membership.start(this::fail);
		}
		catch (RuntimeException | Error ex) {
			this.stopped = true;
			this.lifecycle.abort();
			endThreads();
			throw ex;
		}
		logger.info("Node {} has started with {} threads", this.parts.node(), this.performThreads.size());
	}

	/** To be called with no lock: a listener may stop the server. */
	void publishStarted() {
		if (!this.stopped) {
			this.parts.events().accept(new LowkiqServerEvent.Started(this.parts.node()));
		}
	}

	void quiet() {
		this.lifecycle.quiet();
		this.dispatcher.quiet();
		this.events.allChanged();
		// So that the other nodes learn at once that the shards are to be theirs
		this.membership.signal();
	}

	/** Queues were stopped on this node, or started again. */
	void queuesChanged() {
		this.events.queuesStopped();
		// So that the other nodes learn of it at once
		this.membership.signal();
	}

	void clockMoved() {
		this.membership.signal();
		this.followUps.loop().signal();
		this.deadlines.loop().signal();
	}

	boolean stop(Duration timeout) {
		if (this.stopped) {
			return true;
		}
		// Neither the wait for running jobs nor the calls of the store are cut short
		boolean interrupted = Thread.interrupted();
		try {
			quiet();
			boolean ended = this.performThreads.awaitOrInterrupt(timeout);
			boolean released = this.processor.awaitReleased(this.shards.all(), MAX_RELEASE_TIME);
			interrupted |= Thread.interrupted();
			synchronized (this) {
				if (this.stopped) {
					return ended;
				}
				this.stopped = true;
			}
			this.lifecycle.abort();
			endThreads();
			this.membership.leave(released && this.performThreads.areEnded() && isNothingHeld());
			this.performer.summarizeFailures(true);
			logger.info("Node {} has stopped{}", this.parts.node(), ended ? "" : ", but jobs are still running");
			this.parts.events().accept(new LowkiqServerEvent.Stopped(this.parts.node()));
			return ended;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private boolean isNothingHeld() {
		return this.lock.get(() -> this.shards.all().stream().allMatch((shard) -> shard.held() == null));
	}

	private void endThreads() {
		this.deadlines.loop().end();
		this.followUps.loop().end();
		this.lock.end(this.processor);
		this.dispatcher.quiet();
		this.membership.end();
		this.deadlines.loop().awaitEnd(MAX_THREAD_END_TIME);
		this.followUps.loop().awaitEnd(MAX_THREAD_END_TIME);
		this.parts.followUps().close();
	}

	boolean isPerforming() {
		return this.performThreads.isPerforming();
	}

	boolean isRunning() {
		return !this.stopped && this.lifecycle.failure() == null;
	}

	ServerStatus status() {
		return this.description.status(this.membership.session(), this.stopped, this.availability.problem(), this.lock,
				this.performer.unreadableJobs());
	}

	void fail(String message, Throwable error) {
		if (this.lifecycle.fail(error)) {
			logger.error("{}; stopping the server", message, error);
			this.parts.events().accept(new LowkiqServerEvent.Failed(this.parts.node(), error));
			quiet();
			this.parts.runtime().start("lowkiq-stop", true, () -> stop(FAILURE_TIMEOUT));
		}
	}

}
