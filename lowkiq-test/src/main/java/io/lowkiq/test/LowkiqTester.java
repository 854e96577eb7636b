package io.lowkiq.test;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.lowkiq.ErrorFormatter;
import io.lowkiq.JobErrorHandler;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PerformedJob;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.engine.perform.StackTraceErrorFormatter;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.perform.OutOfMemoryWatch;
import io.lowkiq.engine.perform.Performer;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.engine.schedule.LagShardScheduler;
import io.lowkiq.engine.schedule.ShardScheduler;
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

	private LowkiqTester(Builder builder) {
		this.store = builder.store;
		this.clock = builder.clock;
		this.counter = builder.counter;
		this.contents = new StoreContents(builder.store, builder.workers, builder.codec);
		this.runner = builder.runner(this.contents);
		this.whenEmpty = builder.whenEmpty;
		this.counter.leaveOut(builder.workers.all()
			.stream()
			.filter(RegisteredWorker::isInternal)
			.map(RegisteredWorker::queue)
			.collect(Collectors.toUnmodifiableSet()));
	}

	/**
	 * Begins a tester, for tests without Spring.
	 * @param workers the workers whose jobs are performed
	 * @param store where the jobs are; its clock is that of the test
	 * @param clock the time of the test
	 * @return the builder
	 */
	public static Builder builder(WorkerRegistry workers, RedisStore store, TestClock clock) {
		return new Builder(workers, store, clock);
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

	/**
	 * Builds a tester.
	 */
	public static final class Builder {

		private final WorkerRegistry workers;

		private final RedisStore store;

		private final TestClock clock;

		private LowkiqMode mode = LowkiqMode.MANUAL;

		private PayloadCodec codec = new JacksonPayloadCodec();

		private ErrorFormatter errorFormatter = new StackTraceErrorFormatter();

		private List<PerformInterceptor> interceptors = List.of();

		private List<JobErrorHandler> errorHandlers = List.of();

		private PerformCounter counter = new PerformCounter();

		private LowkiqObserver observer = this.counter;

		private ThreadPerformContext performContext = new ThreadPerformContext();

		private ShardScheduler scheduler = new LagShardScheduler();

		private @Nullable LowkiqServer server;

		private Runnable whenEmpty = () -> {
		};

		private Builder(WorkerRegistry workers, RedisStore store, TestClock clock) {
			this.workers = workers;
			this.store = store;
			this.clock = clock;
		}

		/**
		 * Has jobs performed on the thread of the test or of the enqueue.
		 * @param inline whether they are performed before an enqueue returns; false by
		 * default
		 * @return this builder
		 */
		public Builder inline(boolean inline) {
			this.mode = inline ? LowkiqMode.INLINE : LowkiqMode.MANUAL;
			return this;
		}

		/**
		 * Has jobs performed by the threads of a server.
		 * @param server the server, which goes by the clock of the test and has leases of
		 * {@link LowkiqTester#LEASE_DURATION}
		 * @return this builder
		 */
		public Builder server(LowkiqServer server) {
			this.mode = LowkiqMode.RUNNING;
			this.server = server;
			return this;
		}

		/**
		 * Sets what turns bytes into payloads.
		 * @param codec by default {@link JacksonPayloadCodec}
		 * @return this builder
		 */
		public Builder codec(PayloadCodec codec) {
			this.codec = codec;
			return this;
		}

		/**
		 * Sets what is kept of an exception.
		 * @param errorFormatter by default {@link StackTraceErrorFormatter}
		 * @return this builder
		 */
		public Builder errorFormatter(ErrorFormatter errorFormatter) {
			this.errorFormatter = errorFormatter;
			return this;
		}

		/**
		 * Sets the interceptors around every run.
		 * @param interceptors the interceptors, the first one outermost; none by default
		 * @return this builder
		 */
		public Builder interceptors(List<PerformInterceptor> interceptors) {
			this.interceptors = List.copyOf(interceptors);
			return this;
		}

		/**
		 * Sets the handlers that decide about failures.
		 * @param errorHandlers the handlers, in the order in which they are asked; none
		 * by default
		 * @return this builder
		 */
		public Builder errorHandlers(List<JobErrorHandler> errorHandlers) {
			this.errorHandlers = List.copyOf(errorHandlers);
			return this;
		}

		/**
		 * Sets the observer that is notified of runs.
		 * @param counter counts for {@link LowkiqTester#counts()}
		 * @param observer tells the counter and all others; doesn't throw
		 * @return this builder
		 */
		public Builder observer(PerformCounter counter, LowkiqObserver observer) {
			this.counter = counter;
			this.observer = observer;
			return this;
		}

		/**
		 * Sets the context that workers can ask about their run.
		 * @param performContext what the workers were given
		 * @return this builder
		 */
		public Builder performContext(ThreadPerformContext performContext) {
			this.performContext = performContext;
			return this;
		}

		/**
		 * Sets what picks the shard whose jobs are performed next.
		 * @param scheduler by default {@link LagShardScheduler}
		 * @return this builder
		 */
		public Builder scheduler(ShardScheduler scheduler) {
			this.scheduler = scheduler;
			return this;
		}

		/**
		 * Sets what has to be in the store of each test, such as the next times of
		 * schedules.
		 * @param whenEmpty called when the tester starts, and whenever it has emptied the
		 * store; does nothing by default
		 * @return this builder
		 */
		public Builder whenEmpty(Runnable whenEmpty) {
			this.whenEmpty = whenEmpty;
			return this;
		}

		/**
		 * Builds the tester.
		 * @return the tester, not started
		 */
		public LowkiqTester build() {
			return new LowkiqTester(this);
		}

		private JobRunner runner(StoreContents contents) {
			if (this.mode == LowkiqMode.RUNNING) {
				LowkiqServer running = Objects.requireNonNull(this.server, "There is no server");
				return new ServerRunner(running, this.store.nodes(), contents, this.counter, this.clock);
			}
			Performer performer = new Performer(this.codec, this.errorFormatter, this.interceptors, this.errorHandlers,
					this.observer, this.performContext, new OutOfMemoryWatch(this.clock::nanoTime, (message) -> {
					}), this.clock::nanoTime, "test", this.clock);
			return new CallingThreadRunner(this.store, this.workers, performer, this.scheduler, this.observer,
					this.clock, this.mode == LowkiqMode.INLINE);
		}

	}

}
