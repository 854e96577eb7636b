package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.lowkiq.FailurePolicy;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.StoreException;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.engine.lease.CallUncertainty;
import io.lowkiq.engine.lease.ForgottenCalls;
import io.lowkiq.engine.lease.HeldShard;
import io.lowkiq.engine.lease.Leases;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.ServedShards;
import io.lowkiq.engine.lease.Session;
import io.lowkiq.engine.lease.ShardCalls;
import io.lowkiq.engine.lease.ShardEvents;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.lease.StoreAvailability;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.OutOfMemoryWatch;
import io.lowkiq.engine.perform.Performer;
import io.lowkiq.engine.perform.StackTraceErrorFormatter;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.engine.perform.ThreadBaseline;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.SystemRuntime;
import io.lowkiq.engine.runtime.Waiter;
import io.lowkiq.engine.schedule.DefaultShardSplitter;
import io.lowkiq.engine.schedule.LagShardScheduler;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.Membership;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.testing.ForwardingShardStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

/**
 * A node may hold a shard without knowing, after an answer that was lost. When the shard
 * is to be another node's, it must not stay so.
 */
class LeasesTests {

	private static final String OTHER = "other-1";

	private static final ServerSettings SETTINGS = ServerSettings.DEFAULTS;

	private static final FailurePolicy WITH_LIMIT = new FailurePolicy(Set.of(), Set.of(), RetriesExhausted.BURY_OLDEST,
			FailurePolicy.DEFAULT_UNREADABLE_GRACE, Duration.ofMinutes(5));

	private static final List<String> IDS = IntStream.range(0, 40).mapToObj((i) -> "id" + i).toList();

	private final AtomicLong nanos = new AtomicLong();

	private final Session session = new Session("own-1", Duration.ofHours(1).toNanos(), this.nanos::get);

	private final RedisStore memory = InMemoryRedis.newStore(InstantSource.system());

	private final SlowStore store = new SlowStore(this.memory.shards());

	private final StateLock lock = new StateLock(new SystemRuntime(System::nanoTime));

	private final StoreAvailability availability = new StoreAvailability(this.lock, () -> {
	});

	private final ServedShards shards;

	/** Shards of which the engine has said that follow-ups wait in them. */
	private final List<ServedShard> withFollowUps = new ArrayList<>();

	/** Runs of which the engine has said that their outcomes will not be applied. */
	private final List<Task> orphaned = new ArrayList<>();

	private final Performer performer = new Performer(new JacksonPayloadCodec(), new StackTraceErrorFormatter(),
			List.of(), List.of(), LowkiqObserver.NONE, new ThreadPerformContext(),
			new OutOfMemoryWatch(this.nanos::get, (message) -> {
			}), this.nanos::get, "node", InstantSource.system());

	private final Waiter waiter = new SystemRuntime(System::nanoTime).newWaiter();

	private final ThreadActivity activity = new ThreadActivity("thread", InstantSource.system());

	private final Deadlines deadlines;

	private final ShardEvents events;

	private final ServedShard shard;

	private final Dispatcher dispatcher;

	/** Set by a test before it performs, awaited by the worker. */
	private volatile CountDownLatch gate = new CountDownLatch(0);

	LeasesTests() {
		RegisteredWorker worker = new RegisteredWorker("orders", Worker.class, Integer.class,
				ServerFixture.settings(1, 1, 5).with(WITH_LIMIT),
				() -> (Worker<Integer>) (id, payloads) -> this.gate.await());
		this.shards = new ServedShards(new WorkerRegistry(List.of(worker)), this.memory.queues(),
				new DefaultShardSplitter(), 100, SETTINGS.threads(), InstantSource.system());
		this.shards.serve();
		this.shard = this.shards.ordered().get(0);
		EngineRuntime runtime = new SystemRuntime(this.nanos::get);
		Lifecycle lifecycle = new Lifecycle();
		ShardCalls calls = new ShardCalls(this.lock, this.availability, runtime);
		ForgottenCalls forgotten = new ForgottenCalls(this.lock, this.memory.nodes(), "node", this.nanos::get,
				(loss) -> {
				});
		Leases leases = new Leases(this.lock, this.store, calls, lifecycle::isQuiet, LowkiqObserver.NONE,
				InstantSource.system(), this.nanos::get, SETTINGS.leaseDuration(), "own", forgotten,
				this.withFollowUps::add, this.orphaned::addAll);
		Suspects suspects = new Suspects(this.lock);
		Fetcher fetcher = new Fetcher(this.lock, this.store, calls, suspects, LowkiqObserver.NONE,
				SETTINGS.fetchAhead(), this.nanos::get, forgotten, this.withFollowUps::add);
		this.dispatcher = new Dispatcher(this.lock, fetcher, suspects,
				new UngroupedJobs(this.lock, LowkiqObserver.NONE),
				new ShardChooser(new LagShardScheduler(), this.lock, this.nanos::get), lifecycle, this.nanos::get,
				() -> false, SETTINGS.pollInterval());
		this.deadlines = new Deadlines(this.lock, runtime);
		this.events = new ShardEvents(this.lock, this.shards, leases, this.nanos::get, lifecycle::isAborted,
				(lapsed) -> {
				}, this.withFollowUps::add);
		this.lock.begin(new ShardProcessor(this.lock, runtime, leases, this.dispatcher, this.deadlines));
	}

