package io.lowkiq.reliability.failover;

import java.time.Duration;

import org.awaitility.Awaitility;

import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TcpProxy;
import io.lowkiq.testing.TestRedis;

/**
 * A replica that lags from a chosen moment on, because nothing comes through its
 * connection any more, in neither direction. Then it can be promoted. Not thread-safe.
 */
public final class LaggingReplica implements AutoCloseable {

	private static final Duration SYNC = Duration.ofSeconds(60);

	private final TcpProxy link;

	private final RedisProcess replica;

	/**
	 * Starts a replica, which begins to copy its master.
	 * @param arguments the arguments of {@code redis-server}
	 */
	public LaggingReplica(RedisProcess master, String... arguments) {
		this.link = new TcpProxy(master.port());
		this.replica = TestRedis.startPrivate(arguments);
		// Not as an argument: it may be started again as a master
		this.replica.call("REPLICAOF", "127.0.0.1", Integer.toString(this.link.port()));
	}

	/** Waits until it has what its master has, also on disk. */
	public void awaitSync() {
		Awaitility.await("the replica has a copy")
			.pollInterval(Duration.ofMillis(50))
			.atMost(SYNC)
			.until(() -> String.valueOf(this.replica.call("INFO", "replication")).contains("master_link_status:up")
					&& String.valueOf(this.replica.call("INFO", "persistence")).contains("aof_rewrite_in_progress:0"));
	}

	/** From now on, nothing reaches it. */
	public void lag() {
		this.link.hang();
	}

	/** Makes it a master, without what it lacks. */
	public RedisProcess promote() {
		this.replica.call("REPLICAOF", "NO", "ONE");
		this.link.close();
		return this.replica;
	}

	@Override
	public void close() {
		this.link.close();
		this.replica.close();
	}

}
