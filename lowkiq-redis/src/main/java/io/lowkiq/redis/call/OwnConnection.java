package io.lowkiq.redis.call;

import java.time.Duration;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;

/**
 * A connection that one caller has for itself, to one server or to each node of a
 * cluster.
 */
interface OwnConnection extends AutoCloseable {

	/**
	 * Connects.
	 * @param client the client
	 * @param longestWait how long a command may block, on top of the usual timeout
	 * @return the connection
	 * @throws RedisException if it fails
	 */
	static OwnConnection open(AbstractRedisClient client, Duration longestWait) {
		if (client instanceof RedisClusterClient cluster) {
			return new ToCluster(cluster, cluster.connect(ByteArrayCodec.INSTANCE), longestWait);
		}
		return new ToServer(patient(((RedisClient) client).connect(ByteArrayCodec.INSTANCE), longestWait));
	}

	private static <T extends StatefulConnection<byte[], byte[]>> T patient(T connection, Duration longestWait) {
		connection.setTimeout(connection.getTimeout().plus(longestWait));
		return connection;
	}

	/**
	 * The connection to the master of a key, always the same one until
	 * {@link #refresh()}.
	 * @throws RedisException if there is none
	 */
	StatefulRedisConnection<byte[], byte[]> master(byte[] key);

	/** Whether it can be used; if not, another one must be opened. */
	boolean isOpen();

	/**
	 * Asks again which master has which keys, where there are several.
	 */
	void refresh();

	@Override
	void close();

	/**
	 * One server, or the master that Sentinel names.
	 *
	 * @param connection the connection
	 */
	record ToServer(StatefulRedisConnection<byte[], byte[]> connection) implements OwnConnection {

		@Override
		public StatefulRedisConnection<byte[], byte[]> master(byte[] key) {
			return this.connection;
		}

		@Override
		public boolean isOpen() {
			return this.connection.isOpen();
		}

		@Override
		public void refresh() {
		}

		@Override
		public void close() {
			this.connection.close();
		}

	}

	/**
	 * The nodes of a cluster.
	 *
	 * @param client the client
	 * @param connection the connections to all nodes
	 * @param longestWait how long a command may block
	 */
	record ToCluster(RedisClusterClient client, StatefulRedisClusterConnection<byte[], byte[]> connection,
			Duration longestWait) implements OwnConnection {

		@Override
		public StatefulRedisConnection<byte[], byte[]> master(byte[] key) {
			int slot = SlotHash.getSlot(key);
			RedisClusterNode master = this.connection.getPartitions().getMasterBySlot(slot);
			if (master == null) {
				throw new RedisException("No master is known for slot " + slot);
			}
			StatefulRedisConnection<byte[], byte[]> node = this.connection.getConnection(master.getNodeId());
			node.setTimeout(this.connection.getTimeout().plus(this.longestWait));
			return node;
		}

		@Override
		public boolean isOpen() {
			return this.connection.isOpen();
		}

		@Override
		public void refresh() {
			this.client.refreshPartitions();
		}

		@Override
		public void close() {
			this.connection.close();
		}

	}

}