	@BeforeEach
	void loseTheAnswerOfTheFirstTry() {
		this.store.slow = true;
		assign(true);
		assertThat(this.availability.problem()).isNotNull();
		this.store.slow = false;
	}

	/** Says whose the shard is to be, after the backoff. */
	private void assign(boolean toThisNode) {
		this.nanos.addAndGet(Duration.ofSeconds(10).toNanos());
		this.events.assigned(this.session,
				new Membership(true, List.of(member(OTHER), member(this.session.id())), Map.of(), 1),
				toThisNode ? Set.of(this.shard.shard()) : Set.of());
	}

	private HeldShard held() {
		return Objects.requireNonNull(this.shard.held());
	}

	private ShardCounts counts() {
		return this.memory.inspection().counts(this.shard.shard());
	}

	private void enqueue(List<String> ids) {
		this.memory.shards()
			.enqueue(this.shard.shard(), ids.stream().map((id) -> NewPayload.of(id, new byte[] { '1' })).toList());
	}

	/** As the store does. */
	private void fence() {
		this.lock.run(() -> {
			held().fenced();
			this.lock.changed(this.shard);
		});
	}

	@Test
	void aShardThatIsStillToBeTheNodesOwnIsHeldAndKept() {
		this.store.applyLate();
		assign(true);
		assertThat(this.shard.held()).isNotNull();
		assertThat(acquireByOther()).isInstanceOf(Acquisition.Held.class);
		assign(true);
		assertThat(acquireByOther()).isInstanceOf(Acquisition.Held.class);
		assertThat(this.availability.problem()).isNull();
	}

	/** It may have joined since the registry was read. */
	@Test
	void aHolderThatIsInNoRegistryKeepsItsShardForALease() {
		this.memory.shards().acquire(this.shard.shard(), LeaseRequest.forFreeShard("stranger-1")).join();
		assign(true);
		assign(true);
		assertThat(SETTINGS.leaseDuration()).isBetween(Duration.ofSeconds(11), Duration.ofSeconds(20));
		assertThat(counts().session()).isEqualTo("stranger-1");
		assign(true);
		assertThat(counts().session()).isEqualTo(this.session.id());
	}

	@Test
	void aShardOfANodeThatDoesNotKnowIsGivenBack() {
		this.store.applyLate();
		assertThat(acquireByOther()).isInstanceOf(Acquisition.Held.class);
		assign(false);
		assertThat(acquireByOther()).isInstanceOf(Acquisition.Acquired.class);
		assertThat(this.availability.problem()).isNull();
	}

	@Test
	void aShardThatALateCallTookAfterThatIsGivenBackWhenItIsLookedAtAgain() {
		assign(false);
		this.store.applyLate();
		assign(false);
		assertThat(acquireByOther()).isInstanceOf(Acquisition.Held.class);
		this.events.recheckOneShard();
		assign(false);
		assertThat(acquireByOther()).isInstanceOf(Acquisition.Acquired.class);
	}

	@Test
	void aFreeShardThatIsToBeAnotherNodesIsNotTaken() {
		assign(false);
		this.store.lastRequest = null;
		this.events.recheckOneShard();
		assertThat(this.shard.held()).isNull();
		assertThat(Objects.requireNonNull(this.store.lastRequest)).isEqualTo(LeaseRequest.ifHeld("own-1"));
		assertThat(counts().epoch()).isZero();
		assertThat(this.availability.problem()).isNull();
	}

	/** Not only after the next heartbeat. */
	@Test
	void aShardThatWasFoundFreeIsTakenAsSoonAsItIsToBeTheNodesOwn() {
		assign(false);
		assertThat(Objects.requireNonNull(this.store.lastRequest)).isEqualTo(LeaseRequest.ifHeld("own-1"));
		assertThat(this.shard.held()).isNull();
		assign(true);
		assertThat(this.shard.held()).isNotNull();
	}

