package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

import io.lowkiq.LowkiqWorker.EqualPayloads;
import io.lowkiq.LowkiqWorker.Keep;
import io.lowkiq.LowkiqWorker.WhileRetryWaits;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.TransactionMode;

/**
 * The configuration properties of Lowkiq.
 */
@ConfigurationProperties("lowkiq")
public class LowkiqProperties {

	/**
	 * Whether to auto-configure the client and the server.
	 */
	private boolean enabled = true;

	/**
	 * Prefix of all keys in Redis. Applications with different prefixes don't affect each
	 * other.
	 */
	private String keyPrefix = "lowkiq";

	/**
	 * Whether the start fails if Redis can't be reached. If not, the application starts
	 * and waits for it.
	 */
	private boolean failFast = false;

	private final Server server = new Server();

	private final Client client = new Client();

	/**
	 * Settings of individual queues by the queue's name, as in
	 * 'lowkiq.workers.mail.out.shards'; they override the attributes of '@LowkiqWorker'.
	 */
	private final Map<String, Worker> workers = new LinkedHashMap<>();

	private final WorkerDefaults workerDefaults = new WorkerDefaults();

	/**
	 * Queues to which this application enqueues without having their worker, by the
	 * queue's name, as in 'lowkiq.queues.mail.out.shards'. They are recorded with the
	 * first job.
	 */
	private final Map<String, Queue> queues = new LinkedHashMap<>();

	private final Metrics metrics = new Metrics();

	private final Morgue morgue = new Morgue();

	private final Tracing tracing = new Tracing();

	public boolean isEnabled() {
		return this.enabled;
	}

	public void setEnabled(boolean enabled) {
		this.enabled = enabled;
	}

	public String getKeyPrefix() {
		return this.keyPrefix;
	}

	public void setKeyPrefix(String keyPrefix) {
		this.keyPrefix = keyPrefix;
	}

	public boolean isFailFast() {
		return this.failFast;
	}

	public void setFailFast(boolean failFast) {
		this.failFast = failFast;
	}

	public Server getServer() {
		return this.server;
	}

	public Client getClient() {
		return this.client;
	}

	public Map<String, Worker> getWorkers() {
		return this.workers;
	}

	public WorkerDefaults getWorkerDefaults() {
		return this.workerDefaults;
	}

	public Map<String, Queue> getQueues() {
		return this.queues;
	}

	public Metrics getMetrics() {
		return this.metrics;
	}

	public Morgue getMorgue() {
		return this.morgue;
	}

	public Tracing getTracing() {
		return this.tracing;
	}

	/**
	 * The server of this application.
	 */
	public static class Server {

		private final Queues queues = new Queues();

		/**
		 * Whether this application performs jobs. If not, it only enqueues.
		 */
		private boolean enabled = true;

		/**
		 * Number of threads that perform jobs, 1 to 1,000.
		 */
		private int threads = 5;

		/**
		 * Whether to use virtual threads, which need Java 21 or newer; by default the
		 * value of 'spring.threads.virtual.enabled'.
		 */
		private @Nullable Boolean virtualThreads;

		/**
		 * How often to poll the store while its messages don't reach this node, 10ms to
		 * 1h.
		 */
		private Duration pollInterval = Duration.ofSeconds(1);

		/**
		 * How to choose the shard to fetch from next, unless there is a ShardScheduler
		 * bean.
		 */
		private Scheduler scheduler = Scheduler.LAG;

		/**
		 * How to choose the shards that this node serves, unless there is a ShardSplitter
		 * bean.
		 */
		private Splitter splitter = Splitter.DEFAULT;

		/**
		 * Number of nodes for the splitter 'by-node'.
		 */
		private int nodeCount = 1;

		/**
		 * Number of this node for the splitter 'by-node', starting at 0.
		 */
		private int nodeNumber = 0;

		/**
		 * How long this node keeps its shards without a heartbeat, 1s to 1h; after a
		 * crash, others take them over within 1.2 times this.
		 */
		private Duration leaseDuration = Duration.ofSeconds(15);

