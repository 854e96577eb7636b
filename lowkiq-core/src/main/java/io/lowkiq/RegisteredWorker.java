package io.lowkiq;

import java.lang.reflect.Type;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A worker with the settings of its queue, after placeholders and properties have been
 * applied.
 *
 * @param queue the queue's name
 * @param workerClass the worker's class as used for enqueueing, never a proxy class
 * @param payloadType the type of the payloads
 * @param settings the settings of the queue
 * @param worker supplies the bean; called when the first job is performed or
 * {@link QueueWorker#toJob} is first needed, so that a lazy bean stays lazy
 * @param ownCodec converts the payloads of a queue of Lowkiq itself, whose jobs go
 * through no interceptor; null for a worker of the application
 */
public record RegisteredWorker(String queue, Class<?> workerClass, Type payloadType, Settings settings,
		Supplier<QueueWorker<?>> worker, @Nullable PayloadCodec ownCodec) {

	/** The maximum batch size. */
	public static final int MAX_BATCH_SIZE = 10_000;

	/** The maximum number of shards, see {@link LowkiqWorker#shards()}. */
	public static final int MAX_SHARDS = 65_536;

	/** The default of {@link Settings#maxPayloads()}. */
	public static final int DEFAULT_MAX_PAYLOADS = 1_000;

	public RegisteredWorker {
		Ids.checkQueue(queue);
		settings.check(queue);
	}

	/**
	 * A worker of the application.
	 * @param queue the queue's name
	 * @param workerClass the worker's class
	 * @param payloadType the type of the payloads
	 * @param settings the settings of the queue
	 * @param worker supplies the bean
	 */
	public RegisteredWorker(String queue, Class<?> workerClass, Type payloadType, Settings settings,
			Supplier<QueueWorker<?>> worker) {
		this(queue, workerClass, payloadType, settings, worker, null);
	}

	/**
	 * The layout of the queue, as this application has it.
	 * @return the layout to be recorded
	 */
	public QueueDeclaration declaration() {
		GroupPolicy groups = this.settings.groups();
		return new QueueDeclaration(this.queue, this.settings.shards(),
				groups.oneShardPerGroup() ? groups.separator() : "");
	}

	/**
	 * Whether the queue is one of Lowkiq itself, such as that of the times of schedules.
	 * What it has to do must not depend on codecs and interceptors of the application.
	 * @return whether it is
	 */
	public boolean isInternal() {
		return this.ownCodec != null;
	}

	/**
	 * The converter of the queue's payloads.
	 * @param codec that of the application
	 * @return the codec
	 */
	public PayloadCodec codecOr(PayloadCodec codec) {
		return (this.ownCodec != null) ? this.ownCodec : codec;
	}

	/**
	 * The settings of a queue.
	 *
	 * @param shards the number of shards, 1 to {@value #MAX_SHARDS}
	 * @param batchSize the number of ids that a {@link BatchWorker} gets at once, 1 to
	 * {@value #MAX_BATCH_SIZE}
	 * @param maxRetryCount the maximum number of retries before a payload goes to the
	 * morgue, at least 0
	 * @param maxPayloads the maximum number of payloads of one id performed at once, 1 to
	 * 10,000
	 * @param schedulerWeight the share of the queue under the weighted scheduler, 1 to
	 * 1,000
	 * @param shardConcurrency the maximum number of ids of one shard performed at a time,
	 * 0 to 1,000; 0 for as many as there are threads
	 * @param failures what happens to payloads that fail
	 * @param gathering how the payloads of an id gather
	 * @param shared whether other applications serve the queue, too, on purpose
	 * @param groups how ids form groups that take turns
	 * @param limits how many jobs run at a time and begin in a time, over all nodes
	 */
	public record Settings(int shards, int batchSize, int maxRetryCount, int maxPayloads, int schedulerWeight,
			int shardConcurrency, FailurePolicy failures, GatheringPolicy gathering, boolean shared, GroupPolicy groups,
			Limits limits) {

		/** The settings that apply when nothing is set. */
		public static final Settings DEFAULTS = new Settings(LowkiqWorker.DEFAULT_SHARDS,
				LowkiqWorker.DEFAULT_BATCH_SIZE, LowkiqWorker.DEFAULT_MAX_RETRY_COUNT, DEFAULT_MAX_PAYLOADS, 1, 0);

		/**
		 * Settings with the default policies.
		 * @param shards the number of shards
		 * @param batchSize the number of ids that a {@link BatchWorker} gets at once
		 * @param maxRetryCount the maximum number of retries
		 * @param maxPayloads the number of payloads of one id
		 * @param schedulerWeight the share of the queue
		 * @param shardConcurrency the maximum number of performs of one shard at a time
		 */
		public Settings(int shards, int batchSize, int maxRetryCount, int maxPayloads, int schedulerWeight,
				int shardConcurrency) {
			this(shards, batchSize, maxRetryCount, maxPayloads, schedulerWeight, shardConcurrency,
					FailurePolicy.DEFAULT, GatheringPolicy.NONE, false, GroupPolicy.NONE, Limits.NONE);
		}

		/**
		 * Returns a copy with another failure policy.
		 * @param policy what happens to payloads that fail
		 * @return the copy
		 */
		public Settings with(FailurePolicy policy) {
			return new Settings(this.shards, this.batchSize, this.maxRetryCount, this.maxPayloads, this.schedulerWeight,
					this.shardConcurrency, policy, this.gathering, this.shared, this.groups, this.limits);
		}

		/**
		 * Returns a copy with another gathering policy.
		 * @param policy how the payloads of an id gather
		 * @return the copy
		 */
		public Settings with(GatheringPolicy policy) {
			return new Settings(this.shards, this.batchSize, this.maxRetryCount, this.maxPayloads, this.schedulerWeight,
					this.shardConcurrency, this.failures, policy, this.shared, this.groups, this.limits);
		}

		/**
		 * Returns a copy with another group policy.
		 * @param policy how ids form groups
		 * @return the copy
		 */
		public Settings with(GroupPolicy policy) {
			return new Settings(this.shards, this.batchSize, this.maxRetryCount, this.maxPayloads, this.schedulerWeight,
					this.shardConcurrency, this.failures, this.gathering, this.shared, policy, this.limits);
		}

		/**
		 * Returns a copy with other limits.
		 * @param others how many jobs run at a time and begin in a time
		 * @return the copy
		 */
		public Settings with(Limits others) {
			return new Settings(this.shards, this.batchSize, this.maxRetryCount, this.maxPayloads, this.schedulerWeight,
					this.shardConcurrency, this.failures, this.gathering, this.shared, this.groups, others);
		}

		private void check(String queue) {
			check(queue, "shards", this.shards, 1, MAX_SHARDS);
			check(queue, "batch-size", this.batchSize, 1, MAX_BATCH_SIZE);
			check(queue, "max-retry-count", this.maxRetryCount, 0, Integer.MAX_VALUE);
			check(queue, "max-payloads", this.maxPayloads, 1, 10_000);
			check(queue, "scheduler-weight", this.schedulerWeight, 1, 1_000);
			check(queue, "shard-concurrency", this.shardConcurrency, 0, 1_000);
			this.failures.check(queue);
			this.gathering.check(queue);
			this.groups.check(queue);
			this.limits.check(queue, "", this.shards);
		}

		static void check(String queue, String name, int value, int least, int most) {
			if (value < least || value > most) {
				throw new InvalidQueueException("%s of queue '%s' is %s; it must be between %s and %s".formatted(name,
						queue, value, least, most));
			}
		}

	}

}
