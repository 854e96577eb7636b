package io.lowkiq.test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.FollowUpMover;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.ShardFollowUps;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.Performer;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.engine.perform.ThreadBaseline;
import io.lowkiq.engine.schedule.ShardScheduler;
import io.lowkiq.engine.schedule.ShardScheduler.Candidate;
import io.lowkiq.internal.DurationText;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Store;
import io.lowkiq.store.WakeUps;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.NodeInfo;
import org.jspecify.annotations.Nullable;

/**
 * Performs jobs on the calling thread, one call of a worker after the other. It owns all
 * shards, fetches and completes as a server does, and has the same performer.
 */
final class CallingThreadRunner implements JobRunner, WakeUps.Listener {

	private static final String SESSION = "lowkiq-test-0";

	/** A job that is performed more often at one time enqueues itself without end. */
	private static final int MAX_PERFORMS_OF_ID = 10_000;

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final Store store;

	private final WorkerRegistry workers;

	private final Performer performer;

	private final ShardScheduler scheduler;

	private final LowkiqObserver observer;

	private final TestClock clock;

	private final boolean inline;

	private final ThreadActivity activity;

	private final FollowUpMover followUps;

	/** Held while jobs are performed. */
	private final ReentrantLock lock = new ReentrantLock();

	/** Guarded by the lock. */
	private final Map<Shard, OwnedShard> shards = new LinkedHashMap<>();

	/** Shards that may have due jobs, the one woken first in front. */
	private final Set<Shard> woken = Collections.synchronizedSet(new LinkedHashSet<>());

	/** Guarded by the lock. */
	private @Nullable Shard last;

	CallingThreadRunner(Store store, WorkerRegistry workers, ServerOptions options, TestClock clock, boolean inline) {
		this.store = store;
		this.workers = workers;
		this.observer = options.observer();
		this.performer = options.performer(this.observer, (message) -> {
		});
		this.scheduler = options.scheduler();
		this.clock = clock;
		this.inline = inline;
		this.activity = new ThreadActivity("lowkiq-test", clock);
		this.followUps = new FollowUpMover(store.shards(), store.queues(), this.observer);
	}

	@Override
	public void start() {
		locked(() -> {
			Set<String> queues = this.workers.all()
				.stream()
				.map(RegisteredWorker::queue)
				.collect(Collectors.toUnmodifiableSet());
			this.store.nodes()
				.join(SESSION, new NodeInfo("lowkiq-test", this.clock.millis(), Duration.ofHours(1), queues, false));
			for (RegisteredWorker worker : this.workers.all()) {
				ServedQueue queue = new ServedQueue(worker, 1);
				for (Shard shard : this.store.queues().register(worker.declaration()).allShards()) {
					this.shards.put(shard, OwnedShard.acquire(this.store.shards(), queue, shard, SESSION, this.clock));
				}
			}
			this.woken.addAll(this.shards.keySet());
			this.store.wakeUps().subscribe(SESSION, this);
			return 0;
		});
	}

	@Override
	public long drain(Predicate<String> queues) {
		return locked(() -> drainNow(queues));
	}

	private long drainAll() {
		return drainNow((queue) -> true);
	}

	private long drainNow(Predicate<String> queues) {
		Map<String, Integer> performs = new HashMap<>();
		long count = 0;
		for (List<FetchedJob> jobs = performOne(queues); !jobs.isEmpty(); jobs = performOne(queues)) {
			count += isInternal() ? 0 : 1;
			for (FetchedJob job : jobs) {
				if (performs.merge(job.id(), 1, Integer::sum) > MAX_PERFORMS_OF_ID) {
					throw new IllegalStateException(
							"Job '%s' was performed more than %s times although no time has passed: does a worker enqueue it again and again?"
								.formatted(job.id(), MAX_PERFORMS_OF_ID));
				}
			}
		}
		return count;
	}

	@Override
	public boolean performNext(Predicate<String> queues) {
		return locked(() -> {
			List<FetchedJob> jobs = performOne(queues);
			while (!jobs.isEmpty() && isInternal()) {
				jobs = performOne(queues);
			}
			return !jobs.isEmpty();
		});
	}

	/** Whether the last job was one of Lowkiq itself, which tests don't count. */
	private boolean isInternal() {
		Shard shard = this.last;
		return shard != null && owned(shard).queue().worker().isInternal();
	}