		/**
		 * How long to wait for runs in progress at shutdown before their threads are
		 * interrupted. Keep it below 'spring.lifecycle.timeout-per-shutdown-phase'.
		 */
		private Duration shutdownTimeout = Duration.ofSeconds(25);

		/**
		 * Whether to leave a queue to another application, by 'spring.application.name',
		 * that serves it with another payload type already; the other queues are served.
		 */
		private boolean refuseForeignQueues = true;

		/**
		 * Maximum number of jobs fetched per call, 1 to 1,000. With 1, nothing is fetched
		 * ahead.
		 */
		private int fetchAhead = 100;

		/**
		 * Whether to interrupt a thread when its lease is lost during a run.
		 */
		private boolean interruptOnLeaseLoss = false;

		public Queues getQueues() {
			return this.queues;
		}

		public boolean isEnabled() {
			return this.enabled;
		}

		public void setEnabled(boolean enabled) {
			this.enabled = enabled;
		}

		public int getThreads() {
			return this.threads;
		}

		public void setThreads(int threads) {
			this.threads = threads;
		}

		public @Nullable Boolean getVirtualThreads() {
			return this.virtualThreads;
		}

		public void setVirtualThreads(@Nullable Boolean virtualThreads) {
			this.virtualThreads = virtualThreads;
		}

		public Duration getPollInterval() {
			return this.pollInterval;
		}

		public void setPollInterval(Duration pollInterval) {
			this.pollInterval = pollInterval;
		}

		public Scheduler getScheduler() {
			return this.scheduler;
		}

		public void setScheduler(Scheduler scheduler) {
			this.scheduler = scheduler;
		}

		public Splitter getSplitter() {
			return this.splitter;
		}

		public void setSplitter(Splitter splitter) {
			this.splitter = splitter;
		}

		public int getNodeCount() {
			return this.nodeCount;
		}

		public void setNodeCount(int nodeCount) {
			this.nodeCount = nodeCount;
		}

		public int getNodeNumber() {
			return this.nodeNumber;
		}

		public void setNodeNumber(int nodeNumber) {
			this.nodeNumber = nodeNumber;
		}

		public Duration getLeaseDuration() {
			return this.leaseDuration;
		}

		public void setLeaseDuration(Duration leaseDuration) {
			this.leaseDuration = leaseDuration;
		}

		public boolean isRefuseForeignQueues() {
			return this.refuseForeignQueues;
		}

		public void setRefuseForeignQueues(boolean refuseForeignQueues) {
			this.refuseForeignQueues = refuseForeignQueues;
		}

		public Duration getShutdownTimeout() {
			return this.shutdownTimeout;
		}

		public void setShutdownTimeout(Duration shutdownTimeout) {
			this.shutdownTimeout = shutdownTimeout;
		}

		public int getFetchAhead() {
			return this.fetchAhead;
		}

		public void setFetchAhead(int fetchAhead) {
			this.fetchAhead = fetchAhead;
		}

		public boolean isInterruptOnLeaseLoss() {
			return this.interruptOnLeaseLoss;
		}

		public void setInterruptOnLeaseLoss(boolean interruptOnLeaseLoss) {
			this.interruptOnLeaseLoss = interruptOnLeaseLoss;
		}

	}

	/**
	 * The queues that this application serves, of those whose workers it has.
	 */
	public static class Queues {

		/**
		 * Queues to serve, as names or patterns such as 'mail*'; by default all. The
		 * application can enqueue into the others, too.
		 */
		private List<String> include = new ArrayList<>(List.of("*"));

		/**
		 * Queues not to serve, as names or patterns such as 'mail*'; by default none.
		 */
		private List<String> exclude = new ArrayList<>();

		public List<String> getInclude() {
			return this.include;
		}

		public void setInclude(List<String> include) {
			this.include = include;
		}

		public List<String> getExclude() {
			return this.exclude;
		}

		public void setExclude(List<String> exclude) {
			this.exclude = exclude;
		}

	}

