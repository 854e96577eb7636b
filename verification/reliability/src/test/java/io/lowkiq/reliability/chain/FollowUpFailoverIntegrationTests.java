package io.lowkiq.reliability.chain;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PayloadWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.ServerSettings;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TcpProxy;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Chains go through two queues while one Redis fails over, again and again, to a replica
 * that lacks up to one and a half seconds. The replica has all first steps, so no second
 * one may be missing. These are delayed for so long that none runs on a server that is
 * about to be forgotten.
 * <p>
 * Longer: {@code -Dchains.failovers=100}.
 */
@Tag("long")
class FollowUpFailoverIntegrationTests {

	private static final int CHAINS = 500;

	private static final int MAX_FORGOTTEN_MILLIS = 1_500;

	private static final int SLOW_MILLIS = 200;

	private static final Duration DELAY = Duration.ofSeconds(4);

	private final int failovers = Integer.getInteger("chains.failovers", 5);

	private final Random random = new Random();

	private RedisProcess master = TestRedis.startPrivate("--repl-diskless-sync-delay", "0");

	private RedisProcess replica = TestRedis.startPrivate("--repl-diskless-sync-delay", "0");

	private final TcpProxy proxy = new TcpProxy(this.master.port());

	private final LettuceConnectionFactory connections = TestRedis
		.connectionFactory("redis://127.0.0.1:" + this.proxy.port());

	private final RedisStore store = new RedisStore(this.connections, "lowkiq", null);

	private final Set<String> arrived = ConcurrentHashMap.newKeySet();

	@AfterEach
	void close() {
		this.store.close();
		this.connections.destroy();
		this.proxy.close();
		this.master.close();
		this.replica.close();
	}

	private WorkerRegistry workers() {
		PayloadWorker<Integer> first = (id, payload) -> {
		};
		PayloadWorker<Integer> second = (id, payload) -> this.arrived.add(id);
		return new WorkerRegistry(Stream.of(worker("first", first), worker("second", second)).toList());
	}

	private static RegisteredWorker worker(String queue, PayloadWorker<Integer> worker) {
		return new RegisteredWorker(queue, PayloadWorker.class, Integer.class,
				new RegisteredWorker.Settings(4, 1, 25, 100, 1, 0), () -> worker);
	}

	@Test
	void failoversThatForgetALittleLoseNoStep() {
		this.replica.restartAsReplicaOf(this.master);
		ShardedLowkiqClient client = new ShardedLowkiqClient(workers(), this.store.shards(), this.store.queues(),
				new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);
		LowkiqServer server = new LowkiqServer(new ServerOptions(workers(), this.store)
			.settings(new ServerSettings(8, Duration.ofSeconds(1), Duration.ofSeconds(15), 100, false)));
		server.registerQueues();
		server.start();
		List<String> lost = new ArrayList<>();
		for (int failover = 0; failover < this.failovers; failover++) {
			Set<String> ids = new HashSet<>();
			List<JobRequest<?>> chains = new ArrayList<>();
			for (int i = 0; i < CHAINS; i++) {
				String id = failover + "-" + i;
				ids.add(id);
				chains.add(JobRequest.of(id, i)
					.performIn(Duration.ofMillis(this.random.nextInt(2_000)))
					.then("second", JobRequest.of(id, i).performIn(DELAY)));
			}
			client.enqueueAll("first", chains);
			awaitReplica();
			pause(1_000);
			failOver();
			lost.addAll(missing(ids));
		}
		server.stop(Duration.ofSeconds(5));
		System.out.printf("%d failovers under %d chains: %d second steps lost%n", this.failovers,
				this.failovers * CHAINS, lost.size());
		assertThat(lost).isEmpty();
	}

	private void awaitReplica() {
		String marker = Long.toString(System.nanoTime());
		this.master.call("SET", "marker", marker);
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> marker.equals(this.replica.call("GET", "marker")));
	}

	private void failOver() {
		// Slow, so that many follow-ups are between two calls
		this.proxy.delay(SLOW_MILLIS);
		pause(2 * SLOW_MILLIS);
		this.replica.call("REPLICAOF", "NO", "ONE");
		pause(MAX_FORGOTTEN_MILLIS);
		this.proxy.target(this.replica.port());
		this.proxy.heal();
		RedisProcess forgotten = this.master;
		this.master = this.replica;
		this.replica = forgotten;
		forgotten.restartAsReplicaOf(this.master);
	}

	private void pause(int maxMillis) {
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(this.random.nextInt(maxMillis)));
	}

	/** The chains that don't arrive: a step that stays behind is found after a minute. */
	private Set<String> missing(Set<String> ids) {
		try {
			Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> this.arrived.containsAll(ids));
		}
		catch (ConditionTimeoutException ex) {
			ids.removeAll(this.arrived);
			return ids;
		}
		return Set.of();
	}

}
