package io.lowkiq.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.LowkiqServerEvent;
import io.lowkiq.store.Membership;
import io.lowkiq.store.Shard;

/**
 * One run of a server, from a start to the next stop: its threads, and how they are
 * begun, told of each other's doings, and ended.
 */
final class ServerRun implements Heartbeat.Listener, OwnershipThread.Sessions, ShardThread.Listener {

	private static final Logger logger = LoggerFactory.getLogger(ServerRun.class);

	/** How long interrupted performs may take to give up. */
	private static final Duration GRACE = Duration.ofSeconds(1);

	/** How long leases are given back after the last perform if the store is slow. */
	private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(3);

	private final ServerParts parts;

	private final ServedShards shards;

	private final Instant startedAt;

	private final Lifecycle lifecycle = new Lifecycle();

	private final StoreWatch watch = new StoreWatch(this::connectAnew);

	private final List<ShardThread> shardThreads;

	private final CountDownLatch shardThreadsEnded;

	private final CountDownLatch ownershipEnded = new CountDownLatch(1);

	private final WakeUpListener wakeUps;

	private final Heartbeat heartbeat;

	private final OwnershipThread ownership;

	private final Ownership leases;

	/** Guarded by the monitor: all that were started. */
	private final List<Thread> threads = new ArrayList<>();

	/** Written by the ownership thread, read by it. */
	private @Nullable Thread heartbeatThread;

	/** Written by stop, read by all. */
	private volatile boolean stopped;

	ServerRun(ServerParts parts, ServedShards shards) {
		this.parts = parts;
		this.shards = shards;
		this.startedAt = parts.clock().instant();
		Semaphore suspects = new Semaphore(1);
		this.wakeUps = new WakeUpListener(shards.byShard(), this::look, this::signalThreads);
		DueTime dueTime = new DueTime(parts.nanoTime(), suspects, this.wakeUps::isDeaf,
				parts.settings().pollInterval().toNanos());
		ShardWork work = new ShardWork(parts, this.lifecycle, this.watch, suspects, this::signalThreads);
		int count = parts.settings().threads();
		this.shardThreadsEnded = new CountDownLatch(count);
		this.shardThreads = IntStream.rangeClosed(1, count)
			.mapToObj((i) -> new ShardThread(parts, work, this.lifecycle, dueTime,
					new ThreadActivity("lowkiq-shards-" + i, parts.clock()), this))
			.toList();
		NodeDescription description = new NodeDescription(parts.node(), this.startedAt, shards, this::threadStatus,
				this.lifecycle);
		this.heartbeat = new Heartbeat(parts, description::info, this.watch, this);
		this.leases = new Ownership(parts, shards, work, this.heartbeat::isOwn, this::dealOut);
		this.ownership = new OwnershipThread(parts, this.lifecycle, this.leases, this.watch, this,
				() -> this.shardThreadsEnded.getCount() == 0, this::fail);
	}

	synchronized void start() {
		this.parts.events().accept(new LowkiqServerEvent.Started(this.parts.node()));
		int started = 0;
		try {
			for (ShardThread shardThread : this.shardThreads) {
				start(thread(shardThread));
				started++;
			}
			Thread thread = new Thread(() -> {
				try {
					this.ownership.run();
				}
				finally {
					this.ownershipEnded.countDown();
				}
			}, "lowkiq-ownership");
			thread.setDaemon(true);
			start(thread);
		}
		catch (RuntimeException | Error ex) {
			this.stopped = true;
			this.lifecycle.abort();
			this.ownershipEnded.countDown();
			for (int i = started; i < this.shardThreads.size(); i++) {
				this.shardThreadsEnded.countDown();
			}
			signalThreads();
			throw ex;
		}
		logger.info("Node {} has started with {} threads", this.parts.node(), this.shardThreads.size());
	}

	private Thread thread(ShardThread shardThread) {
		String name = shardThread.activity().status().name();
		ThreadFactory factory = this.parts.threadFactory();
		Thread thread = (factory != null) ? factory.newThread(shardThread) : new Thread(shardThread);
		if (thread == null) {
			throw new IllegalStateException("The thread factory made no thread");
		}
		if (factory == null || thread.getName().isBlank()) {
			thread.setName(name);
		}
		shardThread.activity().named(thread.getName());
		return thread;
	}

	private void start(Thread thread) {
		thread.start();
		this.threads.add(thread);
	}

	void quiet() {
		this.lifecycle.quiet();
		signalThreads();
		// So that the other nodes learn at once that the shards are to be theirs
		this.heartbeat.hurry();
	}

	boolean stop(Duration timeout) {
		if (this.stopped) {
			return true;
		}
		quiet();
		boolean ended = await(this.shardThreadsEnded, timeout);
		if (!ended) {
			logger.warn("Performs still run after {}; their threads are interrupted and their jobs come again",
					timeout);
			this.shardThreads.forEach((thread) -> thread.activity().interrupt());
			await(this.shardThreadsEnded, GRACE);
		}
		boolean released = await(this.ownershipEnded, RELEASE_PATIENCE);
		this.lifecycle.abort();
		if (!released) {
			signalThreads();
			interruptAll();
			await(this.ownershipEnded, GRACE);
		}
		synchronized (this) {
			if (this.stopped) {
				return ended;
			}
			this.stopped = true;
		}
		logger.info("Node {} has stopped{}", this.parts.node(), ended ? "" : ", though performs still run");
		this.parts.events().accept(new LowkiqServerEvent.Stopped(this.parts.node()));
		return ended;
	}

