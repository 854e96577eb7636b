package io.lowkiq.test;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.lowkiq.PerformedJob;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.redis.RedisStore;
import org.jspecify.annotations.Nullable;

/**
 * Has the jobs of a test performed, moves its clock, and shows what is in its store. A
 * bean in tests with {@link io.lowkiq.test.autoconfigure.LowkiqTest @LowkiqTest} or
 * {@link io.lowkiq.test.autoconfigure.AutoConfigureLowkiq @AutoConfigureLowkiq}.
 * Thread-safe, but a worker can't have jobs performed by it.
 */
public final class LowkiqTester {

	/**
	 * How long leases last in tests with a running server. The longest there is: time is
	 * moved by a third of it at once.
	 */
	public static final Duration LEASE_DURATION = Duration.ofHours(1);

	private final RedisStore store;

	private final TestClock clock;

	private final PerformCounter counter;

	private final StoreContents contents;

	private final JobRunner runner;

	private final Runnable whenEmpty;

	/**
	 * A tester of the beans of a test.
	 * @param workers the workers whose jobs are performed
	 * @param store where the jobs are; its clock is that of the test
	 * @param clock the time of the test
	 * @param counter counts for {@link #counts()}; the observer of the options tells it
	 * @param options of the server, by the clock of the test
	 * @param inline whether jobs are performed before an enqueue returns
	 * @param server performs the jobs, with leases of {@link #LEASE_DURATION}; null for
	 * the thread of the test or of the enqueue
	 * @param whenEmpty called when the tester starts, and whenever it has emptied the
	 * store
	 */
	public LowkiqTester(WorkerRegistry workers, RedisStore store, TestClock clock, PerformCounter counter,
			ServerOptions options, boolean inline, @Nullable LowkiqServer server, Runnable whenEmpty) {
		this.store = store;
		this.clock = clock;
		this.counter = counter;
		this.contents = new StoreContents(store, workers, options.codec());
		this.runner = (server != null) ? new ServerRunner(server, store.nodes(), this.contents, counter, clock)
				: new CallingThreadRunner(store, workers, options, clock, inline);
		this.whenEmpty = whenEmpty;
		counter.leaveOut(workers.all()
			.stream()
			.filter(RegisteredWorker::isInternal)
			.map(RegisteredWorker::queue)
			.collect(Collectors.toUnmodifiableSet()));
	}

	/**
	 * A tester for tests without Spring, with the defaults of a server, that has jobs
	 * performed when it is asked to.
	 * @param workers the workers whose jobs are performed
	 * @param store where the jobs are; its clock is that of the test
	 * @param clock the time of the test
	 * @return the tester, not started
	 */
	public static LowkiqTester of(WorkerRegistry workers, RedisStore store, TestClock clock) {
		PerformCounter counter = new PerformCounter();
		ServerOptions options = new ServerOptions(workers, store).observer(counter);
		return new LowkiqTester(workers, store, clock, counter, clock.configure(options), false, null, () -> {
		});
	}

	/**
	 * Makes the tester ready: records the queues, and in the mode inline performs what is
	 * due. Called once, by Spring for a bean.
	 */
	public void start() {
		this.runner.start();
		this.whenEmpty.run();
	}

	/**
	 * Has all due jobs performed, including jobs that become due by it, until none is
	 * due. No time passes. In the mode running, waits for the threads of the server, up
	 * to 30 seconds.
	 * @return how often workers were called since the call; in the mode running, a job
	 * may have been performed before
	 */
	public long drain() {
		return this.runner.drain((queue) -> true);
	}

	/**
	 * Has all due jobs of a queue performed, until none is due.
	 * @param queue the queue's name
	 * @return how often workers were called since the call; in the mode running, a job
	 * may have been performed before
	 */
	public long drain(String queue) {
		return this.runner.drain(only(queue));
	}

	/**
	 * Performs what is due next: one id, or a batch. The jobs of a shard are performed in
	 * the order of performAt; which shard comes next is for the scheduler to say, as in
	 * production.
	 * @return whether a job was due
	 * @throws IllegalStateException in the mode running, whose threads perform jobs as
	 * they become due
	 */
	public boolean performNext() {
		return this.runner.performNext((queue) -> true);
	}