	/**
	 * From which shard to fetch next.
	 */
	public enum Scheduler {

		/** The shard whose oldest due job has waited longest. */
		LAG,

		/** Shards in turn. */
		SEQ,

		/** A random queue by weight, then its shard that has waited longest. */
		WEIGHTED

	}

	/**
	 * The choice of the shards that a node serves.
	 */
	public enum Splitter {

		/** All shards, shared evenly among the living nodes. */
		DEFAULT,

		/** Fixed shards per node, from node-count and node-number. */
		BY_NODE

	}

	/**
	 * The client of this application.
	 */
	public static class Client {

		/**
		 * When jobs that are enqueued in a transaction are sent: immediately ('off'),
		 * after the commit ('after-commit'), or through a table of the same transaction
		 * ('outbox').
		 */
		private TransactionMode transactional = TransactionMode.OFF;

		/**
		 * Number of replicas that must have a job before enqueueing returns, else an
		 * UnconfirmedEnqueueException is thrown; 0 doesn't wait.
		 */
		private int waitForReplicas = 0;

		/**
		 * How long to wait for replicas, at least 1ms.
		 */
		private Duration waitTimeout = Duration.ofSeconds(1);

		public TransactionMode getTransactional() {
			return this.transactional;
		}

		public void setTransactional(TransactionMode transactional) {
			this.transactional = transactional;
		}

		public int getWaitForReplicas() {
			return this.waitForReplicas;
		}

		public void setWaitForReplicas(int waitForReplicas) {
			this.waitForReplicas = waitForReplicas;
		}

		public Duration getWaitTimeout() {
			return this.waitTimeout;
		}

		public void setWaitTimeout(Duration waitTimeout) {
			this.waitTimeout = waitTimeout;
		}

	}

	/**
	 * When a recurring job is enqueued.
	 */
	public static class Schedule {

		/**
		 * Cron expression as Spring has it, with seconds; '-' for never; by default the
		 * value of '@LowkiqSchedule'.
		 */
		private @Nullable String cron;

		/**
		 * Time zone of the expression, such as 'Europe/Berlin'; by default the value of
		 * '@LowkiqSchedule', or that of the JVM.
		 */
		private @Nullable String zone;

		public @Nullable String getCron() {
			return this.cron;
		}

		public void setCron(@Nullable String cron) {
			this.cron = cron;
		}

		public @Nullable String getZone() {
			return this.zone;
		}

		public void setZone(@Nullable String zone) {
			this.zone = zone;
		}

	}

	/**
	 * How long a failed job waits before a retry. If any of it is set, the back-off is
	 * exponential.
	 */
	public static class Retry {

		/**
		 * Time before the first retry, 0 to 365d; by default 15s if another property of
		 * 'retry' is set.
		 */
		private @Nullable Duration initialInterval;

		/**
		 * Factor by which the interval grows after each retry, 1 to 100; by default 2 if
		 * another property of 'retry' is set.
		 */
		private @Nullable Double multiplier;

		/**
		 * Maximum time between retries, up to 365d; by default 1h if another property of
		 * 'retry' is set.
		 */
		private @Nullable Duration maxInterval;

		/**
		 * Maximum random time added to or subtracted from the first interval, up to
		 * 'initial-interval'; it grows with the interval; by default none.
		 */
		private @Nullable Duration jitter;

		public @Nullable Duration getInitialInterval() {
			return this.initialInterval;
		}

		public void setInitialInterval(@Nullable Duration initialInterval) {
			this.initialInterval = initialInterval;
		}

		public @Nullable Double getMultiplier() {
			return this.multiplier;
		}

		public void setMultiplier(@Nullable Double multiplier) {
			this.multiplier = multiplier;
		}

		public @Nullable Duration getMaxInterval() {
			return this.maxInterval;
		}

		public void setMaxInterval(@Nullable Duration maxInterval) {
			this.maxInterval = maxInterval;
		}

		public @Nullable Duration getJitter() {
			return this.jitter;
		}