	@Test
	void aSessionThatTheRegistryHasForgottenHasNotCrashedIfItsNodeLivesOn() {
		assertThat(requestOfUnknown("other-0").crashed()).isFalse();
		assertThat(requestOfUnknown("another-0").crashed()).isTrue();
	}

	/** The request for a shard whose session the registry does not know. */
	private LeaseRequest requestOfUnknown(String holder) {
		String before = counts().session();
		LeaseRequest request = (before != null) ? LeaseRequest.afterLapse(holder, before)
				: LeaseRequest.forFreeShard(holder);
		assertThat(this.memory.shards().acquire(this.shard.shard(), request).join())
			.isInstanceOf(Acquisition.Acquired.class);
		fenceIfHeld();
		for (int i = 0; i < 4; i++) {
			assign(true);
			this.events.recheckOneShard();
		}
		LeaseRequest last = Objects.requireNonNull(this.store.lastRequest);
		assertThat(last.from()).isEqualTo(holder);
		return last;
	}

	private void fenceIfHeld() {
		if (this.shard.held() != null) {
			fence();
		}
	}

	@Test
	void aProblemIsForgottenWhenTheShardBecameAnotherNodes() {
		assertThat(acquireByOther()).isInstanceOf(Acquisition.Acquired.class);
		assign(false);
		assertThat(this.availability.problem()).isNull();
		assertThat(this.shard.holder()).isEqualTo(OTHER);
	}

	@Test
	void aCallThatIsNeverAnsweredIsGivenUpAndMadeAgain() {
		this.store.silent = true;
		assign(true);
		assertThat(this.shard.isAcquiring()).isTrue();
		this.store.silent = false;
		assign(true);
		assertThat(this.shard.held()).isNull();
		this.nanos.addAndGet(SETTINGS.leaseDuration().toNanos());
		assign(true);
		assertThat(this.availability.problem()).contains("no answer");
		assign(true);
		assertThat(this.shard.held()).isNotNull();
		assertThat(this.availability.problem()).isNull();
	}

	@Test
	void anAnswerThatComesAfterItsCallWasGivenUpChangesNothing() throws Exception {
		enqueue(List.of("a"));
		CompletableFuture<FetchResult> late = new CompletableFuture<>();
		this.store.unanswered = late;
		assign(true);
		FutureTask<Task> next = waiting();
		this.store.unanswered = null;
		this.nanos.addAndGet(SETTINGS.leaseDuration().toNanos());
		assign(true);
		assertThat(held().uncertainty()).isEqualTo(CallUncertainty.UNANSWERED);
		assign(true);
		assertThat(next.get(10, TimeUnit.SECONDS).jobs()).extracting(FetchedJob::id).containsExactly("a");
		late.complete(new FetchResult.Fetched(List.of(next.get().jobs().get(0)), FetchResult.NOTHING,
				FetchResult.NOTHING, 0, 0));
		assertThat(fetchedAndNotBegun()).isZero();
		assertThat(held().busy()).isEqualTo(1);
	}

	@Test
	void aRequestNamesTheLastEpochThatTheNodeKnows() {
		assign(true);
		long epoch = held().lease().epoch();
		fence();
		assign(true);
		assertThat(Objects.requireNonNull(this.store.lastRequest).epoch()).isEqualTo(epoch);
	}

	@Test
	void whatWasPutBackInTheStoreIsNotPerformedFromMemory() {
		List<String> performed = fetchSome();
		int fetched = fetchedAndNotBegun();
		// As by a late call
		this.memory.shards().acquire(this.shard.shard(), LeaseRequest.forFreeShard(this.session.id())).join();
		List<String> inMemory = IDS.subList(performed.size(), performed.size() + fetched);
		assertThat(this.memory.actions().delete(this.shard.shard(), inMemory).changed()).isEqualTo(fetched);
		fence();
		assign(true);
		while (!isEmpty()) {
			performed.add(performNext());
		}
		assertThat(performed).doesNotContainAnyElementsOf(inMemory);
		assertThat(Set.copyOf(performed)).hasSize(40 - fetched);
	}

	/** Fetches several jobs at once, after quick runs. */
	private List<String> fetchSome() {
		enqueue(IDS);
		assign(true);
		List<String> performed = new ArrayList<>();
		while (fetchedAndNotBegun() < 4) {
			performed.add(performNext());
		}
		return performed;
	}

