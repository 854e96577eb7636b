package io.lowkiq.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import io.lettuce.core.ReadFrom;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.store.ConnectionLatch;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.WakeUps;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Assignment;
import io.lowkiq.store.node.EndedNode;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.store.node.NodeRegistry.AssignedShards;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A client that is set to read from replicas, with a replica that has lost its master and
 * still serves what it knew then.
 */
@ExtendWith(OutputCaptureExtension.class)
class ReadsFromReplicasIntegrationTests {

	private static final Shard FIRST = new Shard("orders", 1, 0);

	private static final Shard SECOND = new Shard("orders", 1, 1);

	private static final NodeInfo INFO = new NodeInfo("node", 0, Duration.ofSeconds(15), Set.of("orders"), false);

	private final RedisProcess master = TestRedis.startPrivate("--repl-diskless-sync-delay", "0");

	private final RedisProcess replica = TestRedis.startPrivate("--replicaof", this.master.host(),
			Integer.toString(this.master.port()));

	private final LettuceConnectionFactory connections = connect();

	private final RedisStore store = new RedisStore(this.connections, "lowkiq", null);

	private final NodeRegistry nodes = this.store.nodes();

	private final QueueRegistry queues = this.store.queues();

	private LettuceConnectionFactory connect() {
		RedisStaticMasterReplicaConfiguration servers = new RedisStaticMasterReplicaConfiguration(this.master.host(),
				this.master.port());
		servers.addNode(this.replica.host(), this.replica.port());
		return TestRedis.connectionFactory(servers,
				(client) -> client.commandTimeout(Duration.ofSeconds(10)).readFrom(ReadFrom.REPLICA_PREFERRED));
	}

	@BeforeEach
	void loseTheMaster() {
		await().until(() -> String.valueOf(this.master.call("INFO", "replication")).contains("state=online"));
		this.queues.register("orders", 2);
		this.nodes.join("s1", INFO);
		this.nodes.join("s2", INFO);
		this.nodes.assign(new Assignment(1, Map.of(FIRST, "s1", SECOND, "s1")));
		new StringRedisTemplate(this.connections).opsForValue().set("probe", "old");
		await().until(() -> "old".equals(this.replica.call("GET", "probe")));
		this.replica.call("REPLICAOF", "127.0.0.1", "1");
		new StringRedisTemplate(this.connections).opsForValue().set("probe", "new");
		assertThat(new StringRedisTemplate(this.connections).opsForValue().get("probe"))
			.as("what a plain command reads")
			.isEqualTo("old");
	}

	@AfterEach
	void close() {
		this.connections.destroy();
		this.replica.close();
		this.master.close();
	}

	@Test
	void theAssignmentIsReadFromTheMaster() {
		Assignment next = new Assignment(2, Map.of(FIRST, "s1", SECOND, "s2"));
		this.nodes.assign(next);
		assertThat(this.nodes.assignment()).isEqualTo(next);
		assertThat(this.nodes.assignedTo("s1")).isEqualTo(new AssignedShards(2, Set.of(FIRST)));
		assertThat(this.nodes.assignedTo("s2")).isEqualTo(new AssignedShards(2, Set.of(SECOND)));
	}

	@Test
	void nobodySubscribesToAStaticListAndTheLogSaysSoOnce(CapturedOutput output) {
		for (int i = 0; i < 2; i++) {
			assertThat(this.store.wakeUps().subscribe("s" + i, new ConnectionLatch()))
				.isSameAs(WakeUps.Subscription.NONE);
		}
		assertThat(output).containsOnlyOnce("Redis is a static list of a master and replicas");
	}

	@Test
	void aNodePollsAStaticListWithoutAWordMore(CapturedOutput output) {
		this.nodes.leave("s1");
		this.nodes.leave("s2");
		CountDownLatch performed = new CountDownLatch(1);
		Worker<Object> worker = (id, payloads) -> performed.countDown();
		this.queues.register("polled", 1);
		LowkiqServer server = new LowkiqServer(
				new ServerOptions(new WorkerRegistry(List.of(new RegisteredWorker("polled", Worker.class, Object.class,
						new RegisteredWorker.Settings(1, 1, 5, 10, 1, 0), () -> worker))), this.store));
		server.start();
		try {
			await().until(() -> server.status().shards().stream().anyMatch(ServerStatus.ShardStatus::held));
			this.store.shards()
				.enqueue(this.queues.find("polled").orElseThrow().shard(0),
						List.of(NewPayload.of("42", new byte[] { '1' })));
			await().until(() -> performed.getCount() == 0);
		}
		finally {
			server.stop(Duration.ofSeconds(10));
		}
		assertThat(output).containsOnlyOnce("nodes poll")
			// Lettuce may still report a connection of an earlier test
			.doesNotContain("Messages from the store don't arrive", "\tat io.lowkiq.", "\tat org.springframework.");
	}

	@Test
	void theQueuesAreReadFromTheMaster() {
		this.queues.register("mails", 1);
		assertThat(this.queues.find("mails")).contains(new QueueLayout("mails", 1, 1));
		assertThat(this.queues.all()).hasSize(2);
	}

	@Test
	void theNodesAreReadFromTheMaster() {
		this.nodes.report("s1", "{}");
		this.nodes.leave("s2");
		assertThat(this.nodes.reports()).containsExactly(Map.entry("s1", "{}"));
		assertThat(this.nodes.endedNodes()).extracting(EndedNode::session).containsExactly("s2");
	}

}
