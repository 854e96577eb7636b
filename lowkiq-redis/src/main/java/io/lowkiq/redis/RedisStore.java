package io.lowkiq.redis;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

import io.lowkiq.redis.call.LettuceConnections;
import io.lowkiq.redis.call.RedisConnections;
import io.lowkiq.redis.call.ReplicaWait;
import io.lowkiq.redis.call.RetryingScriptCaller;
import io.lowkiq.redis.call.ScriptCaller;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.Store;
import io.lowkiq.store.WakeUps;
import io.lowkiq.store.inspection.LivingNodes;
import io.lowkiq.store.inspection.StrandedShards;
import io.lowkiq.store.node.NodeRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The storage on Redis 6.2 or newer: one, by Sentinel, or a cluster. Thread-safe. */
public final class RedisStore implements Store, AutoCloseable {

	/** How long enqueuing waits for a slot that Redis Cluster moves. */
	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final RedisConnections connections;

	private final @Nullable RedisConnectionFactory connectionFactory;

	private final String keyPrefix;

	private final ShardStore shards;

	private final QueueRegistry queues;

	private final NodeRegistry nodes;

	private final WakeUps wakeUps;

	private final ShardInspection inspection;

	private final LaterGenerations later;

	private final ShardActions actions;

	private final LivingNodes livingNodes;

	/**
	 * Goes by a clock, or null for that of Redis itself, so that nodes with wrong clocks
	 * do no harm.
	 * @throws IllegalArgumentException if the connections are not Lettuce's
	 */
	public RedisStore(RedisConnectionFactory connectionFactory, String keyPrefix, @Nullable InstantSource clock) {
		this(connectionFactory, keyPrefix, clock, null);
	}

	/**
	 * As the other one, but enqueuing waits for replicas, or null.
	 * @throws IllegalArgumentException if the connections are not Lettuce's
	 */
	public RedisStore(RedisConnectionFactory connectionFactory, String keyPrefix, @Nullable InstantSource clock,
			@Nullable ReplicaWait replicaWait) {
		this(new LettuceConnections(connectionFactory, replicaWait), connectionFactory, keyPrefix, clock);
	}

	/**
	 * On other connections than Lettuce's, by a clock, or null for that of Redis itself.
	 */
	public RedisStore(RedisConnections connections, String keyPrefix, @Nullable InstantSource clock) {
		this(connections, null, keyPrefix, clock);
	}

	private RedisStore(RedisConnections connections, @Nullable RedisConnectionFactory connectionFactory,
			String keyPrefix, @Nullable InstantSource clock) {
		this.connections = connections;
		this.connectionFactory = connectionFactory;
		this.keyPrefix = keyPrefix;
		ShardKeys keys = new ShardKeys(keyPrefix);
		StoreClock storeClock = new StoreClock(clock);
		ShardScripts scripts = new ShardScripts(connections, keys, storeClock);
		ScriptCaller producer = new RetryingScriptCaller(connections.once(), connections::pause, PATIENCE);
		ClosedShards closed = new ClosedShards(connections, keys, storeClock);
		CrossShardCalls crossShard = new CrossShardCalls(connections, keys, storeClock);
		this.shards = new RedisShardStore(connections, producer, closed, keys, storeClock, crossShard);
		this.queues = new RedisQueueRegistry(connections, keys, storeClock, closed);
		this.nodes = new RedisNodeRegistry(connections, keys, storeClock);
		this.wakeUps = new RedisWakeUps(connections, keys);
		this.inspection = new ShardInspection(scripts);
		this.later = new LaterGenerations(this.inspection, keys, System::nanoTime);
		this.actions = new ShardActions(scripts, this.inspection, closed, keys, crossShard);
		this.livingNodes = new LivingNodes(this.nodes);
	}

	/** Of the Redis that keeps the jobs; null if it is reached by other connections. */
	public @Nullable RedisConnectionFactory connectionFactory() {
		return this.connectionFactory;
	}

	/** Runs scripts of others on this Redis, with keys of their own. */
	public ScriptCaller scripts() {
		return this.connections;
	}

	/** The address of Redis, for people. */
	public String address() {
		return this.connections.address();
	}

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

	public ShardInspection inspection() {
		return this.inspection;
	}

	/** Jobs that nobody performs, since the record of their queue has gone back. */
	public List<StrandedShards> stranded() {
		return this.later.among(this.queues.all());
	}

	public ShardActions actions() {
		return this.actions;
	}

	/** Tells which nodes live. */
	public LivingNodes livingNodes() {
		return this.livingNodes;
	}

	/** Closes the connections that are the storage's own. */
	@Override
	public void close() {
		this.connections.close();
	}

}
