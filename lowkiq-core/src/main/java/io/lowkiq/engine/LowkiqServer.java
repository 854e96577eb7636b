package io.lowkiq.engine;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.ErrorFormatter;
import io.lowkiq.JacksonPayloadCodec;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.LowkiqServerEvent;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.StackTraceErrorFormatter;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.WakeUps;

/**
 * Performs the jobs of an application's queues. It can be started again after it was
 * stopped. Thread-safe.
 */
public final class LowkiqServer {

	private static final Logger logger = LoggerFactory.getLogger(LowkiqServer.class);

	private final ServerParts parts;

	private final ServedShards shards;

	/** Written under the monitor by start, read by all. */
	private volatile @Nullable ServerRun run;

	private LowkiqServer(ServerParts parts) {
		this.parts = parts;
		this.shards = new ServedShards(parts);
	}

	/**
	 * Begins a server.
	 * @param workers the workers of the application
	 * @param store where the jobs lie
	 * @param queues the recorded queues
	 * @param nodes the sessions of the nodes
	 * @param wakeUps messages from the store
	 * @return the builder
	 */
	public static Builder builder(WorkerRegistry workers, ShardStore store, QueueRegistry queues, NodeRegistry nodes,
			WakeUps wakeUps) {
		return new Builder(workers, store, queues, nodes, wakeUps);
	}

	/**
	 * Records the queues of the application in the store. {@link #start()} does it too,
	 * in the background, but only refuses a queue that is recorded with another number of
	 * shards.
	 * @throws io.lowkiq.ShardCountMismatchException if a queue is recorded with another
	 * number of shards
	 * @throws io.lowkiq.store.StoreException if the store is out of reach
	 */
	public void registerQueues() {
		for (RegisteredWorker worker : this.parts.workers().all()) {
			ServedShards.register(this.parts.queues(), worker);
		}
	}

	/**
	 * Starts the server and returns at once. While the store is out of reach, it goes on
	 * trying in the background. Does nothing if the server runs.
	 */
	public void start() {
		synchronized (this) {
			if (isRunning()) {
				return;
			}
			ServerRun before = this.run;
			if (before != null) {
				before.stop(Duration.ZERO);
			}
			ServerRun begun = new ServerRun(this.parts, this.shards);
			this.run = begun;
			begun.start();
		}
	}

	/**
	 * Stops fetching jobs at once. Running performs go on; jobs that were fetched and not
	 * begun are given back.
	 */
	public void quiet() {
		ServerRun current = this.run;
		if (current != null) {
			current.quiet();
		}
	}

	/**
	 * Stops the server: {@linkplain #quiet() no more jobs are fetched}, running performs
	 * are waited for, their outcomes sent, the leases given back.
	 * @param timeout how long to wait for running performs
	 * @return whether all performs had ended in time; otherwise their threads were
	 * interrupted and their jobs come back
	 */
	public boolean stop(Duration timeout) {
		ServerRun current = this.run;
		return current == null || current.stop(timeout);
	}

	/**
	 * Whether the server was started and not stopped, and has not failed.
	 * @return whether it runs
	 */
	public boolean isRunning() {
		ServerRun current = this.run;
		return current != null && current.isRunning();
	}

	/**
	 * What the server does at this moment. Costs no call of the store.
	 * @return the status
	 */
	public ServerStatus status() {
		ServerRun current = this.run;
		if (current != null) {
			return current.status();
		}
		return new ServerStatus(ServerStatus.State.STOPPED, this.parts.node(), null, null, null, null, List.of(),
				List.of(), List.of());
	}

	/**
	 * Builds a server.
	 */
	public static final class Builder {

		private final WorkerRegistry workers;

		private final ShardStore store;

		private final QueueRegistry queues;

		private final NodeRegistry nodes;

		private final WakeUps wakeUps;

		private ServerSettings settings = ServerSettings.DEFAULTS;

		private @Nullable PayloadCodec codec;

		private ErrorFormatter errorFormatter = new StackTraceErrorFormatter();

		private List<PerformInterceptor> interceptors = List.of();

		private LowkiqObserver observer = LowkiqObserver.NONE;

		private ShardSplitter splitter = new DefaultShardSplitter();

		private ShardScheduler scheduler = new LagShardScheduler();

		private InstantSource clock = InstantSource.system();

		private LongSupplier nanoTime = System::nanoTime;

		private @Nullable ThreadFactory threadFactory;

		private Consumer<LowkiqServerEvent> events = (event) -> {
		};

		private @Nullable ThreadPerformContext performContext;

		private @Nullable String node;

