package io.lowkiq.engine;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.ErrorFormatter;
import io.lowkiq.JobErrorHandler;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.LowkiqServerEvent;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.engine.lease.ServedShards;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.perform.OutOfMemoryWatch;
import io.lowkiq.engine.perform.Performer;
import io.lowkiq.engine.perform.StackTraceErrorFormatter;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.engine.perform.ThreadState;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.SystemRuntime;
import io.lowkiq.engine.schedule.DefaultShardSplitter;
import io.lowkiq.engine.schedule.LagShardScheduler;
import io.lowkiq.engine.schedule.ShardScheduler;
import io.lowkiq.engine.schedule.ShardSplitter;
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

	private LowkiqServer(Builder builder) {
		LowkiqObserver observer = LowkiqObserver
			.guarded(List.of(builder.observer, new BurialEvents(builder.node, builder::publish)));
		this.parts = new Parts(builder.store, builder.settings, observer, builder.scheduler, builder.clock,
				builder.runtime, new ThreadSource(builder.threadFactory, builder.threadPerRun, builder.threadStates),
				builder::publish, builder.node, builder.application, builder.foreignQueues,
				new BackgroundLoop("follow-ups", "What follows completed jobs waits in their shards",
						Duration.ofSeconds(5), () -> {
						}, builder.clock));
		this.shards = new ServedShards(builder.workers, builder.store.queues(), builder.splitter,
				builder.settings.fetchAhead(), builder.settings.threads(), builder.clock);
		this.lock = new StateLock(builder.runtime);
		this.performer = new Performer(builder.codec, builder.errorFormatter, builder.interceptors,
				builder.errorHandlers, observer, builder.performContext,
				new OutOfMemoryWatch(builder.runtime::nanoTime, this::outOfMemory), builder.runtime::nanoTime,
				builder.node, builder.clock);
	}

	/**
	 * The parts that each run of a server works with.
	 *
	 * @param application the name of the application, or empty
	 */
	record Parts(Store store, ServerSettings settings, LowkiqObserver observer, ShardScheduler scheduler,
			InstantSource clock, EngineRuntime runtime, ThreadSource threads, Consumer<LowkiqServerEvent> events,
			String node, String application, Consumer<Map<String, String>> foreignQueues, BackgroundLoop followUps) {
	}

	/** Begins a server. */
	public static Builder builder(WorkerRegistry workers, Store store) {
		return new Builder(workers, store);
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
	 * @throws io.lowkiq.StoreException if the store can't be reached
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
	 * Checks all deadlines again and sends a heartbeat, because the monotonic clock has
	 * jumped forwards.
	 */
	public void clockMoved() {
		ifStarted(ServerRun::clockMoved);
	}

	/** Whether the server was started and not stopped, and has not failed. */
	public boolean isRunning() {
		ServerRun current = this.run;
		return current != null && current.isRunning();
	}

	/** Whether the current thread performs a job of this server. */
	public boolean isPerforming() {
		ServerRun current = this.run;
		return current != null && current.isPerforming();
	}

	/** The task that moves what follows completed jobs to their queues. */
	@Override
	public BackgroundLoop loop() {
		return this.parts.followUps();
	}

	/** The server's present status. */
	public ServerStatus status() {
		ServerRun current = this.run;
		if (current != null) {
			return current.status();
		}
		return new ServerStatus(ServerStatus.State.STOPPED, this.parts.node(), null, null, null, null, null, List.of(),
				this.shards.stopped(), this.shards.foreign(), List.of(), List.of(), Map.of());
	}

	/** Builds a server. */
	public static final class Builder {

		private WorkerRegistry workers;

		private final Store store;

		private ServerSettings settings = ServerSettings.DEFAULTS;

		private PayloadCodec codec = new JacksonPayloadCodec();

		private ErrorFormatter errorFormatter = new StackTraceErrorFormatter();

		private List<PerformInterceptor> interceptors = List.of();

		private List<JobErrorHandler> errorHandlers = List.of();

		private LowkiqObserver observer = LowkiqObserver.NONE;

		private ShardSplitter splitter = new DefaultShardSplitter();

		private ShardScheduler scheduler = new LagShardScheduler();

		private InstantSource clock = InstantSource.system();

		private EngineRuntime runtime = new SystemRuntime(System::nanoTime);

		private @Nullable ThreadFactory threadFactory;

		private boolean threadPerRun;

		private List<Supplier<ThreadState>> threadStates = List.of();

		private Consumer<LowkiqServerEvent> events = (event) -> {
		};

		private ThreadPerformContext performContext = new ThreadPerformContext();

		private String node = randomNode();

		private String application = "";

		private Consumer<Map<String, String>> foreignQueues = (queues) -> {
		};

		private Builder(WorkerRegistry workers, Store store) {
			this.workers = workers;
			this.store = store;
		}

		/**
		 * Adds a worker that is not one of the application.
		 * @throws io.lowkiq.InvalidQueueException if another one serves its queue
		 */
		public Builder worker(RegisteredWorker worker) {
			this.workers = new WorkerRegistry(Stream.concat(this.workers.all().stream(), Stream.of(worker)).toList());
			return this;
		}

		/** Sets the settings. */
		public Builder settings(ServerSettings settings) {
			this.settings = settings;
			return this;
		}

		/** Sets the codec that reads payloads. */
		public Builder codec(PayloadCodec codec) {
			this.codec = codec;
			return this;
		}

		/** Sets the formatter of kept exceptions. */
		public Builder errorFormatter(ErrorFormatter errorFormatter) {
			this.errorFormatter = errorFormatter;
			return this;
		}

		/** Sets the interceptors of every run. */
		public Builder interceptors(List<PerformInterceptor> interceptors) {
			this.interceptors = List.copyOf(interceptors);
			return this;
		}

		/** Sets the handlers that decide about failures. */
		public Builder errorHandlers(List<JobErrorHandler> errorHandlers) {
			this.errorHandlers = List.copyOf(errorHandlers);
			return this;
		}

		/** Sets the observer of what the server does. */
		public Builder observer(LowkiqObserver observer) {
			this.observer = observer;
			return this;
		}

		/** Sets the splitter, which decides which shards this node serves. */
		public Builder splitter(ShardSplitter splitter) {
			this.splitter = splitter;
			return this;
		}

		/** Sets the scheduler, which picks the shard to fetch from next. */
		public Builder scheduler(ShardScheduler scheduler) {
			this.scheduler = scheduler;
			return this;
		}

		/** Sets the clock of what people are shown. */
		public Builder clock(InstantSource clock) {
			this.clock = clock;
			return this;
		}

		/**
		 * Sets the factory of the performing threads. It is called for more threads than
		 * are started: each thread makes the one that would replace it. The threads that
		 * keep the leases are the server's own.
		 */
		public Builder threadFactory(ThreadFactory threadFactory) {
			this.threadFactory = threadFactory;
			return this;
		}

		/**
		 * Sets whether each run gets a thread of its own, as is usual with virtual
		 * threads.
		 */
		public Builder threadPerRun(boolean threadPerRun) {
			this.threadPerRun = threadPerRun;
			return this;
		}

		/**
		 * Sets what is restored on a performing thread for each run, besides its name,
		 * priority, context class loader, interrupt flag and MDC.
		 */
		public Builder threadStates(List<Supplier<ThreadState>> threadStates) {
			this.threadStates = List.copyOf(threadStates);
			return this;
		}

		/** Sets the listener for the start, the stop and the failure of the server. */
		public Builder events(Consumer<LowkiqServerEvent> events) {
			this.events = events;
			return this;
		}

		/** Sets the context that workers can use during a run. */
		public Builder performContext(ThreadPerformContext performContext) {
			this.performContext = performContext;
			return this;
		}

		/** Sets the node's id. */
		public Builder node(String node) {
			this.node = node;
			return this;
		}

		/**
		 * Sets the name of the application, by which a queue that another application
		 * uses for other payloads is detected.
		 */
		public Builder application(String application) {
			this.application = application;
			return this;
		}

		/**
		 * Sets the listener for queues that this server doesn't serve, because they
		 * belong to another application.
		 */
		public Builder foreignQueues(Consumer<Map<String, String>> foreignQueues) {
			this.foreignQueues = foreignQueues;
			return this;
		}

		/** Builds the server. */
		public LowkiqServer build() {
			return new LowkiqServer(this);
		}

		/**
		 * Sets the monotonic clock, by which leases and deadlines go.
		 * @param nanoTime a time in nanoseconds that never goes back; by default that of
		 * {@link System#nanoTime()}
		 */
		public Builder nanoTime(LongSupplier nanoTime) {
			return runtime(new SystemRuntime(nanoTime));
		}

		/**
		 * Sets the time, the threads, the waits and the random numbers of the server. For
		 * tests of Lowkiq itself; replaces the {@linkplain #nanoTime monotonic clock}.
		 */
		public Builder runtime(EngineRuntime runtime) {
			this.runtime = runtime;
			return this;
		}

		private void publish(LowkiqServerEvent event) {
			try {
				this.events.accept(event);
			}
			catch (Throwable ex) {
				PrintableThrowable.log(ex, (printable) -> logger.warn("A listener for {} threw an exception",
						event.getClass().getSimpleName(), printable));
			}
		}

		private static String randomNode() {
			return hostName() + "-" + UUID.randomUUID().toString().substring(0, 8);
		}

		private static String hostName() {
			try {
				return InetAddress.getLocalHost().getHostName();
			}
			catch (UnknownHostException ex) {
				return "node";
			}
		}

	}

}