		public void setJitter(@Nullable Duration jitter) {
			this.jitter = jitter;
		}

		boolean isSet() {
			return this.initialInterval != null || this.multiplier != null || this.maxInterval != null
					|| this.jitter != null;
		}

	}

	/**
	 * Settings of all queues for which neither their own properties nor '@LowkiqWorker'
	 * say anything else.
	 */
	public static class WorkerDefaults {

		private final Retry retry = new Retry();

		/**
		 * Maximum number of retries of a payload before it goes to the morgue; by default
		 * 25.
		 */
		private @Nullable Integer maxRetryCount;

		/**
		 * Action to take when a job's retries are used up; by default its oldest payload
		 * goes to the morgue.
		 */
		private @Nullable RetriesExhausted retriesExhausted;

		/**
		 * How long a payload that can't be read is tried again before it goes to the
		 * morgue; by default 15m.
		 */
		private @Nullable Duration unreadableGrace;

		/**
		 * Time limit for one call of a worker; by default there is none.
		 */
		private @Nullable Duration performTimeout;

		public Retry getRetry() {
			return this.retry;
		}

		public @Nullable Integer getMaxRetryCount() {
			return this.maxRetryCount;
		}

		public void setMaxRetryCount(@Nullable Integer maxRetryCount) {
			this.maxRetryCount = maxRetryCount;
		}

		public @Nullable RetriesExhausted getRetriesExhausted() {
			return this.retriesExhausted;
		}

		public void setRetriesExhausted(@Nullable RetriesExhausted retriesExhausted) {
			this.retriesExhausted = retriesExhausted;
		}

		public @Nullable Duration getUnreadableGrace() {
			return this.unreadableGrace;
		}

		public void setUnreadableGrace(@Nullable Duration unreadableGrace) {
			this.unreadableGrace = unreadableGrace;
		}

		public @Nullable Duration getPerformTimeout() {
			return this.performTimeout;
		}

		public void setPerformTimeout(@Nullable Duration performTimeout) {
			this.performTimeout = performTimeout;
		}

	}

	/**
	 * Settings of one queue.
	 */
	public static class Worker {

		/**
		 * Recurring jobs by their ids, in addition to the schedules that
		 * '@LowkiqSchedule' declares, or overriding them.
		 */
		private final Map<String, Schedule> schedules = new LinkedHashMap<>();

		private final Retry retry = new Retry();

		/**
		 * Number of shards, 1 to 65,536; by default the value of '@LowkiqWorker'.
		 */
		private @Nullable Integer shards;

		/**
		 * Number of ids that a batch worker gets at once, 1 to 10,000; by default the
		 * value of '@LowkiqWorker'.
		 */
		private @Nullable Integer batchSize;

		/**
		 * Maximum number of retries of a payload before it goes to the morgue, 0 for
		 * none; by default the value of '@LowkiqWorker'.
		 */
		private @Nullable Integer maxRetryCount;

		/**
		 * Maximum number of payloads of one id delivered at once, 1 to 10,000; 1,000 by
		 * default.
		 */
		private @Nullable Integer maxPayloads;

		/**
		 * Share of the queue under the scheduler 'weighted', 1 to 1,000; 1 by default.
		 */
		private @Nullable Integer weight;

		/**
		 * Whether other applications serve the queue on purpose, so that no warning is
		 * given; set it in each. False by default.
		 */
		private @Nullable Boolean shared;

		/**
		 * Maximum number of ids of a shard that run at a time, up to 1,000; 0 for no
		 * limit; by default the value of '@LowkiqWorker'.
		 */
		private @Nullable Integer shardConcurrency;

		/**
		 * Names of exception classes after which the failed payloads go to the morgue at
		 * once; by default the value of '@LowkiqWorker'.
		 */
		private @Nullable List<String> buryOn;

		/**
		 * Names of exception classes after which the failed payloads are dropped; by
		 * default the value of '@LowkiqWorker'.
		 */
		private @Nullable List<String> discardOn;