	/** A thread that looks for a task and has to wait. */
	private FutureTask<Task> waiting() {
		FutureTask<Task> next = new FutureTask<>(() -> this.dispatcher.take(this.activity, this.waiter));
		Thread thread = new Thread(next);
		thread.setDaemon(true);
		thread.start();
		await().until(() -> next.isDone() || thread.getState() == Thread.State.WAITING);
		assertThat(next).isNotDone();
		return next;
	}

	@Test
	void nothingBeginsWhileACallIsUncertain() throws Exception {
		fetchSome();
		// As if an answer was lost
		this.lock.run(() -> held().uncertain(CallUncertainty.UNANSWERED));
		FutureTask<Task> next = waiting();
		assign(true);
		assertThat(next.get(10, TimeUnit.SECONDS)).isNotNull();
	}

	@Test
	void nothingBeginsWhileItsShardIsBeingReleased() throws Exception {
		fetchSome();
		this.store.release = new CompletableFuture<>();
		assign(false);
		// The assignment has changed its mind
		assign(true);
		assertThat(fetchedAndNotBegun()).isPositive();
		FutureTask<Task> next = waiting();
		this.store.release = null;
		this.store.completeRelease();
		assertThat(next.get(10, TimeUnit.SECONDS)).isNotNull();
	}

	@Test
	void whatWasFetchedIsNotBegunWhenTheLeaseHasRunOut() throws Exception {
		fetchSome();
		// Nobody has noticed yet
		this.nanos.addAndGet(Duration.ofHours(1).toNanos());
		FutureTask<Task> next = waiting();
		Session again = new Session("own-2", this.nanos.get() + Duration.ofHours(1).toNanos(), this.nanos::get);
		this.events.assigned(again, new Membership(true, List.of(member(again.id())), Map.of(), 1),
				Set.of(this.shard.shard()));
		assertThat(next.get(10, TimeUnit.SECONDS).lease().session()).isEqualTo(again.id());
	}

	/** Nothing else looks at the shard here. */
	@Test
	void theTimeLimitOfAPerformIsADeadlineOfItsShard() throws Exception {
		this.gate = new CountDownLatch(1);
		Task task = begun();
		FutureTask<List<Completed>> perform = new FutureTask<>(
				() -> this.performer.perform(task, this.activity, ThreadBaseline.capture(List.of())));
		Thread performing = new Thread(perform);
		performing.start();
		await().until(() -> performing.getState() == Thread.State.WAITING);
		this.nanos.addAndGet(Duration.ofMinutes(5).toNanos());
		this.deadlines.loop().start((message, error) -> {
		});
		assertThat(perform.get(10, TimeUnit.SECONDS)).singleElement()
			.satisfies((completed) -> assertThat(completed.outcomes()).singleElement()
				.asInstanceOf(type(Outcome.Retry.class))
				.satisfies((retry) -> assertThat(retry.failure().text())
					.contains("lasted longer than perform-timeout (5m)")));
		this.deadlines.loop().end();
	}

	@Test
	void theEndOfAPerformOfALostLeaseLetsTheShardBeFetchedAgain() {
		Task task = begun();
		fence();
		assign(true);
		assertThat(this.shard.held()).isNotNull();
		assertThat(counts().fresh()).isEqualTo(1);
		CompletableFuture<Task> again = CompletableFuture
			.supplyAsync(() -> this.dispatcher.take(this.activity, this.waiter));
		perform(task);
		assertThat(again).succeedsWithin(ServerFixture.PATIENCE)
			.satisfies((next) -> assertThat(next.jobs()).extracting(FetchedJob::id).containsExactly("a"));
	}

	/** A run of the only job. */
	private Task begun() {
		enqueue(List.of("a"));
		assign(true);
		Task task = take();
		assertThat(task.leaseValid().getAsBoolean()).isTrue();
		return task;
	}

	@Test
	void aRunWhoseJobWasPutBackHasLostItsLeaseAndEndsBeforeTheShardIsFetchedAgain() throws Exception {
		Task task = begun();
		this.lock.run(() -> held().uncertain(CallUncertainty.OUT_OF_STEP));
		assign(true);
		assertThat(counts().fresh()).isEqualTo(1);
		assertThat(task.leaseValid().getAsBoolean()).isFalse();
		assertThat(this.orphaned).containsExactly(task);
		FutureTask<Task> again = waiting();
		assertThat(counts().busy()).isZero();
		perform(task);
		Task next = again.get(10, TimeUnit.SECONDS);
		assertThat(next.jobs()).extracting(FetchedJob::id).containsExactly("a");
		assertThat(next.leaseValid().getAsBoolean()).isTrue();
	}

