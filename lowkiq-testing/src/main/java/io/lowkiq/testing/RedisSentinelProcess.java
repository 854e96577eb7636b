package io.lowkiq.testing;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;

import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;

/**
 * A master, a replica, and a Sentinel that watches them, on this machine. Not thread
 * safe.
 */
public final class RedisSentinelProcess implements AutoCloseable {

	private static final String NAME = "lowkiq";

	/**
	 * After a hiccup of the machine Sentinel only looks on for 30 seconds (TILT), so all
	 * that it is to do may take so much longer.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/**
	 * Far more than the second for which Sentinel may wait with its first connection to
	 * the new master: with no more than that, it took this one for dead at times, and
	 * failed over again.
	 */
	private static final Duration DOWN_AFTER = Duration.ofSeconds(3);

	private final RedisProcess master;

	private final RedisProcess replica;

	private final RedisProcess sentinel;

	private RedisSentinelProcess() {
		this.master = TestRedis.startPrivate("--repl-diskless-sync-delay", "0");
		this.replica = TestRedis.startPrivate("--repl-diskless-sync-delay", "0", "--replicaof", this.master.host(),
				Integer.toString(this.master.port()));
		this.sentinel = RedisProcess.startSentinel(RedisBinary.find());
	}

	/** Starts the three processes. */
	public static RedisSentinelProcess start() {
		RedisSentinelProcess all = new RedisSentinelProcess();
		try {
			await(() -> answer(all.master, "INFO", "replication").contains("state=online"));
			all.watch(all.master);
		}
		catch (RuntimeException ex) {
			all.close();
			throw ex;
		}
		return all;
	}

	private void watch(RedisProcess present) {
		answer(this.sentinel, "SENTINEL", "MONITOR", NAME, present.host(), Integer.toString(present.port()), "1");
		answer(this.sentinel, "SENTINEL", "SET", NAME, "down-after-milliseconds", Long.toString(DOWN_AFTER.toMillis()));
		answer(this.sentinel, "SENTINEL", "SET", NAME, "failover-timeout", "10000");
		await(() -> answer(this.sentinel, "SENTINEL", "MASTER", NAME).contains("num-slaves\n1\n"));
	}

	/** The server that was started as the master. */
	public RedisProcess master() {
		return this.master;
	}

	/** The server that was started as the replica. */
	public RedisProcess replica() {
		return this.replica;
	}

	/** Waits until Sentinel has made the replica the master. */
	public void awaitFailover() {
		await(() -> answer(this.sentinel, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME).endsWith(
				"\n" + this.replica.port()) && answer(this.replica, "INFO", "replication").contains("role:master"));
	}

	/**
	 * Starts the first master again, after a failover, as a replica of the new one. It
	 * has lost its data: if it came back as a master, Sentinel would demote it, after ten
	 * seconds or more, but could also promote it meanwhile.
	 */
	public void restartMasterAsReplica() {
		this.master.restartAsReplicaOf(this.replica);
	}

	/**
	 * Makes the replica the master and the master its replica, and tells Sentinel. Unlike
	 * in a failover by Sentinel, nobody closes the clients' connections.
	 */
	public void swapByHand() {
		answer(this.sentinel, "SENTINEL", "REMOVE", NAME);
		answer(this.replica, "REPLICAOF", "NO", "ONE");
		answer(this.master, "REPLICAOF", this.replica.host(), Integer.toString(this.replica.port()));
		watch(this.replica);
	}

	/** Where the Sentinel is. */
	public RedisSentinelConfiguration configuration() {
		return new RedisSentinelConfiguration().master(NAME).sentinel(this.sentinel.host(), this.sentinel.port());
	}

	@Override
	public void close() {
		this.sentinel.close();
		this.replica.close();
		this.master.close();
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().pollInSameThread().pollInterval(Duration.ofMillis(50)).atMost(PATIENCE).until(condition);
	}

	private static String answer(RedisProcess node, String... command) {
		String answer = Objects.requireNonNull(node.call(command));
		if (answer.startsWith("-")) {
			throw new IllegalStateException(String.join(" ", command) + ": " + answer);
		}
		return answer;
	}

}