		/**
		 * Action to take when a job's retries are used up; by default the value of
		 * '@LowkiqWorker'.
		 */
		private @Nullable RetriesExhausted retriesExhausted;

		/**
		 * How long a payload that can't be read is tried again before it goes to the
		 * morgue; by default the value of '@LowkiqWorker', 15m.
		 */
		private @Nullable Duration unreadableGrace;

		/**
		 * Time limit for one call of the worker, after which it is interrupted and has
		 * failed; by default the value of '@LowkiqWorker', no limit.
		 */
		private @Nullable Duration performTimeout;

		/**
		 * How long nothing must be enqueued for an id before it is performed; by default
		 * the value of '@LowkiqWorker', 0.
		 */
		private @Nullable Duration debounce;

		/**
		 * How long an id waits at most after its first payload while more arrive; by
		 * default the value of '@LowkiqWorker', no limit.
		 */
		private @Nullable Duration maxWait;

		/**
		 * Minimum time between the end of one run of an id and the start of the next; by
		 * default the value of '@LowkiqWorker', 0.
		 */
		private @Nullable Duration minInterval;

		/**
		 * Payloads to keep when several wait together; by default the value of
		 * '@LowkiqWorker', all.
		 */
		private @Nullable Keep keep;

		/**
		 * Score to keep when equal payloads wait together; by default the value of
		 * '@LowkiqWorker', the earliest.
		 */
		private @Nullable EqualPayloads equalPayloads;

		/**
		 * Effect of a new payload on an id that waits for a retry; by default the value
		 * of '@LowkiqWorker', the payload waits, too.
		 */
		private @Nullable WhileRetryWaits whileRetryWaits;

		public Map<String, Schedule> getSchedules() {
			return this.schedules;
		}

		public Retry getRetry() {
			return this.retry;
		}

		public @Nullable Integer getShards() {
			return this.shards;
		}

		public void setShards(@Nullable Integer shards) {
			this.shards = shards;
		}

		public @Nullable Integer getBatchSize() {
			return this.batchSize;
		}

		public void setBatchSize(@Nullable Integer batchSize) {
			this.batchSize = batchSize;
		}

		public @Nullable Integer getMaxRetryCount() {
			return this.maxRetryCount;
		}

		public void setMaxRetryCount(@Nullable Integer maxRetryCount) {
			this.maxRetryCount = maxRetryCount;
		}

		public @Nullable Integer getMaxPayloads() {
			return this.maxPayloads;
		}

		public void setMaxPayloads(@Nullable Integer maxPayloads) {
			this.maxPayloads = maxPayloads;
		}

		public @Nullable Boolean getShared() {
			return this.shared;
		}

		public void setShared(@Nullable Boolean shared) {
			this.shared = shared;
		}

		public @Nullable Integer getWeight() {
			return this.weight;
		}

		public void setWeight(@Nullable Integer weight) {
			this.weight = weight;
		}

		public @Nullable Integer getShardConcurrency() {
			return this.shardConcurrency;
		}

		public void setShardConcurrency(@Nullable Integer shardConcurrency) {
			this.shardConcurrency = shardConcurrency;
		}

		public @Nullable List<String> getBuryOn() {
			return this.buryOn;
		}

		public void setBuryOn(@Nullable List<String> buryOn) {
			this.buryOn = buryOn;
		}

		public @Nullable List<String> getDiscardOn() {
			return this.discardOn;
		}

		public void setDiscardOn(@Nullable List<String> discardOn) {
			this.discardOn = discardOn;
		}

		public @Nullable Duration getDebounce() {
			return this.debounce;
		}

		public void setDebounce(@Nullable Duration debounce) {
			this.debounce = debounce;
		}

		public @Nullable Duration getMaxWait() {
			return this.maxWait;
		}

		public void setMaxWait(@Nullable Duration maxWait) {
			this.maxWait = maxWait;
		}

		public @Nullable Duration getMinInterval() {
			return this.minInterval;
		}

