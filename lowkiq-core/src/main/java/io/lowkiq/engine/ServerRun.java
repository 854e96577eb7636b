package io.lowkiq.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.lowkiq.internal.LogText;
import io.lowkiq.LowkiqServerEvent;
import io.lowkiq.engine.perform.Performer;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a server, from a start to the next stop: its threads, and how they are
 * begun, connected and ended.
 */
final class ServerRun implements Heartbeat.Listener, MembershipThread.Listener, Messages.Receiver {

	private static final Logger logger = LoggerFactory.getLogger(ServerRun.class);

	/** How long interrupted performs may take to give up. */
	private static final Duration GRACE = Duration.ofSeconds(1);

	/** How long leases are given back after the last perform if the store is slow. */
	private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(3);

	/** How long a server that failed waits for its running performs. */
	private static final Duration FAILURE_PATIENCE = Duration.ofSeconds(30);

	/** How often one shard is checked regardless of messages. */
	private static final long ROTATION = Duration.ofSeconds(5).toNanos();

	/** How often the node reports what it does, at most. */
	private static final long REPORT_INTERVAL = Duration.ofSeconds(2).toNanos();

	private final LowkiqServer.Parts parts;

	private final ServedShards shards;

	private final StateLock lock;

	private final Instant startedAt;

	private final Lifecycle lifecycle = new Lifecycle();

	private final StoreAvailability watch;

	private final ShardAttendant attendant;

	private final Leases leases;

	private final Dispatcher dispatcher;

	private final FollowUpThread followUps;

	private final Messages messages = new Messages(this);

	private final NodeDescription description;

	private final Heartbeat heartbeat;

	private final MembershipThread membership;

	private final Performer performer;

	private final List<PerformThread> performThreads;

	private final CountDownLatch performThreadsEnded;

	/** Guarded by the monitor: the server's own threads. */
	private final List<Thread> ownThreads = new ArrayList<>();

	/** Written by stop, read by all. */
	private volatile boolean stopped;

	/** Written and read by the membership thread, as the next three. */
	private long rotatedAt;

	private int rotation;

	/** The session that was reported of last. */
	private @Nullable String reported;

	private long reportedAt;

	ServerRun(LowkiqServer.Parts parts, ServedShards shards, StateLock lock, ShardAttendant attendant,
			Performer performer) {
		this.parts = parts;
		this.shards = shards;
		this.lock = lock;
		this.attendant = attendant;
		this.performer = performer;
		this.startedAt = parts.clock().instant();
		this.rotatedAt = parts.nanoTime().getAsLong();
		ServerSettings settings = parts.settings();
		this.watch = new StoreAvailability(lock, this.messages::reconnect);
		List<ThreadActivity> activities = IntStream.rangeClosed(1, settings.threads())
			.mapToObj((i) -> new ThreadActivity("lowkiq-perform-" + i, parts.clock()))
			.toList();
		this.description = new NodeDescription(parts.node(), this.startedAt, settings.leaseDuration(), shards,
				activities, this.lifecycle, parts.clock());
		this.heartbeat = new Heartbeat(parts.store().nodes(), settings.leaseDuration(), parts.nanoTime(),
				this.description::info, this.watch, this);
		this.followUps = new FollowUpThread(
				new FollowUpMover(parts.store().shards(), parts.store().queues(), parts.observer()), lock,
				parts.nanoTime(), this.lifecycle::isAborted);
		this.leases = new Leases(lock, parts.store().shards(), this.lifecycle, this.watch, parts.observer(),
				parts.clock(), parts.nanoTime(), settings, this.heartbeat::isOwn, this.attendant, this.followUps::wake);
		this.dispatcher = new Dispatcher(lock, parts.store().shards(), parts.scheduler(), this.lifecycle, this.watch,
				parts.observer(), settings, parts.nanoTime(), this.messages::isPolling, this.attendant, this.leases,
				this.followUps::wake);
		this.membership = new MembershipThread(parts.store().nodes(),
				new Assigner(parts.store().nodes(), parts.store().queues()), this.heartbeat::session, this.watch,
				parts.nanoTime(), this, this.lifecycle::isAborted);
		this.performThreadsEnded = new CountDownLatch(settings.threads());
		this.performThreads = activities.stream()
			.map((activity) -> new PerformThread(this.dispatcher, performer, shards, activity,
					this.performThreadsEnded::countDown))
			.toList();
	}