	private List<FetchedJob> performOne(Predicate<String> queues) {
		List<Candidate> due = due(queues);
		while (!due.isEmpty()) {
			Shard chosen = this.scheduler.choose(Collections.unmodifiableList(due), this.last).shard();
			List<FetchedJob> jobs = perform(owned(chosen));
			if (!jobs.isEmpty()) {
				this.last = chosen;
				return jobs;
			}
			due = due(queues);
		}
		return List.of();
	}

	private List<Candidate> due(Predicate<String> queues) {
		long now = this.clock.millis();
		List<Candidate> due = new ArrayList<>();
		Set<Shard> first;
		synchronized (this.woken) {
			first = new LinkedHashSet<>(this.woken);
		}
		for (Shard shard : first) {
			if (queues.test(shard.queue())) {
				due.add(new Candidate(shard, Math.min(owned(shard).next(), now)));
			}
		}
		for (OwnedShard shard : this.shards.values()) {
			if (shard.next() <= now && queues.test(shard.shard().queue()) && !first.contains(shard.shard())) {
				due.add(new Candidate(shard.shard(), shard.next()));
			}
		}
		return due;
	}

	private List<FetchedJob> perform(OwnedShard shard) {
		this.woken.remove(shard.shard());
		List<FetchedJob> jobs = shard.fetch();
		if (jobs.size() == shard.queue().batchSize()) {
			// The store leaves no word that the owner waits
			this.woken.add(shard.shard());
		}
		if (!jobs.isEmpty()) {
			List<Completed> completed = this.performer.perform(
					new Task(shard.queue(), shard.lease(), () -> true, jobs,
							(id) -> this.store.shards().isQueued(shard.shard(), id), this.clock.nanoTime()),
					this.activity, ThreadBaseline.capture(List.of()));
			int buried = shard.complete(jobs.size(), completed);
			if (buried > 0) {
				this.observer.buried(shard.queue().name(), buried);
			}
			Throwable refused = ShardFollowUps.moveAll(this.followUps, shard.lease());
			if (refused != null) {
				throw new IllegalStateException("What follows a job can't be enqueued", refused);
			}
		}
		return jobs;
	}

	private OwnedShard owned(Shard shard) {
		OwnedShard owned = this.shards.get(shard);
		if (owned == null) {
			throw new IllegalStateException("Shard %s has no worker".formatted(shard));
		}
		return owned;
	}

	@Override
	public void advance(Duration duration) {
		if (this.inline) {
			drainFor(duration);
		}
		else {
			this.clock.advance(duration);
		}
	}

	@Override
	public long drainFor(Duration duration) {
		TestClock.checkForward(duration);
		return locked(() -> {
			this.clock.advance(Duration.ZERO);
			Instant end = this.clock.instant().plus(duration);
			long count = drainAll();
			for (long next = next(); next <= end.toEpochMilli(); next = next()) {
				this.clock.moveTo(Instant.ofEpochMilli(next));
				count += drainAll();
			}
			this.clock.moveTo(end);
			return count;
		});
	}

	private long next() {
		return this.shards.values().stream().mapToLong(OwnedShard::next).min().orElse(FetchResult.NOTHING);
	}

	@Override
	public void reset(Runnable empty) {
		locked(() -> {
			empty.run();
			this.clock.reset();
			this.shards.values().forEach(OwnedShard::reset);
			this.woken.addAll(this.shards.keySet());
			return 0;
		});
	}

	private <T> T locked(Supplier<T> step) {
		if (this.lock.isHeldByCurrentThread()) {
			throw new IllegalStateException("A worker can't use the tester to perform jobs or move time");
		}
		try {
			if (!this.lock.tryLock(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
				throw new IllegalStateException("Another thread has been performing for %s: %s"
					.formatted(DurationText.of(PATIENCE), this.activity.snapshot()));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while another thread was performing", ex);
		}
		try {
			T result = step.get();
			if (this.inline && !this.woken.isEmpty()) {
				// So that the next enqueue finds an owner that waits
				drainAll();
			}
			return result;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * In the mode inline it is performed before the enqueue returns; if a worker enqueued
	 * it, before that enqueue returns that the worker was called for.
	 */
	@Override
	public void wake(Shard shard) {
		this.woken.add(shard);
		if (this.inline && !this.lock.isHeldByCurrentThread()) {
			locked(this::drainAll);
		}
	}

}