	/**
	 * Performs what is due next of a queue.
	 * @param queue the queue's name
	 * @return whether a job was due
	 * @throws IllegalStateException in the mode running
	 */
	public boolean performNext(String queue) {
		return this.runner.performNext(only(queue));
	}

	private Predicate<String> only(String queue) {
		this.contents.waiting(queue);
		return queue::equals;
	}

	/**
	 * Lets time pass, by the clock of the store and by the monotonic clock of a running
	 * server, whose session and leases last. In the mode manual nothing is performed by
	 * this. In the modes inline and running jobs are performed as they become due.
	 * @param duration how long, not negative
	 */
	public void advance(Duration duration) {
		this.runner.advance(duration);
	}

	/**
	 * Lets time pass and has each job performed when it becomes due, retries included:
	 * the clock goes from one performAt to the next. So weeks of retries take
	 * milliseconds.
	 * @param duration how long, not negative
	 * @return how often workers were called since the call; in the mode running, a job
	 * may have been performed before
	 */
	public long drainFor(Duration duration) {
		return this.runner.drainFor(duration);
	}

	/**
	 * The time of the test.
	 * @return the time, by the clock of the store
	 */
	public Instant now() {
		return this.clock.instant();
	}

	/**
	 * The clock of the test, for parts of the application that need the time.
	 * @return a clock in UTC that shows {@link #now()}
	 */
	public Clock clock() {
		return this.clock.withZone(ZoneOffset.UTC);
	}

	/**
	 * The jobs of a queue that wait or are being performed. Hand them to AssertJ's
	 * {@code assertThat}.
	 * @param queue the queue's name
	 * @return the jobs at this moment
	 * @throws IllegalArgumentException if there is no such queue
	 */
	public QueueJobs queue(String queue) {
		Instant now = this.clock.instant();
		return new QueueJobs(queue, this.contents.waiting(queue), now, this.clock.unasked());
	}

	/**
	 * The dead jobs of a queue. Hand them to AssertJ's {@code assertThat}.
	 * @param queue the queue's name
	 * @return the jobs at this moment
	 * @throws IllegalArgumentException if there is no such queue
	 */
	public MorgueJobs morgue(String queue) {
		return new MorgueJobs(queue, this.contents.dead(queue), this.clock.instant());
	}

	/**
	 * How much was performed of all queues.
	 * @return the counts since the store was last emptied
	 */
	public PerformCounts counts() {
		return this.counter.all();
	}

	/**
	 * How much was performed of a queue.
	 * @param queue the queue's name
	 * @return the counts since the store was last emptied
	 */
	public PerformCounts counts(String queue) {
		return this.counter.of(queue);
	}

	/**
	 * The jobs of a queue that were performed: one entry for the payloads of a run that
	 * had the same result, in the order in which the runs ended. Payloads that were not
	 * performed because an earlier one had failed are not among them.
	 * @param queue the queue's name
	 * @return the jobs since the store was last emptied
	 * @throws IllegalArgumentException if there is no such queue
	 */
	public List<PerformedJob> performed(String queue) {
		this.contents.waiting(queue);
		return this.counter.performed(queue);
	}

	/**
	 * Records a queue that another application serves, so that this one can enqueue by
	 * its name. Its jobs are not performed.
	 * @param queue the queue's name
	 * @param shards the number of shards
	 */
	public void registerQueue(String queue, int shards) {
		this.store.queues().register(queue, shards);
	}

	/** A test begins: a clock that stands still has fallen behind. */
	void begin() {
		this.clock.catchUp();
	}

	/**
	 * Empties the store, resumes paused queues, and sets the clock to that of the system.
	 * Called after each test of a Spring context.
	 */
	public void reset() {
		this.runner.reset(this.contents::deleteAll);
		// By the clock that has been set
		this.contents.endRests();
		this.whenEmpty.run();
		this.counter.reset();
	}

}