	@Test
	void aRunWhoseOutcomeWillBeAppliedAfterALostAnswerHasNotLostItsLease() {
		Task task = begun();
		FutureTask<Task> idle = waiting();
		this.store.unanswered = new CompletableFuture<>();
		this.events.recheckOneShard();
		assertThat(held().isReady()).isFalse();
		this.store.unanswered = null;
		this.nanos.addAndGet(SETTINGS.leaseDuration().toNanos());
		assign(true);
		assign(true);
		assertThat(held().lease().epoch()).isGreaterThan(task.lease().epoch());
		assertThat(task.leaseValid().getAsBoolean()).isTrue();
		assertThat(this.orphaned).isEmpty();
		perform(task);
		assertThat(isEmpty()).isTrue();
		assertThat(counts().processed()).isEqualTo(1);
		assertThat(idle).isNotDone();
	}

	@Test
	void aNewSessionDoesNotWaitForARequestOfAnEarlierOne() {
		this.store.silent = true;
		assign(true);
		assertThat(this.shard.isAcquiring()).isTrue();
		this.store.silent = false;
		Session again = new Session("own-2", Duration.ofHours(1).toNanos(), this.nanos::get);
		this.events.assigned(again, new Membership(true, List.of(member(again.id())), Map.of(), 1),
				Set.of(this.shard.shard()));
		assertThat(held().session()).isSameAs(again);
	}

	private int fetchedAndNotBegun() {
		HeldShard held = this.shard.held();
		return (held != null) ? held.tasks().fetchedTasks() : 0;
	}

	private boolean isEmpty() {
		this.nanos.addAndGet(Duration.ofMillis(20).toNanos());
		this.lock.run(() -> this.lock.changed(this.shard));
		ShardCounts counts = this.memory.inspection().counts(this.shard.shard());
		return counts.queued() == 0 && counts.busy() == 0;
	}

	private void perform(Task task) {
		this.dispatcher.performed(this.shard, task,
				this.performer.perform(task, this.activity, ThreadBaseline.capture(List.of())));
	}

	private Task take() {
		return Objects.requireNonNull(this.dispatcher.take(this.activity, this.waiter));
	}

	/** Does what a thread does. */
	private String performNext() {
		Task task = take();
		perform(task);
		return task.jobs().get(0).id();
	}

	private Acquisition acquireByOther() {
		return this.memory.shards().acquire(this.shard.shard(), LeaseRequest.forFreeShard(OTHER)).join();
	}

	private static Member member(String session) {
		return new Member(session, 1, new NodeInfo(session, 0, Duration.ofMinutes(1), Set.of("orders"), false));
	}

	/**
	 * A store whose answers to requests are lost while it is slow, and which applies
	 * these later.
	 */
	private static final class SlowStore extends ForwardingShardStore {

		private final List<Runnable> late = new ArrayList<>();

		private @Nullable LeaseRequest lastRequest;

		private boolean slow;

		private boolean silent;

		/** The answer of calls that never reach the store. */
		private @Nullable CompletableFuture<FetchResult> unanswered;

		/** The answer of a release that is not applied yet. */
		private @Nullable CompletableFuture<Boolean> release;

		private @Nullable Runnable applyRelease;

		SlowStore(ShardStore store) {
			super(store);
		}

		void applyLate() {
			this.late.forEach(Runnable::run);
		}

		@Override
		public CompletableFuture<Acquisition> acquire(Shard shard, LeaseRequest request) {
			this.lastRequest = request;
			if (this.slow) {
				this.late.add(() -> this.store.acquire(shard, request).join());
				return CompletableFuture.failedFuture(new StoreException("lost, and applied later", null));
			}
			return this.silent ? new CompletableFuture<>() : this.store.acquire(shard, request);
		}

		@Override
		public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy,
				List<Outcome> outcomes, Fetch fetch) {
			CompletableFuture<FetchResult> never = this.unanswered;
			return (never != null) ? never : this.store.completeAndFetch(lease, sequence, busy, outcomes, fetch);
		}

		@Override
		public CompletableFuture<Boolean> release(Lease lease, long sequence, List<Outcome> outcomes) {
			CompletableFuture<Boolean> later = this.release;
			if (later != null) {
				this.applyRelease = () -> later.complete(this.store.release(lease, sequence, outcomes).join());
				return later;
			}
			return this.store.release(lease, sequence, outcomes);
		}

		void completeRelease() {
			Objects.requireNonNull(this.applyRelease).run();
		}

	}

}