		private Builder(WorkerRegistry workers, ShardStore store, QueueRegistry queues, NodeRegistry nodes,
				WakeUps wakeUps) {
			this.workers = workers;
			this.store = store;
			this.queues = queues;
			this.nodes = nodes;
			this.wakeUps = wakeUps;
		}

		/**
		 * Sets the settings.
		 * @param settings {@link ServerSettings#DEFAULTS} by default
		 * @return this builder
		 */
		public Builder settings(ServerSettings settings) {
			this.settings = settings;
			return this;
		}

		/**
		 * Sets what turns bytes into payloads.
		 * @param codec by default {@link io.lowkiq.JacksonPayloadCodec}
		 * @return this builder
		 */
		public Builder codec(PayloadCodec codec) {
			this.codec = codec;
			return this;
		}

		/**
		 * Sets what is kept of an exception.
		 * @param errorFormatter by default {@link io.lowkiq.StackTraceErrorFormatter}
		 * @return this builder
		 */
		public Builder errorFormatter(ErrorFormatter errorFormatter) {
			this.errorFormatter = errorFormatter;
			return this;
		}

		/**
		 * Sets what runs around every perform.
		 * @param interceptors the interceptors, the first one outermost; none by default
		 * @return this builder
		 */
		public Builder interceptors(List<PerformInterceptor> interceptors) {
			this.interceptors = List.copyOf(interceptors);
			return this;
		}

		/**
		 * Sets who is told what the server does.
		 * @param observer by default {@link LowkiqObserver#NONE}
		 * @return this builder
		 */
		public Builder observer(LowkiqObserver observer) {
			this.observer = observer;
			return this;
		}

		/**
		 * Sets what distributes the shards.
		 * @param splitter by default {@link DefaultShardSplitter}
		 * @return this builder
		 */
		public Builder splitter(ShardSplitter splitter) {
			this.splitter = splitter;
			return this;
		}

		/**
		 * Sets what picks the next shard of a thread.
		 * @param scheduler by default {@link LagShardScheduler}
		 * @return this builder
		 */
		public Builder scheduler(ShardScheduler scheduler) {
			this.scheduler = scheduler;
			return this;
		}

		/**
		 * Sets the clock of what people are shown. Nothing the server decides depends on
		 * it: leases go by the monotonic clock, jobs by the clock of the store.
		 * @param clock by default the system's
		 * @return this builder
		 */
		public Builder clock(InstantSource clock) {
			this.clock = clock;
			return this;
		}

		/**
		 * Sets what makes the shard threads. The threads that keep the leases are the
		 * server's own.
		 * @param threadFactory makes the threads; by default platform threads named
		 * {@code lowkiq-shards-}<i>n</i>
		 * @return this builder
		 */
		public Builder threadFactory(ThreadFactory threadFactory) {
			this.threadFactory = threadFactory;
			return this;
		}

		/**
		 * Sets who is told that the server has started, stopped or failed.
		 * @param events called on a thread of the server or of the caller; what it throws
		 * is logged
		 * @return this builder
		 */
		public Builder events(Consumer<LowkiqServerEvent> events) {
			this.events = events;
			return this;
		}

		/**
		 * Sets what workers can ask about their perform.
		 * @param performContext by default one of the server's own
		 * @return this builder
		 */
		public Builder performContext(ThreadPerformContext performContext) {
			this.performContext = performContext;
			return this;
		}

		/**
		 * Sets the node's id.
		 * @param node the id; by default the host's name with a random part
		 * @return this builder
		 */
		public Builder node(String node) {
			this.node = node;
			return this;
		}

		/**
		 * Builds the server.
		 * @return the server, not started
		 */
		public LowkiqServer build() {
			return new LowkiqServer(new ServerParts(this.workers, this.store, this.queues, this.nodes, this.wakeUps,
					this.settings, (this.codec != null) ? this.codec : new JacksonPayloadCodec(), this.errorFormatter,
					this.interceptors, new GuardedObserver(this.observer), this.splitter, this.scheduler, this.clock,
					this.nanoTime, this.threadFactory, this::publish,
					(this.performContext != null) ? this.performContext : new ThreadPerformContext(),
					(this.node != null) ? this.node : randomNode()));
		}

		/** Sets the monotonic clock, in nanoseconds. */
		Builder nanoTime(LongSupplier nanoTime) {
			this.nanoTime = nanoTime;
			return this;
		}

		private void publish(LowkiqServerEvent event) {
			try {
				this.events.accept(event);
			}
			catch (RuntimeException ex) {
				logger.warn("A listener of {} threw", event, ex);
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