		public void setMinInterval(@Nullable Duration minInterval) {
			this.minInterval = minInterval;
		}

		public @Nullable Keep getKeep() {
			return this.keep;
		}

		public void setKeep(@Nullable Keep keep) {
			this.keep = keep;
		}

		public @Nullable EqualPayloads getEqualPayloads() {
			return this.equalPayloads;
		}

		public void setEqualPayloads(@Nullable EqualPayloads equalPayloads) {
			this.equalPayloads = equalPayloads;
		}

		public @Nullable WhileRetryWaits getWhileRetryWaits() {
			return this.whileRetryWaits;
		}

		public void setWhileRetryWaits(@Nullable WhileRetryWaits whileRetryWaits) {
			this.whileRetryWaits = whileRetryWaits;
		}

		public @Nullable Duration getUnreadableGrace() {
			return this.unreadableGrace;
		}

		public void setUnreadableGrace(@Nullable Duration unreadableGrace) {
			this.unreadableGrace = unreadableGrace;
		}

		public @Nullable Duration getPerformTimeout() {
			return this.performTimeout;
		}

		public void setPerformTimeout(@Nullable Duration performTimeout) {
			this.performTimeout = performTimeout;
		}

		public @Nullable RetriesExhausted getRetriesExhausted() {
			return this.retriesExhausted;
		}

		public void setRetriesExhausted(@Nullable RetriesExhausted retriesExhausted) {
			this.retriesExhausted = retriesExhausted;
		}

	}

	/**
	 * A queue whose worker another application has.
	 */
	public static class Queue {

		/**
		 * Number of shards, 1 to 65,536, as declared by the queue's worker; by default
		 * the queue is not declared.
		 */
		private @Nullable Integer shards;

		public @Nullable Integer getShards() {
			return this.shards;
		}

		public void setShards(@Nullable Integer shards) {
			this.shards = shards;
		}

	}

	/**
	 * How long dead jobs are kept.
	 */
	public static class Morgue {

		/**
		 * How long to keep a dead job after it last died; by default forever.
		 */
		private @Nullable Duration maxAge;

		/**
		 * Maximum number of dead jobs to keep per shard, by default all; the oldest are
		 * deleted first.
		 */
		private @Nullable Integer maxJobs;

		public @Nullable Duration getMaxAge() {
			return this.maxAge;
		}

		public void setMaxAge(@Nullable Duration maxAge) {
			this.maxAge = maxAge;
		}

		public @Nullable Integer getMaxJobs() {
			return this.maxJobs;
		}

		public void setMaxJobs(@Nullable Integer maxJobs) {
			this.maxJobs = maxJobs;
		}

	}

	/**
	 * Metrics.
	 */
	public static class Metrics {

		/**
		 * Whether to publish metrics of the client, the server and the queues.
		 */
		private boolean enabled = true;

		/**
		 * Maximum age of the queue counts that metrics and Actuator show.
		 */
		private Duration cache = Duration.ofSeconds(5);

		public boolean isEnabled() {
			return this.enabled;
		}

		public void setEnabled(boolean enabled) {
			this.enabled = enabled;
		}

		public Duration getCache() {
			return this.cache;
		}

		public void setCache(Duration cache) {
			this.cache = cache;
		}

	}

	/**
	 * Traces across the queue.
	 */
	public static class Tracing {

		/**
		 * Maximum number of producers to keep with a traced job, and to link its run to,
		 * 1 to 255; further ones are counted.
		 */
		private int maxProducers = 32;

		/**
		 * Whether to observe the Redis commands that Lowkiq sends in the background, such
		 * as heartbeats and fetches.
		 */
		private boolean storeCommands = false;

		public int getMaxProducers() {
			return this.maxProducers;
		}

		public void setMaxProducers(int maxProducers) {
			this.maxProducers = maxProducers;
		}

		public boolean isStoreCommands() {
			return this.storeCommands;
		}

		public void setStoreCommands(boolean storeCommands) {
			this.storeCommands = storeCommands;
		}

	}

}