	private synchronized void interruptAll() {
		this.threads.forEach(Thread::interrupt);
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

	boolean isRunning() {
		return !this.stopped && this.lifecycle.failure() == null;
	}

	ServerStatus status() {
		Session session = this.heartbeat.session();
		return new ServerStatus(state(session), this.parts.node(),
				(session != null && session.isValid()) ? session.id() : null, this.startedAt, this.lifecycle.failure(),
				this.watch.problem(), this.shards.refused(),
				this.shards.ordered().stream().map(ShardSlot::status).toList(), threadStatus());
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

	private List<ServerStatus.ThreadStatus> threadStatus() {
		return this.shardThreads.stream().map((thread) -> thread.activity().status()).toList();
	}

	private void connectAnew() {
		this.wakeUps.connectAnew();
	}

	private void look() {
		this.ownership.look();
	}

	private void signalThreads() {
		this.shardThreads.forEach((thread) -> thread.waiter().signal());
		this.ownership.signal();
	}

	/** Deals the held shards out to the threads; called by the ownership thread. */
	private void dealOut(List<ShardSlot> held) {
		Map<Shard, ShardSlot> slots = new HashMap<>();
		held.forEach((slot) -> slots.put(slot.shard(), slot));
		List<List<Shard>> hands = this.parts.splitter()
			.split(held.stream().map(ShardSlot::shard).toList(), this.shardThreads.size());
		if (hands.size() != this.shardThreads.size()) {
			throw new IllegalStateException("The shard splitter made %d lists for %d threads".formatted(hands.size(),
					this.shardThreads.size()));
		}
		Map<ShardSlot, List<Waiter>> waiters = new HashMap<>();
		List<List<ShardSlot>> dealt = new ArrayList<>();
		for (int i = 0; i < hands.size(); i++) {
			Waiter waiter = this.shardThreads.get(i).waiter();
			List<ShardSlot> hand = hands.get(i).stream().filter(slots::containsKey).map(slots::get).toList();
			hand.forEach((slot) -> waiters.computeIfAbsent(slot, (key) -> new ArrayList<>()).add(waiter));
			dealt.add(hand);
		}
		held.forEach((slot) -> slot.waiters(List.copyOf(waiters.getOrDefault(slot, List.of()))));
		for (int i = 0; i < dealt.size(); i++) {
			this.shardThreads.get(i).slots(dealt.get(i));
		}
	}

	private void fail(Throwable error) {
		if (this.lifecycle.fail(error)) {
			logger.error("An error that no job can be blamed for stops the server", error);
			signalThreads();
			this.parts.events().accept(new LowkiqServerEvent.Failed(this.parts.node(), error));
		}
	}

	// From the shard threads

	@Override
	public void lost() {
		this.ownership.signal();
	}

	@Override
	public void failed(Error error) {
		fail(error);
	}

	@Override
	public void ended() {
		this.shardThreadsEnded.countDown();
		this.ownership.signal();
	}

	// From the heartbeat

	@Override
	public void joining() {
		// Whatever took the last session away may have taken the recorded queues with it
		this.shards.register();
	}

	@Override
	public void began(Session session, Membership membership) {
		try {
			this.wakeUps.subscribe(this.parts.wakeUps(), session.id());
		}
		catch (RuntimeException ex) {
			logger.warn("Messages of the store can't be subscribed to; polling instead", ex);
		}
		this.leases.allMaybeFree();
		this.ownership.seen(membership);
	}

	@Override
	public void beating() {
		this.wakeUps.beat();
	}

	@Override
	public void beat(Membership membership) {
		if (this.wakeUps.isDeaf()) {
			this.leases.allMaybeFree();
		}
		this.ownership.seen(membership);
	}

	@Override
	public void lapsed(Session session) {
		if (session.end()) {
			logger.warn("Session {} has lapsed: all leases of this node are lost", session.id());
			this.parts.observer().leaseLost();
			if (this.parts.settings().interruptOnLeaseLoss()) {
				this.shardThreads.forEach((thread) -> thread.activity().interrupt(session));
			}
			this.heartbeat.hurry();
			this.ownership.signal();
		}
	}

	// From the ownership thread

	@Override
	public void begin() {
		Thread thread = new Thread(() -> {
			try {
				this.heartbeat.run();
			}
			catch (Throwable ex) {
				fail(ex);
			}
		}, "lowkiq-heartbeat");
		thread.setDaemon(true);
		thread.start();
		this.heartbeatThread = thread;
	}

	@Override
	public @Nullable Session current() {
		return this.heartbeat.session();
	}

	@Override
	public void leave(boolean orderly) {
		endHeartbeat();
		Session session = this.heartbeat.session();
		if (orderly && session != null && session.isValid()) {
			session.end();
			try {
				this.parts.nodes().leave(session.id());
			}
			catch (RuntimeException ex) {
				logger.warn("The node could not leave the registry; its session ends by itself", ex);
			}
		}
		this.wakeUps.close();
	}

	private void endHeartbeat() {
		this.heartbeat.end();
		Thread thread = this.heartbeatThread;
		if (thread == null) {
			return;
		}
		try {
			thread.join(TimeUnit.SECONDS.toMillis(1));
			if (thread.isAlive()) {
				thread.interrupt();
				thread.join(TimeUnit.SECONDS.toMillis(1));
			}
		}
		catch (InterruptedException ex) {
			thread.interrupt();
		}
	}

}
