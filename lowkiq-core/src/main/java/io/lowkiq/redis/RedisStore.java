package io.lowkiq.redis;

import java.time.InstantSource;

import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.inspection.ShardActions;
import io.lowkiq.store.inspection.ShardInspection;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.WakeUps;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The storage on Redis, 6.2 or newer: standalone, behind Sentinel, or a cluster.
 * Thread-safe. Making it does not call Redis. Only one that waits for replicas, or whose
 * connections are Jedis', has something to close.
 */
public final class RedisStore implements AutoCloseable {

	private final ShardStore shardStore;

	private final QueueRegistry queues;

	private final NodeRegistry nodes;

	private final RedisWakeUps wakeUps;

	private final ShardInspection inspection;

	private final ShardActions actions;

	private final @Nullable ConfirmedScriptRunner confirmed;

	/**
	 * Makes the storage.
	 * @param connectionFactory the way to Redis
	 * @param keyPrefix what all keys and channels begin with
	 * @param clock the time for all rules; null for the clock of Redis itself, so that
	 * nodes with wrong clocks do no harm
	 */
	public RedisStore(RedisConnectionFactory connectionFactory, String keyPrefix, @Nullable InstantSource clock) {
		this(connectionFactory, keyPrefix, clock, null);
	}

	/**
	 * Makes the storage, with or without waiting for replicas.
	 * @param connectionFactory the way to Redis; one of Lettuce, to wait for replicas
	 * @param keyPrefix what all keys and channels begin with
	 * @param clock the time for all rules; null for the clock of Redis itself
	 * @param replicaWait what a push waits for; null for nothing
	 */
	public RedisStore(RedisConnectionFactory connectionFactory, String keyPrefix, @Nullable InstantSource clock,
			@Nullable ReplicaWait replicaWait) {
		ScriptRunner runner = new ScriptRunner(connectionFactory);
		ShardKeys keys = new ShardKeys(keyPrefix);
		StoreClock storeClock = new StoreClock(clock);
		ShardScripts scripts = new ShardScripts(runner, keys, storeClock);
		this.confirmed = (replicaWait != null) ? new ConfirmedScriptRunner(connectionFactory, replicaWait) : null;
		ShardScripts pushes = new ShardScripts(
				new PatientScriptCaller((this.confirmed != null) ? this.confirmed : runner), keys, storeClock);
		this.shardStore = new RedisShardStore(scripts, pushes, keys);
		this.queues = new RedisQueueRegistry(runner, keys);
		this.nodes = new RedisNodeRegistry(runner, keys, storeClock);
		this.wakeUps = new RedisWakeUps(connectionFactory, keys);
		this.inspection = new RedisShardInspection(scripts);
		this.actions = new RedisShardActions(scripts, keys);
	}

	/**
	 * The atomic steps of producers and owners.
	 * @return always the same
	 */
	public ShardStore shardStore() {
		return this.shardStore;
	}

	/**
	 * The recorded queues.
	 * @return always the same
	 */
	public QueueRegistry queues() {
		return this.queues;
	}

	/**
	 * The sessions of the nodes.
	 * @return always the same
	 */
	public NodeRegistry nodes() {
		return this.nodes;
	}

	/**
	 * The messages to waiting nodes.
	 * @return always the same
	 */
	public WakeUps wakeUps() {
		return this.wakeUps;
	}

	/**
	 * The read side, for people.
	 * @return always the same
	 */
	public ShardInspection inspection() {
		return this.inspection;
	}

	/**
	 * What people do to jobs.
	 * @return always the same
	 */
	public ShardActions actions() {
		return this.actions;
	}

	/**
	 * Closes the connections that are the storage's own. It can still be used; the
	 * connection factory is left alone.
	 */
	@Override
	public void close() {
		this.wakeUps.close();
		if (this.confirmed != null) {
			this.confirmed.close();
		}
	}

}
