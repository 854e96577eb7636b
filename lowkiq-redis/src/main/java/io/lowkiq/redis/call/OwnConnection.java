package io.lowkiq.redis.call;

import java.time.Duration;
import java.util.Objects;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.masterreplica.MasterReplica;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A connection of Lowkiq's own, to one server or to each node of a cluster. */
interface OwnConnection extends AutoCloseable {

	/**
	 * Opens one as the factory has it.
	 * @throws IllegalStateException if the factory is stopped, or the client doesn't know
	 * the address
	 */
	static OwnConnection open(LettuceConnectionFactory factory, Duration longestWait) {
		AbstractRedisClient client = client(factory);
		if (client instanceof RedisClusterClient cluster) {
			return new ToCluster(cluster, cluster.connect(ByteArrayCodec.INSTANCE), longestWait);
		}
		StatefulRedisConnection<byte[], byte[]> connection = connect((RedisClient) client, factory);
		connection.setTimeout(connection.getTimeout().plus(longestWait));
		return new ToServer(connection, null);
	}

	/** Connects, or borrows from the factory if only that knows the servers. */
	@SuppressWarnings({ "deprecation", "unchecked" }) // Spring lends the commands only
	static OwnConnection openOrBorrow(LettuceConnectionFactory factory) {
		if (!isStaticList(factory)) {
			return open(factory, Duration.ZERO);
		}
		RedisConnection lent = factory.getConnection();
		RedisAsyncCommands<byte[], byte[]> commands = (RedisAsyncCommands<byte[], byte[]>) lent.getNativeConnection();
		return new ToServer(commands.getStatefulConnection(), lent);
	}

	/**
	 * A static list of a master and replicas, which only the factory knows.
	 * @throws IllegalStateException if the factory is stopped
	 */
	static boolean isStaticList(LettuceConnectionFactory factory) {
		return client(factory) instanceof RedisClient client && !isKnown(uri(client));
	}

	/** A factory that was stopped and started has another client. */
	private static AbstractRedisClient client(LettuceConnectionFactory factory) {
		if (!factory.isRunning()) {
			// Says why
			factory.getConnection().close();
		}
		return factory.getRequiredNativeClient();
	}

	private static StatefulRedisConnection<byte[], byte[]> connect(RedisClient client,
			LettuceConnectionFactory factory) {
		RedisURI uri = uri(client);
		// The address may be that of a replica
		boolean looksUpMaster = factory.getClientConfiguration().getReadFrom().isPresent() && uri.getHost() != null;
		return looksUpMaster ? MasterReplica.connect(client, ByteArrayCodec.INSTANCE, uri)
				: client.connect(ByteArrayCodec.INSTANCE);
	}

	/** As Spring reads it: there is no accessor. */
	private static RedisURI uri(RedisClient client) {
		return (RedisURI) Objects.requireNonNull(new DirectFieldAccessor(client).getPropertyValue("redisURI"));
	}

	/** A client of a static list of servers has an empty address. */
	private static boolean isKnown(RedisURI uri) {
		return uri.getHost() != null || uri.getSocket() != null || !uri.getSentinels().isEmpty();
	}

	/** The commands, each on the connection to the master of its keys. */
	RedisClusterAsyncCommands<byte[], byte[]> commands();

	/** To the master of a key, always the same one until {@link #refresh()}. */
	StatefulRedisConnection<byte[], byte[]> master(byte[] key);

	/** Names the server that has a key; "" if it is the only one, or unknown. */
	String server(byte[] key);

	/** The connection to the server, or to all nodes. */
	StatefulConnection<byte[], byte[]> connection();

	/** Whether it can be used; if not, another one must be opened. */
	default boolean isOpen() {
		return connection().isOpen();
	}

	/** Whether it was closed for good. One that broke connects again by itself. */
	default boolean isClosed() {
		return ((RedisChannelHandler<?, ?>) connection()).isClosed();
	}

	/** Whether another one can be opened instead, and this one closed. */
	default boolean isReplaceable() {
		return true;
	}

	/** How long a call may take; null if Lettuce ends it by itself. */
	default @Nullable Duration limit() {
		if (connection().getOptions().getTimeoutOptions().isTimeoutCommands()) {
			return null;
		}
		Duration timeout = connection().getTimeout();
		return timeout.isZero() ? RedisURI.DEFAULT_TIMEOUT_DURATION : timeout;
	}

	/** Asks again which master has which keys, where there are several. */
	default void refresh() {
	}

	@Override
	default void close() {
		connection().close();
	}

	/** One server, or the master that Sentinel names, perhaps lent by the factory. */
	record ToServer(StatefulRedisConnection<byte[], byte[]> connection,
			@Nullable RedisConnection lent) implements OwnConnection {

		@Override
		public RedisClusterAsyncCommands<byte[], byte[]> commands() {
			return this.connection.async();
		}

		@Override
		public StatefulRedisConnection<byte[], byte[]> master(byte[] key) {
			return this.connection;
		}

		@Override
		public String server(byte[] key) {
			return "";
		}

		@Override
		public boolean isReplaceable() {
			return this.lent == null;
		}

		@Override
		public void close() {
			if (this.lent != null) {
				this.lent.close();
			}
			else {
				OwnConnection.super.close();
			}
		}

	}

	record ToCluster(RedisClusterClient client, StatefulRedisClusterConnection<byte[], byte[]> connection,
			Duration longestWait) implements OwnConnection {

		@Override
		public RedisClusterAsyncCommands<byte[], byte[]> commands() {
			return this.connection.async();
		}

		@Override
		public StatefulRedisConnection<byte[], byte[]> master(byte[] key) {
			int slot = SlotHash.getSlot(key);
			RedisClusterNode master = node(slot);
			if (master == null) {
				throw new RedisException("No master is known for slot " + slot);
			}
			RedisURI uri = master.getUri();
			// By its address, as the commands take it: by its id there is another one
			StatefulRedisConnection<byte[], byte[]> node = this.connection.getConnection(uri.getHost(), uri.getPort());
			node.setTimeout(this.connection.getTimeout().plus(this.longestWait));
			return node;
		}

		@Override
		public String server(byte[] key) {
			RedisClusterNode master = node(SlotHash.getSlot(key));
			return (master != null) ? master.getUri().getHost() + ":" + master.getUri().getPort() : "";
		}

		private @Nullable RedisClusterNode node(int slot) {
			return this.connection.getPartitions().getMasterBySlot(slot);
		}

		@Override
		public void refresh() {
			this.client.refreshPartitions();
		}

	}

}
