package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.lowkiq.LowkiqWorker.EqualPayloads;
import io.lowkiq.LowkiqWorker.Keep;
import io.lowkiq.LowkiqWorker.WhileRetryWaits;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.TransactionMode;

/**
 * The configuration properties of Lowkiq.
 *
 * @param enabled Whether to auto-configure the client and the server.
 * @param keyPrefix Prefix of all keys in Redis. Applications with different prefixes
 * don't affect each other.
 * @param failFast Whether the start fails if Redis can't be reached. If not, the
 * application starts and waits for it.
 * @param redis where the jobs are
 * @param server what the server does
 * @param client how the client sends jobs
 * @param workers Settings of individual queues by the queue's name, as in
 * 'lowkiq.workers.mail.out.shards'; they override the attributes of '@LowkiqWorker'.
 * @param workerDefaults settings of all queues that don't say anything else
 * @param queues Queues to which this application enqueues without having their worker, by
 * the queue's name, as in 'lowkiq.queues.mail.out.shards'. They are recorded with the
 * first job.
 * @param metrics what is published
 * @param morgue how long dead jobs are kept
 * @param tracing traces across the queue
 */
@ConfigurationProperties("lowkiq")
public record LowkiqProperties(@DefaultValue("true") boolean enabled, @DefaultValue("lowkiq") String keyPrefix,
		@DefaultValue("false") boolean failFast, @DefaultValue Redis redis, @DefaultValue Server server,
		@DefaultValue Client client, @DefaultValue Map<String, Worker> workers,
		@DefaultValue WorkerDefaults workerDefaults, @DefaultValue Map<String, Queue> queues,
		@DefaultValue Metrics metrics, @DefaultValue Morgue morgue, @DefaultValue Tracing tracing) {

	/**
	 * The Redis of the jobs.
	 *
	 * @param url URL of a Redis that keeps only jobs, with user, password and database;
	 * by default, jobs use the connections of the application.
	 */
	public record Redis(@Nullable String url) {

	}

	/**
	 * The server of this application.
	 *
	 * @param queues which queues are served
	 * @param enabled Whether this application performs jobs. If not, it only enqueues.
	 * @param threads Number of threads that perform jobs, 1 to 1,000.
	 * @param virtualThreads Whether to use virtual threads, which need Java 21 or newer;
	 * by default the value of 'spring.threads.virtual.enabled'.
	 * @param pollInterval How often to poll the store while its messages don't reach this
	 * node, 10ms to 1h.
	 * @param scheduler How to choose the shard to fetch from next, unless there is a
	 * ShardScheduler bean.
	 * @param splitter How to choose the shards that this node serves, unless there is a
	 * ShardSplitter bean.
	 * @param nodeCount Number of nodes for the splitter 'by-node'.
	 * @param nodeNumber Number of this node for the splitter 'by-node', starting at 0.
	 * @param leaseDuration How long this node keeps its shards without a heartbeat, 1s to
	 * 1h; after a crash, others take them over within 1.2 times this.
	 * @param shutdownTimeout How long to wait for runs in progress at shutdown before
	 * their threads are interrupted. Keep it below
	 * 'spring.lifecycle.timeout-per-shutdown-phase'.
	 * @param fetchAhead Maximum number of jobs fetched per call, 1 to 1,000. With 1,
	 * nothing is fetched ahead.
	 * @param interruptOnLeaseLoss Whether to interrupt a thread when its lease is lost
	 * during a run.
	 */
	public record Server(@DefaultValue Queues queues, @DefaultValue("true") boolean enabled,
			@DefaultValue("5") int threads, @Nullable Boolean virtualThreads, @DefaultValue("1s") Duration pollInterval,
			@DefaultValue("lag") Scheduler scheduler, @DefaultValue("default") Splitter splitter,
			@DefaultValue("1") int nodeCount, @DefaultValue("0") int nodeNumber,
			@DefaultValue("15s") Duration leaseDuration, @DefaultValue("25s") Duration shutdownTimeout,
			@DefaultValue("100") int fetchAhead, @DefaultValue("false") boolean interruptOnLeaseLoss) {

	}

	/**
	 * The queues that this application serves, of those whose workers it has.
	 *
	 * @param include Queues to serve, as names or patterns such as 'mail*'; by default
	 * all. The application can enqueue into the others, too.
	 * @param exclude Queues not to serve, as names or patterns such as 'mail*'; by
	 * default none.
	 */
	public record Queues(List<String> include, List<String> exclude) {

		public Queues {
			// What is not set is null
			include = (include != null) ? include : List.of("*");
			exclude = (exclude != null) ? exclude : List.of();
		}

	}

	/** From which shard to fetch next. */
	public enum Scheduler {

		/** The shard whose oldest due job has waited longest. */
		LAG,

		/** Shards in turn. */
		SEQ,

		/** A random queue by weight, then its shard that has waited longest. */
		WEIGHTED

	}

	/** The choice of the shards that a node serves. */
	public enum Splitter {

		/** All shards, shared evenly among the living nodes. */
		DEFAULT,

		/** Fixed shards per node, from node-count and node-number. */
		BY_NODE

	}

	/**
	 * The client of this application.
	 *
	 * @param transactional When jobs that are enqueued in a transaction are sent:
	 * immediately ('off'), after the commit ('after-commit'), or through a table of the
	 * same transaction ('outbox').
	 * @param waitForReplicas Number of replicas that must have a job before enqueueing
	 * returns, else an UnconfirmedEnqueueException is thrown; 0 doesn't wait.
	 * @param waitTimeout How long to wait for replicas, at least 1ms.
	 */
	public record Client(@DefaultValue("off") TransactionMode transactional, @DefaultValue("0") int waitForReplicas,
			@DefaultValue("1s") Duration waitTimeout) {

	}

	/**
	 * When a recurring job is enqueued.
	 *
	 * @param cron Cron expression as Spring has it, with seconds; '-' for never; by
	 * default the value of '@LowkiqSchedule'.
	 * @param zone Time zone of the expression, such as 'Europe/Berlin'; by default the
	 * value of '@LowkiqSchedule', or that of the JVM.
	 */
	public record Schedule(@Nullable String cron, @Nullable String zone) {

	}

	/**
	 * How long a failed job waits before a retry. If any of it is set, the back-off is
	 * exponential.
	 *
	 * @param initialInterval Time before the first retry, 0 to 365d; by default 15s if
	 * another property of 'retry' is set.
	 * @param multiplier Factor by which the interval grows after each retry, 1 to 100; by
	 * default 2 if another property of 'retry' is set.
	 * @param maxInterval Maximum time between retries, up to 365d; by default 1h if
	 * another property of 'retry' is set.
	 * @param jitter Maximum random time added to or subtracted from the first interval,
	 * up to 'initial-interval'; it grows with the interval; by default none.
	 */
	public record Retry(@Nullable Duration initialInterval, @Nullable Double multiplier, @Nullable Duration maxInterval,
			@Nullable Duration jitter) {

		boolean isSet() {
			return this.initialInterval != null || this.multiplier != null || this.maxInterval != null
					|| this.jitter != null;
		}

	}

	/**
	 * Settings of all queues for which neither their own properties nor '@LowkiqWorker'
	 * say anything else.
	 *
	 * @param retry how long a failed job waits before a retry
	 * @param maxRetryCount Maximum number of retries of a payload before it goes to the
	 * morgue; by default 25.
	 * @param retriesExhausted Action to take when a job's retries are used up; by default
	 * its oldest payload goes to the morgue.
	 * @param unreadableGrace How long a payload that can't be read is tried again before
	 * it goes to the morgue; by default 15m.
	 * @param performTimeout Time limit for one call of a worker; by default there is
	 * none.
	 */
	public record WorkerDefaults(@DefaultValue Retry retry, @Nullable Integer maxRetryCount,
			@Nullable RetriesExhausted retriesExhausted, @Nullable Duration unreadableGrace,
			@Nullable Duration performTimeout) {

	}

	/**
	 * Settings of one queue.
	 *
	 * @param schedules Recurring jobs by their ids, in addition to the schedules that
	 * '@LowkiqSchedule' declares, or overriding them.
	 * @param retry how long a failed job waits before a retry
	 * @param shards Number of shards, 1 to 65,536; by default the value of
	 * '@LowkiqWorker'.
	 * @param batchSize Number of ids that a batch worker gets at once, 1 to 10,000; by
	 * default the value of '@LowkiqWorker'.
	 * @param maxRetryCount Maximum number of retries of a payload before it goes to the
	 * morgue, 0 for none; by default the value of '@LowkiqWorker'.
	 * @param maxPayloads Maximum number of payloads of one id delivered at once, 1 to
	 * 10,000; 1,000 by default.
	 * @param schedulerWeight Share of the queue under the scheduler 'weighted', 1 to
	 * 1,000; 1 by default.
	 * @param shared Whether other applications serve the queue on purpose, so that none
	 * is refused; set it in each. False by default.
	 * @param shardConcurrency Maximum number of ids of a shard that run at a time, up to
	 * 1,000; 0 for no limit; by default the value of '@LowkiqWorker'.
	 * @param buryOn Names of exception classes after which the failed payloads go to the
	 * morgue at once; by default the value of '@LowkiqWorker'.
	 * @param discardOn Names of exception classes after which the failed payloads are
	 * dropped; by default the value of '@LowkiqWorker'.
	 * @param retriesExhausted Action to take when a job's retries are used up; by default
	 * the value of '@LowkiqWorker'.
	 * @param unreadableGrace How long a payload that can't be read is tried again before
	 * it goes to the morgue; by default the value of '@LowkiqWorker', 15m.
	 * @param performTimeout Time limit for one call of the worker, after which it is
	 * interrupted and has failed; by default the value of '@LowkiqWorker', no limit.
	 * @param debounce How long nothing must be enqueued for an id before it is performed;
	 * by default the value of '@LowkiqWorker', 0.
	 * @param maxWait How long an id waits at most after its first payload while more
	 * arrive; by default the value of '@LowkiqWorker', no limit.
	 * @param minInterval Minimum time between the end of one run of an id and the start
	 * of the next; by default the value of '@LowkiqWorker', 0.
	 * @param keep Payloads to keep when several wait together; by default the value of
	 * '@LowkiqWorker', all.
	 * @param equalPayloads Score to keep when equal payloads wait together; by default
	 * the value of '@LowkiqWorker', the earliest.
	 * @param whileRetryWaits Effect of a new payload on an id that waits for a retry; by
	 * default the value of '@LowkiqWorker', the payload waits, too.
	 * @param oneShardPerGroup Whether all ids of a group belong to one shard; by default
	 * the value of '@LowkiqWorker'.
	 * @param group how groups take turns
	 * @param concurrency Maximum number of jobs of the queue that run at a time over all
	 * nodes, at least one for each shard; no limit by default.
	 * @param rate How many runs of the queue begin over all nodes, such as '100/s',
	 * '500/h' or '100/s, burst 20'; no limit by default.
	 */
	public record Worker(@DefaultValue Map<String, Schedule> schedules, @DefaultValue Retry retry,
			@Nullable Integer shards, @Nullable Integer batchSize, @Nullable Integer maxRetryCount,
			@Nullable Integer maxPayloads, @Nullable Integer schedulerWeight, @Nullable Boolean shared,
			@Nullable Integer shardConcurrency, @Nullable List<String> buryOn, @Nullable List<String> discardOn,
			@Nullable RetriesExhausted retriesExhausted, @Nullable Duration unreadableGrace,
			@Nullable Duration performTimeout, @Nullable Duration debounce, @Nullable Duration maxWait,
			@Nullable Duration minInterval, @Nullable Keep keep, @Nullable EqualPayloads equalPayloads,
			@Nullable WhileRetryWaits whileRetryWaits, @Nullable Boolean oneShardPerGroup, @DefaultValue Group group,
			@Nullable Integer concurrency, @Nullable String rate) {

	}

	/**
	 * How the groups of a queue take turns.
	 *
	 * @param separator Separator between the group of an id and the rest, up to 8
	 * characters; empty for no groups; by default the value of '@LowkiqWorker'.
	 * @param maxShare Maximum share of one group in the threads of a node, such as 80%;
	 * by default 100%.
	 * @param weights Weight of a group, 1 to 1,000; 1 by default.
	 * @param concurrency Maximum number of jobs of each group that run at a time over all
	 * nodes; needs 'one-shard-per-group'; no limit by default.
	 * @param rate How many runs of each group begin over all nodes, such as '100/s',
	 * '500/h' or '100/s, burst 20'; needs 'one-shard-per-group'; no limit by default.
	 */
	public record Group(@Nullable String separator, @Nullable String maxShare,
			@DefaultValue Map<String, Integer> weights, @Nullable Integer concurrency, @Nullable String rate) {

	}

	/**
	 * A queue whose worker another application has.
	 *
	 * @param shards Number of shards, 1 to 65,536, as its worker declares it; by default
	 * the queue is not declared.
	 * @param group its groups
	 * @param oneShardPerGroup Whether all ids of a group belong to one shard, as its
	 * worker declares it; false by default.
	 */
	public record Queue(@Nullable Integer shards, @DefaultValue DeclaredGroup group,
			@Nullable Boolean oneShardPerGroup) {

	}

	/**
	 * The groups of a queue whose worker another application has.
	 *
	 * @param separator Separator of the groups, if its worker has 'one-shard-per-group';
	 * empty by default.
	 */
	public record DeclaredGroup(@Nullable String separator) {

	}

	/**
	 * How long dead jobs are kept.
	 *
	 * @param maxAge How long to keep a dead job after it last died; by default forever.
	 * @param maxJobs Maximum number of dead jobs to keep per shard, by default all; the
	 * oldest are deleted first.
	 */
	public record Morgue(@Nullable Duration maxAge, @Nullable Integer maxJobs) {

	}

	/**
	 * Metrics.
	 *
	 * @param enabled Whether to publish metrics of the client, the server and the queues.
	 * @param cache Maximum age of the queue counts that metrics and Actuator show.
	 * @param groups How many groups of each queue have a gauge, 0 to 100: those with the
	 * most waiting jobs. With 0, no groups are read.
	 */
	public record Metrics(@DefaultValue("true") boolean enabled, @DefaultValue("5s") Duration cache,
			@DefaultValue("20") int groups) {

	}

	/**
	 * Traces across the queue.
	 *
	 * @param maxProducers Maximum number of producers to keep with a traced job, and to
	 * link its run to, 1 to 255; further ones are counted.
	 * @param storeCommands Whether to observe the Redis commands that Lowkiq sends in the
	 * background, such as heartbeats and fetches.
	 */
	public record Tracing(@DefaultValue("32") int maxProducers, @DefaultValue("false") boolean storeCommands) {

	}

}
