package io.lowkiq.autoconfigure.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.lowkiq.autoconfigure.LowkiqAutoConfiguration;
import io.lowkiq.autoconfigure.MemoryStoreConfiguration;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.memory.InMemoryStore;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.inspection.QueueStatistics;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class LowkiqEndpointTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	private final InMemoryStore store = new InMemoryStore(InstantSource.fixed(NOW));

	private final Shard shard = new Shard("orders", 1, 1);

	private final ServerStatus status = new ServerStatus(ServerStatus.State.RUNNING, "node-1", "session-1", NOW, null,
			null, List.of(), List.of(new ServerStatus.ShardStatus(this.shard, true, "session-1", 7, NOW)),
			List.of(new ServerStatus.ThreadStatus("lowkiq-shards-1", this.shard, List.of("42"), NOW)));

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqAutoConfiguration.class, LowkiqEndpointAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withPropertyValues("lowkiq.server.enabled=false");

	@Test
	void describesTheNodeItsThreadsAndItsShards() {
		LowkiqDescriptor.Node node = endpoint(this.store.nodes()).lowkiq().node();
		assertThat(node.id()).isEqualTo("node-1");
		assertThat(node.session()).isEqualTo("session-1");
		assertThat(node.state()).isEqualTo(ServerStatus.State.RUNNING);
		assertThat(node.threads())
			.containsExactly(new LowkiqDescriptor.ShardThread("lowkiq-shards-1", "orders", 1, List.of("42"), NOW));
		assertThat(node.shards())
			.containsExactly(new LowkiqDescriptor.OwnedShard("orders", 1, true, "session-1", 7, NOW));
	}

	@Test
	void describesTheMembersAndTheQueues() {
		this.store.queues().register("orders", 2);
		this.store.shardStore().push(this.shard, List.of(NewPayload.of("42", new byte[] { 1 })));
		this.store.nodes()
			.join("session-1", Duration.ofSeconds(15),
					new NodeInfo("node-1", NOW.toEpochMilli(), List.of("orders"), "{}"));
		LowkiqDescriptor descriptor = endpoint(this.store.nodes()).lowkiq();
		assertThat(descriptor.members()).containsExactly(
				new LowkiqDescriptor.Member("node-1", "session-1", NOW, NOW.plusSeconds(15), List.of("orders")));
		assertThat(descriptor.queues())
			.containsExactly(new LowkiqDescriptor.Queue("orders", 2, 1, 0, 0, 0, 0.0, 0, 0, 2, 0));
		assertThat(descriptor.storeProblem()).isNull();
	}

	@Test
	void describesTheNodeAlsoWhenTheStoreIsOutOfReach() {
		NodeRegistry away = mock(NodeRegistry.class);
		given(away.members()).willThrow(new StoreException("connection refused", null));
		LowkiqDescriptor descriptor = endpoint(away).lowkiq();
		assertThat(descriptor.node().id()).isEqualTo("node-1");
		assertThat(descriptor.members()).isNull();
		assertThat(descriptor.queues()).isNull();
		assertThat(descriptor.storeProblem()).isEqualTo("connection refused");
	}

	@Test
	void describesAQueueWithItsShards() {
		this.store.queues().register("orders", 2);
		this.store.shardStore().push(this.shard, List.of(NewPayload.of("42", new byte[] { 1 })));
		QueueDescriptor queue = endpoint(this.store.nodes()).queue("orders");
		assertThat(queue.shards()).extracting(QueueDescriptor.Shard::index, QueueDescriptor.Shard::fresh)
			.containsExactly(org.assertj.core.groups.Tuple.tuple(0, 0L), org.assertj.core.groups.Tuple.tuple(1, 1L));
		assertThat(queue.shards()).extracting(QueueDescriptor.Shard::owner).containsOnlyNulls();
	}

	@Test
	void anUnknownQueueIsNotDescribed() {
		assertThat(endpoint(this.store.nodes()).queue("orders")).isNull();
	}

	@Test
	void isThereWhenItIsExposed() {
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=lowkiq")
			.run((context) -> assertThat(context).hasSingleBean(LowkiqEndpoint.class));
	}

	@Test
	void isNotThereWhenItIsNotExposed() {
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LowkiqEndpoint.class));
	}

	@Test
	void backsOffWithoutActuator() {
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=lowkiq")
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("lowkiqEndpoint"));
	}

	private LowkiqEndpoint endpoint(NodeRegistry nodes) {
		QueueRegistry queues = this.store.queues();
		return new LowkiqEndpoint(() -> this.status,
				new QueueStatistics(this.store.inspection(), queues, InstantSource.system(), Duration.ZERO), nodes,
				queues, this.store.inspection());
	}

}