	synchronized void start() {
		this.parts.events().accept(new LowkiqServerEvent.Started(this.parts.node()));
		this.attendant.begin(this.leases, this.dispatcher);
		int started = 0;
		try {
			for (PerformThread performThread : this.performThreads) {
				thread(performThread).start();
				started++;
			}
			startOwn("lowkiq-timer", () -> this.attendant.waitForDeadlines(this.lifecycle::isAborted));
			startOwn("lowkiq-follow-ups", this.followUps);
			startOwn("lowkiq-membership", this.membership);
			startOwn("lowkiq-heartbeat", this.heartbeat);
		}
		catch (RuntimeException | Error ex) {
			this.stopped = true;
			this.lifecycle.abort();
			for (int i = started; i < this.performThreads.size(); i++) {
				this.performThreadsEnded.countDown();
			}
			endThreads();
			throw ex;
		}
		logger.info("Node {} has started with {} threads", this.parts.node(), this.performThreads.size());
	}

	private Thread thread(PerformThread performThread) {
		String name = performThread.activity().snapshot().name();
		ThreadFactory factory = this.parts.threadFactory();
		Thread thread = (factory != null) ? factory.newThread(performThread) : new Thread(performThread);
		if (thread == null) {
			throw new IllegalStateException("The thread factory made no thread");
		}
		if (factory == null || thread.getName().isBlank()) {
			thread.setName(name);
		}
		performThread.activity().named(thread.getName());
		return thread;
	}

