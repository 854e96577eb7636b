package io.lowkiq.redis;

import java.time.Duration;
import java.time.InstantSource;

import io.lowkiq.redis.call.ConfirmedScriptRunner;
import io.lowkiq.redis.call.RedisAddress;
import io.lowkiq.redis.call.ReplicaWait;
import io.lowkiq.redis.call.RetryingScriptCaller;
import io.lowkiq.redis.call.ScriptCaller;
import io.lowkiq.redis.call.ScriptRunner;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.WakeUps;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.LivingNodes;
import io.lowkiq.store.inspection.ShardActions;
import io.lowkiq.store.inspection.ShardInspection;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The storage on Redis, 6.2 or newer: standalone, behind Sentinel, or a cluster.
 * Thread-safe. Making it does not call Redis. Only one that waits for replicas has
 * something to close.
 */
public final class RedisStore implements InspectableStore, AutoCloseable {

	/** How long enqueuing waits for a slot that Redis Cluster moves. */
	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final LettuceConnectionFactory connectionFactory;

	private final String keyPrefix;

	private final ShardStore shards;

	private final QueueRegistry queues;

	private final NodeRegistry nodes;

	private final WakeUps wakeUps;

	private final ShardInspection inspection;

	private final ShardActions actions;

	private final LivingNodes livingNodes;

	private final @Nullable ConfirmedScriptRunner confirmed;

	/**
	 * Makes the storage.
	 * @param connectionFactory the connections to Redis, by Lettuce
	 * @param keyPrefix what all keys and channels begin with
	 * @param clock the time for all rules; null for the clock of Redis itself, so that
	 * nodes with wrong clocks do no harm
	 * @throws IllegalArgumentException if the connections are not Lettuce's
	 */
	public RedisStore(RedisConnectionFactory connectionFactory, String keyPrefix, @Nullable InstantSource clock) {
		this(connectionFactory, keyPrefix, clock, null);
	}

	/**
	 * Makes the storage, with or without waiting for replicas.
	 * @param connectionFactory the connections to Redis, by Lettuce
	 * @param keyPrefix what all keys and channels begin with
	 * @param clock the time for all rules; null for the clock of Redis itself
	 * @param replicaWait what enqueuing waits for; null for nothing
	 * @throws IllegalArgumentException if the connections are not Lettuce's
	 */
	public RedisStore(RedisConnectionFactory connectionFactory, String keyPrefix, @Nullable InstantSource clock,
			@Nullable ReplicaWait replicaWait) {
		LettuceConnectionFactory lettuce = requireLettuce(connectionFactory);
		this.connectionFactory = lettuce;
		this.keyPrefix = keyPrefix;
		ScriptRunner runner = new ScriptRunner(lettuce);
		ShardKeys keys = new ShardKeys(keyPrefix);
		StoreClock storeClock = new StoreClock(clock);
		this.confirmed = (replicaWait != null) ? new ConfirmedScriptRunner(lettuce, replicaWait) : null;
		ScriptCaller producer = new RetryingScriptCaller((this.confirmed != null) ? this.confirmed : runner.once(),
				PATIENCE);
		ShardScripts scripts = new ShardScripts(runner, keys, storeClock);
		this.shards = new RedisShardStore(runner, new ShardScripts(producer, keys, storeClock), scripts, keys,
				storeClock);
		this.queues = new RedisQueueRegistry(runner, keys);
		this.nodes = new RedisNodeRegistry(runner, keys, storeClock);
		this.wakeUps = new RedisWakeUps(lettuce, keys);
		this.inspection = new RedisShardInspection(scripts);
		this.actions = new RedisShardActions(scripts, keys);
		this.livingNodes = new LivingNodes(this.nodes);
	}

	private static LettuceConnectionFactory requireLettuce(RedisConnectionFactory factory) {
		if (factory instanceof LettuceConnectionFactory lettuce) {
			return lettuce;
		}
		throw new IllegalArgumentException(
				"Lowkiq needs Lettuce, but the connection factory is a %s. Define a LettuceConnectionFactory, or remove the other client from the class path so that Spring Boot defines one"
					.formatted(factory.getClass().getName()));
	}

	/**
	 * The connections to the Redis that keeps the jobs.
	 * @return the connections that this storage was made with
	 */
	public RedisConnectionFactory connectionFactory() {
		return this.connectionFactory;
	}

	/**
	 * Where Redis is, for people.
	 * @return the address without user and password
	 */
	public String address() {
		return RedisAddress.of(this.connectionFactory);
	}

	/**
	 * What all keys and channels begin with.
	 * @return the prefix that this storage was made with
	 */
	public String keyPrefix() {
		return this.keyPrefix;
	}

	@Override
	public ShardStore shards() {
		return this.shards;
	}

	@Override
	public QueueRegistry queues() {
		return this.queues;
	}

	@Override
	public NodeRegistry nodes() {
		return this.nodes;
	}

	@Override
	public WakeUps wakeUps() {
		return this.wakeUps;
	}

	@Override
	public ShardInspection inspection() {
		return this.inspection;
	}

	@Override
	public ShardActions actions() {
		return this.actions;
	}

	@Override
	public LivingNodes livingNodes() {
		return this.livingNodes;
	}

	/**
	 * Closes the connections that are the storage's own. It can still be used; the
	 * connection factory is left alone.
	 */
	@Override
	public void close() {
		if (this.confirmed != null) {
			this.confirmed.close();
		}
	}

}
