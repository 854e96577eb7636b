package io.lowkiq.engine;

import java.net.InetAddress;
import java.net.UnknownHostException;
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

import io.lowkiq.ErrorFormatter;
import io.lowkiq.JobErrorHandler;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.LowkiqServerEvent;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.codec.JacksonPayloadCodec;
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
import io.lowkiq.store.Store;

/** The parts of a {@link LowkiqServer}, read when it is made. Not thread-safe. */
public final class ServerOptions {

	WorkerRegistry workers;

	final Store store;

	ServerSettings settings = ServerSettings.DEFAULTS;

	PayloadCodec codec = new JacksonPayloadCodec();

	ErrorFormatter errorFormatter = new StackTraceErrorFormatter();

	List<PerformInterceptor> interceptors = List.of();

	List<JobErrorHandler> errorHandlers = List.of();

	LowkiqObserver observer = LowkiqObserver.NONE;

	ShardSplitter splitter = new DefaultShardSplitter();

	ShardScheduler scheduler = new LagShardScheduler();

	InstantSource clock = InstantSource.system();

	EngineRuntime runtime = new SystemRuntime(System::nanoTime);

	@Nullable ThreadFactory threadFactory;

	boolean threadPerRun;

	List<Supplier<ThreadState>> threadStates = List.of();

	Consumer<LowkiqServerEvent> events = (event) -> {
	};

	ThreadPerformContext performContext = new ThreadPerformContext();

	String node = randomNode();

	String application = "";

	Consumer<Map<String, String>> foreignQueues = (queues) -> {
	};

	public ServerOptions(WorkerRegistry workers, Store store) {
		this.workers = workers;
		this.store = store;
	}

	/**
	 * Adds a worker that is not one of the application.
	 * @throws io.lowkiq.InvalidQueueException if another one serves its queue
	 */
	public ServerOptions worker(RegisteredWorker worker) {
		this.workers = new WorkerRegistry(Stream.concat(this.workers.all().stream(), Stream.of(worker)).toList());
		return this;
	}

	public ServerOptions settings(ServerSettings settings) {
		this.settings = settings;
		return this;
	}

	public ServerOptions codec(PayloadCodec codec) {
		this.codec = codec;
		return this;
	}

	public ServerOptions errorFormatter(ErrorFormatter errorFormatter) {
		this.errorFormatter = errorFormatter;
		return this;
	}

	public ServerOptions interceptors(List<PerformInterceptor> interceptors) {
		this.interceptors = List.copyOf(interceptors);
		return this;
	}

	public ServerOptions errorHandlers(List<JobErrorHandler> errorHandlers) {
		this.errorHandlers = List.copyOf(errorHandlers);
		return this;
	}

	public ServerOptions observer(LowkiqObserver observer) {
		this.observer = observer;
		return this;
	}

	public ServerOptions splitter(ShardSplitter splitter) {
		this.splitter = splitter;
		return this;
	}

	public ServerOptions scheduler(ShardScheduler scheduler) {
		this.scheduler = scheduler;
		return this;
	}

	/** Sets the clock of what people are shown. */
	public ServerOptions clock(InstantSource clock) {
		this.clock = clock;
		return this;
	}

	/**
	 * Sets the factory of the performing threads. It is called for more threads than are
	 * started: each thread makes the one that would replace it. The threads that keep the
	 * leases are the server's own.
	 */
	public ServerOptions threadFactory(ThreadFactory threadFactory) {
		this.threadFactory = threadFactory;
		return this;
	}

	public ServerOptions threadPerRun(boolean threadPerRun) {
		this.threadPerRun = threadPerRun;
		return this;
	}

	/**
	 * Sets what is restored on a performing thread for each run, besides its name,
	 * priority, context class loader, interrupt flag and MDC.
	 */
	public ServerOptions threadStates(List<Supplier<ThreadState>> threadStates) {
		this.threadStates = List.copyOf(threadStates);
		return this;
	}

	/** Sets the listener for the start, the stop and the failure of the server. */
	public ServerOptions events(Consumer<LowkiqServerEvent> events) {
		this.events = events;
		return this;
	}

	public ServerOptions performContext(ThreadPerformContext performContext) {
		this.performContext = performContext;
		return this;
	}

	public ServerOptions node(String node) {
		this.node = node;
		return this;
	}

	/** Sets the name by which other users of a queue are distinguished. */
	public ServerOptions application(String application) {
		this.application = application;
		return this;
	}

	/** Sets the listener for queues that belong to others, each with a sentence. */
	public ServerOptions foreignQueues(Consumer<Map<String, String>> foreignQueues) {
		this.foreignQueues = foreignQueues;
		return this;
	}

	/**
	 * Sets the monotonic clock, by which leases and deadlines go.
	 * @param nanoTime a time in nanoseconds that never goes back
	 */
	public ServerOptions nanoTime(LongSupplier nanoTime) {
		return runtime(new SystemRuntime(nanoTime));
	}

	/**
	 * Sets the time, the threads, the waits and the random numbers of the server. For
	 * tests of Lowkiq itself; replaces the {@linkplain #nanoTime monotonic clock}.
	 */
	public ServerOptions runtime(EngineRuntime runtime) {
		this.runtime = runtime;
		return this;
	}

	public PayloadCodec codec() {
		return this.codec;
	}

	public LowkiqObserver observer() {
		return this.observer;
	}

	public ShardScheduler scheduler() {
		return this.scheduler;
	}

	/** A performer with these options, and an observer that is notified of its runs. */
	public Performer performer(LowkiqObserver observer, Consumer<String> outOfMemory) {
		return new Performer(this.codec, this.errorFormatter, this.interceptors, this.errorHandlers, observer,
				this.performContext, new OutOfMemoryWatch(this.runtime::nanoTime, outOfMemory), this.runtime::nanoTime,
				this.node, this.clock);
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