	private void startOwn(String name, Runnable loop) {
		Thread thread = new Thread(() -> {
			try {
				loop.run();
			}
			catch (Throwable ex) {
				fail("The thread " + name + " has ended", ex);
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
		this.ownThreads.add(thread);
	}

	void quiet() {
		this.lifecycle.quiet();
		this.dispatcher.quiet();
		this.lock.run(() -> this.attendant.attendAll(this.shards.all()));
		this.membership.signal();
		// So that the other nodes learn at once that the shards are to be theirs
		this.heartbeat.beatNow();
	}

	/** The monotonic clock has jumped forwards. */
	void clockMoved() {
		this.heartbeat.beatNow();
		this.membership.signal();
		this.followUps.signal();
		this.attendant.clockMoved();
	}

	boolean stop(Duration timeout) {
		if (this.stopped) {
			return true;
		}
		quiet();
		boolean ended = await(this.performThreadsEnded, timeout);
		if (!ended) {
			logger.warn(
					"Performs are still running after {}; interrupting their threads. Their jobs will be performed again: {}",
					timeout, runningIds());
			this.performThreads.forEach((thread) -> thread.activity().interrupt());
			boolean gaveUp = await(this.performThreadsEnded, GRACE);
			if (!gaveUp) {
				logger.warn("Performs ignore the interrupt: {}", runningIds());
			}
		}
		boolean released = this.attendant.awaitReleased(this.shards.all(), RELEASE_PATIENCE);
		synchronized (this) {
			if (this.stopped) {
				return ended;
			}
			this.stopped = true;
		}
		this.lifecycle.abort();
		endThreads();
		leave(released && this.performThreadsEnded.getCount() == 0 && isNothingHeld());
		closeMessages();
		this.performer.summarizeFailures(true);
		logger.info("Node {} has stopped{}", this.parts.node(), ended ? "" : ", but performs are still running");
		this.parts.events().accept(new LowkiqServerEvent.Stopped(this.parts.node()));
		return ended;
	}

	private boolean isNothingHeld() {
		AtomicBoolean nothing = new AtomicBoolean();
		this.lock.run(() -> nothing.set(this.shards.all().stream().allMatch((shard) -> shard.held() == null)));
		return nothing.get();
	}

	private List<String> runningIds() {
		return activities().stream()
			.filter((thread) -> !thread.ids().isEmpty())
			.map((thread) -> "%s of %s".formatted(LogText.of(thread.ids()), thread.shard()))
			.toList();
	}

	private static boolean await(CountDownLatch latch, Duration timeout) {
		try {
			return latch.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	private void endThreads() {
		this.heartbeat.end();
		this.membership.signal();
		this.followUps.signal();
		this.attendant.end(this.leases);
		this.dispatcher.quiet();
		List<Thread> threads;
		synchronized (this) {
			threads = List.copyOf(this.ownThreads);
		}
		for (Thread thread : threads) {
			try {
				thread.join(TimeUnit.SECONDS.toMillis(1));
				thread.interrupt();
			}
			catch (InterruptedException ex) {
				thread.interrupt();
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Leaves the registry. A session under which performs still run is not left: it ends
	 * by itself, and nobody takes their shards before.
	 */
	private void leave(boolean orderly) {
		Session session = this.heartbeat.session();
		if (session == null || !session.end() || !orderly) {
			return;
		}
		try {
			this.parts.store().nodes().leave(session.id());
		}
		catch (RuntimeException ex) {
			logger.warn("Could not leave the registry; the session will end by itself", ex);
		}
	}

	private void closeMessages() {
		try {
			this.messages.close();
		}
		catch (RuntimeException ex) {
			logger.warn("Could not close the subscription to messages from the store", ex);
		}
	}

	boolean isRunning() {
		return !this.stopped && this.lifecycle.failure() == null;
	}

	ServerStatus status() {
		Session session = this.heartbeat.session();
		List<ServerStatus.ShardStatus> shardStatus = new ArrayList<>();
		this.lock.run(() -> this.shards.ordered().forEach((shard) -> shardStatus.add(shard.status())));
		return new ServerStatus(state(session), this.parts.node(),
				(session != null && session.isValid()) ? session.id() : null, this.startedAt, this.lifecycle.failure(),
				this.stopped ? null : this.watch.problem(), this.shards.refused(), List.copyOf(shardStatus),
				activities().stream()
					.map((thread) -> new ServerStatus.ThreadStatus(thread.name(), thread.shard(), thread.ids(),
							thread.since()))
					.toList());
	}

	private ServerStatus.State state(@Nullable Session session) {
		if (this.lifecycle.failure() != null) {
			return ServerStatus.State.FAILED;
		}
		if (this.stopped) {
			return ServerStatus.State.STOPPED;
		}
		if (this.lifecycle.isQuiet()) {
			return ServerStatus.State.STOPPING;
		}
		return (session != null) ? ServerStatus.State.RUNNING : ServerStatus.State.STARTING;
	}

	private List<ThreadActivity.Snapshot> activities() {
		return this.performThreads.stream().map((thread) -> thread.activity().snapshot()).toList();
	}

	/** Stops the server because it can't go on. */
	void fail(String message, Throwable error) {
		if (this.lifecycle.fail(error)) {
			logger.error("{}; stopping the server", message, error);
			this.parts.events().accept(new LowkiqServerEvent.Failed(this.parts.node(), error));
			quiet();
			Thread thread = new Thread(() -> stop(FAILURE_PATIENCE), "lowkiq-stop");
			thread.setDaemon(true);
			thread.start();
		}
	}

	private void attendAll(Consumer<ServedShard> change) {
		change(() -> {
			this.shards.all().forEach(change);
			this.attendant.attendAll(this.shards.all());
		});
	}

	/**
	 * Changes the state, unless the run has ended: the shards are the next one's then.
	 */
	private void change(Runnable change) {
		this.lock.run(() -> {
			if (!this.lifecycle.isAborted()) {
				change.run();
			}
		});
	}

	// From the heartbeat

	@Override
	public void joining() {
		// Whatever took the last session away may have taken the recorded queues with it
		this.shards.serve();
	}

	@Override
	public void joined() {
		this.shards.serveRemoved();
	}

	@Override
	public void began(Session session, Membership seen) {
		try {
			this.messages.subscribe(this.parts.store().wakeUps(), session.id());
		}
		catch (RuntimeException ex) {
			logger.warn("Could not subscribe to messages from the store; polling instead", ex);
		}
		change(() -> this.shards.all().forEach((shard) -> shard.maybeFree(true)));
		this.membership.seen(seen);
	}

	@Override
	public void beating() {
		this.messages.beat();
	}

	@Override
	public void beat(Session session, Membership seen) {
		// A message that a shard is free may have been lost
		change(() -> this.shards.all()
			.stream()
			.filter(ServedShard::isWanted)
			.forEach((shard) -> shard.maybeFree(true)));
		this.membership.seen(seen);
	}

	@Override
	public void lapsed(Session session) {
		if (session.end()) {
			logger.warn("Session {} has lapsed: this node has lost all its leases", session.id());
			this.parts.observer().leaseLost();
			if (this.parts.settings().interruptOnLeaseLoss()) {
				this.performThreads.forEach((thread) -> thread.activity().interrupt(session));
			}
			attendAll((shard) -> {
			});
			this.heartbeat.beatNow();
		}
	}

	// From the membership thread

	@Override
	public void assigned(Session session, Membership seen, Set<Shard> assigned) {
		boolean shared = this.shards.isShared();
		Set<ServedShard> served = Set.copyOf(this.shards.ordered());
		change(() -> this.leases.seen(session, seen));
		attendAll((shard) -> shard.wanted(shared ? assigned.contains(shard.shard()) : served.contains(shard)));
		report(session);
	}

	/** Also if nothing has changed, so that people see that the node lives. */
	private void report(Session session) {
		long nanos = this.parts.nanoTime().getAsLong();
		if (!session.id().equals(this.reported) || nanos - this.reportedAt >= REPORT_INTERVAL) {
			NodeRegistry nodes = this.parts.store().nodes();
			nodes.report(session.id(), this.description.status(nodes.now()));
			this.reported = session.id();
			this.reportedAt = nanos;
		}
	}

	/**
	 * Looks at one shard after the other, whatever messages say: the last safety net for
	 * one that got lost on a connection that seemed well, and for a call that took a
	 * shard long after this node had given it up.
	 */
	@Override
	public void rotate() {
		this.performer.summarizeFailures(false);
		long nanos = this.parts.nanoTime().getAsLong();
		List<ServedShard> ordered = this.shards.ordered();
		if (nanos - this.rotatedAt < ROTATION || ordered.isEmpty()) {
			return;
		}
		this.rotatedAt = nanos;
		ServedShard shard = ordered.get(this.rotation++ % ordered.size());
		change(() -> {
			HeldShard held = shard.held();
			shard.maybeFree(true);
			shard.acquisitionUncertain(held == null);
			if (held != null) {
				held.dirty(nanos);
			}
			this.attendant.attend(shard);
		});
	}

	// From the messages

	@Override
	public void wake(Shard shard) {
		ServedShard served = this.shards.find(shard);
		if (served != null) {
			this.dispatcher.wake(served);
		}
	}

	@Override
	public void released(Shard shard) {
		ServedShard served = this.shards.find(shard);
		if (served != null) {
			change(() -> {
				served.maybeFree(true);
				this.attendant.attend(served);
			});
		}
	}

	@Override
	public void changed() {
		this.membership.changed();
	}

	@Override
	public void uncertain() {
		attendAll((shard) -> {
			shard.maybeFree(true);
			HeldShard held = shard.held();
			if (held != null) {
				held.dirty(this.parts.nanoTime().getAsLong());
			}
		});
		this.membership.changed();
	}

}
