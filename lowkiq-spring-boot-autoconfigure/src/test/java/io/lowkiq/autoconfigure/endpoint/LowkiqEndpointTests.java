package io.lowkiq.autoconfigure.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collector;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.Operation;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.convert.ConversionServiceParameterValueMapper;
import org.springframework.boot.actuate.endpoint.jmx.JmxEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpointDiscoverer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.PayloadApplicationEvent;

import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.admin.ScheduleStatus;
import io.lowkiq.autoconfigure.schedule.ScheduleAnnouncer;
import io.lowkiq.autoconfigure.LowkiqAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqAdminAutoConfiguration;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.QueueStatistics;
import io.lowkiq.testing.MemoryStoreConfiguration;
import io.lowkiq.testing.TestAdmin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class LowkiqEndpointTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.fixed(NOW));

	private final Shard shard = new Shard("orders", 1, 1);

	private final ServerStatus status = new ServerStatus(ServerStatus.State.RUNNING, "node-1", "session-1", NOW, null,
			null, null, List.of(), List.of(), new TreeMap<>(),
			List.of(new ServerStatus.ShardStatus(this.shard, true, "session-1", 7, NOW, false)),
			List.of(new ServerStatus.ThreadStatus("lowkiq-perform-1", this.shard, List.of("42"), NOW)), Map.of());

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqAutoConfiguration.class, LowkiqAdminAutoConfiguration.class,
				LowkiqEndpointAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withPropertyValues("lowkiq.server.enabled=false");

	@Test
	void describesTheNodeItsThreadsAndItsShards() {
		LowkiqDescriptor.Node node = endpoint(this.store).lowkiq().node();
		assertThat(node.id()).isEqualTo("node-1");
		assertThat(node.session()).isEqualTo("session-1");
		assertThat(node.state()).isEqualTo(ServerStatus.State.RUNNING);
		assertThat(node.threads())
			.containsExactly(new LowkiqDescriptor.PerformThread("lowkiq-perform-1", "orders", 1, List.of("42"), NOW));
		assertThat(node.shards())
			.containsExactly(new LowkiqDescriptor.OwnedShard("orders", 1, true, "session-1", 7, NOW));
	}

	@Test
	void describesTheMembersAndTheQueues() {
		this.store.queues().register("orders", 2);
		this.store.shards().enqueue(this.shard, List.of(NewPayload.of("42", new byte[] { 1 })));
		this.store.nodes()
			.join("session-1",
					new NodeInfo("node-1", NOW.toEpochMilli(), Duration.ofSeconds(15), Set.of("orders"), false));
		this.store.shards().acquire(this.shard, LeaseRequest.forFreeShard("session-1")).join();
		this.store.shards().acquire(new Shard("orders", 1, 0), LeaseRequest.forFreeShard("gone")).join();
		LowkiqDescriptor descriptor = endpoint(this.store).lowkiq();
		assertThat(descriptor.members())
			.containsExactly(new LowkiqDescriptor.Member("node-1", "session-1", NOW, List.of("orders")));
		assertThat(descriptor.queues())
			.containsExactly(new LowkiqDescriptor.Queue("orders", 2, 1, 0, 0, 0, 0, 0.0, 0, 0, 1, 0));
		assertThat(descriptor.storeProblem()).isNull();
	}

	@Test
	void describesTheNodeAlsoWhenTheStoreIsOutOfReach() {
		InspectableStore away = mock(InspectableStore.class);
		NodeRegistry nodes = mock(NodeRegistry.class);
		given(nodes.members()).willThrow(new StoreException("connection refused", null));
		given(away.nodes()).willReturn(nodes);
		LowkiqDescriptor descriptor = endpoint(away).lowkiq();
		assertThat(descriptor.node().id()).isEqualTo("node-1");
		assertThat(descriptor.members()).isNull();
		assertThat(descriptor.queues()).isNull();
		assertThat(descriptor.storeProblem()).isEqualTo("connection refused");
	}

	@Test
	void describesAQueueWithItsShards() {
		this.store.queues().register("orders", 2);
		this.store.shards().enqueue(this.shard, List.of(NewPayload.of("42", new byte[] { 1 })));
		QueueDescriptor queue = endpoint(this.store).queue("orders");
		assertThat(queue.shards()).extracting(QueueDescriptor.Shard::index, QueueDescriptor.Shard::fresh)
			.containsExactly(org.assertj.core.groups.Tuple.tuple(0, 0L), org.assertj.core.groups.Tuple.tuple(1, 1L));
		assertThat(queue.shards()).extracting(QueueDescriptor.Shard::owner).containsOnlyNulls();
	}

	@Test
	void showsAndPausesSchedules() {
		this.runner.withUserConfiguration(Reports.class)
			.withPropertyValues("management.endpoints.web.exposure.include=lowkiq")
			.run((context) -> {
				context.getBean(ScheduleAnnouncer.class).announce();
				LowkiqEndpoint endpoint = context.getBean(LowkiqEndpoint.class);
				ScheduleStatus status = endpoint.lowkiq().schedules().get(0);
				assertThat(status.id()).isEqualTo("nightly");
				assertThat(status.next()).isNotNull();
				endpoint.act(SecurityContext.NONE, "reports", QueueAction.PAUSE_SCHEDULE, List.of("nightly"));
				assertThat(endpoint.lowkiq().schedules().get(0).paused()).isTrue();
				endpoint.act(SecurityContext.NONE, "reports", QueueAction.RESUME_SCHEDULE, List.of("nightly"));
				assertThat(endpoint.lowkiq().schedules().get(0).paused()).isFalse();
				endpoint.act(SecurityContext.NONE, "reports", QueueAction.RUN_SCHEDULE, List.of("nightly"));
				assertThat(endpoint.lowkiq().schedules().get(0).lastResult()).isEqualTo(ScheduleStatus.Result.WAITING);
				assertThatExceptionOfType(InvalidEndpointRequestException.class)
					.isThrownBy(() -> endpoint.act(SecurityContext.NONE, "reports", QueueAction.PAUSE_SCHEDULE, null));
				assertThatExceptionOfType(InvalidEndpointRequestException.class)
					.isThrownBy(() -> endpoint.act(SecurityContext.NONE, "reports", QueueAction.PAUSE_SCHEDULE,
							List.of("weekly")))
					.satisfies((refused) -> assertThat(refused.getReason())
						.isEqualTo("There is no schedule 'weekly' of queue 'reports'"));
			});
	}

	@Test
	void aScheduleThatIsNotAnnouncedSaysWhy() {
		InMemoryRedis redis = new InMemoryRedis(InstantSource.system());
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LowkiqAutoConfiguration.class, LowkiqAdminAutoConfiguration.class,
					LowkiqEndpointAutoConfiguration.class))
			.withBean(RedisStore.class, redis::store)
			.withUserConfiguration(Reports.class)
			.withPropertyValues("management.endpoints.web.exposure.include=lowkiq", "lowkiq.server.enabled=false")
			.run((context) -> {
				LowkiqEndpoint endpoint = context.getBean(LowkiqEndpoint.class);
				assertThat(endpoint.lowkiq().schedules().get(0).problem()).contains("It was not announced yet");
				redis.faults().fillMemory(true);
				context.getBean(ScheduleAnnouncer.class).loop().runOnce();
				assertThat(endpoint.lowkiq().schedules().get(0).problem())
					.contains("The schedules of queue 'reports' can't be announced: ");
			});
	}

	@LowkiqWorker("reports")
	@LowkiqSchedule(id = "nightly", cron = "@daily", zone = "UTC")
	static class Reports implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

		@Override
		public String payloadAt(String schedule, Instant time) {
			return schedule;
		}

	}

	@Test
	void anUnknownQueueIsNotDescribed() {
		assertThat(endpoint(this.store).queue("orders")).isNull();
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

	@Test
	void pausesAndResumesAQueue() {
		this.store.queues().register("orders", 2);
		QueueActionDescriptor done = endpoint(this.store).act(SecurityContext.NONE, "orders", QueueAction.PAUSE, null);
		assertThat(done).isEqualTo(new QueueActionDescriptor("orders", QueueAction.PAUSE, 2, false));
		assertThat(endpoint(this.store).queue("orders").shards()).allMatch(QueueDescriptor.Shard::paused);
		endpoint(this.store).act(SecurityContext.NONE, "orders", QueueAction.RESUME, null);
		assertThat(endpoint(this.store).queue("orders").shards()).noneMatch(QueueDescriptor.Shard::paused);
	}

	@Test
	void makesDelayedJobsDueAllOrSome() {
		QueueLayout orders = this.store.queues().register("orders", 2);
		for (int i = 0; i < 1_500; i++) {
			String id = "id" + i;
			this.store.shards()
				.enqueue(orders.shard(orders.shardIndexOf(id)),
						List.of(NewPayload.of(id, new byte[] { 1 }).withDelay(Duration.ofHours(1))));
		}
		LowkiqEndpoint endpoint = endpoint(this.store);
		assertThat(
				endpoint.act(SecurityContext.NONE, "orders", QueueAction.PERFORM_NOW, List.of("id1", "id2", "unknown"))
					.changed())
			.isEqualTo(2);
		assertThat(endpoint.act(SecurityContext.NONE, "orders", QueueAction.PERFORM_NOW, null))
			.isEqualTo(new QueueActionDescriptor("orders", QueueAction.PERFORM_NOW, 1_498, false));
	}

	@Test
	void enqueuesDeadJobsAgainAllOrSome() {
		QueueLayout orders = this.store.queues().register("orders", 1);
		List<String> ids = List.of("a", "b", "c");
		this.store.shards()
			.enqueue(orders.shard(0), ids.stream().map((id) -> NewPayload.of(id, new byte[] { 1 })).toList());
		this.store.actions().kill(orders.shard(0), ids);
		LowkiqEndpoint endpoint = endpoint(this.store);
		assertThat(endpoint.act(SecurityContext.NONE, "orders", QueueAction.RE_ENQUEUE, List.of("a")).changed())
			.isEqualTo(1);
		assertThat(endpoint.act(SecurityContext.NONE, "orders", QueueAction.RE_ENQUEUE, null).changed()).isEqualTo(2);
		assertThat(this.store.inspection().counts(orders.shard(0)).dead()).isZero();
	}

	@Test
	void refusesWhatMakesNoSense() {
		this.store.queues().register("orders", 1);
		LowkiqEndpoint endpoint = endpoint(this.store);
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> endpoint.act(SecurityContext.NONE, "unknown", QueueAction.PAUSE, null));
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> endpoint.act(SecurityContext.NONE, "orders", QueueAction.PAUSE, List.of("a")));
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> endpoint.act(SecurityContext.NONE, "orders", QueueAction.PERFORM_NOW, List.of("")));
	}

	@Test
	void changesNothingUnlessThatIsAllowed() {
		ApplicationContextRunner exposed = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JmxAutoConfiguration.class, EndpointAutoConfiguration.class,
					JmxEndpointAutoConfiguration.class, JacksonAutoConfiguration.class, LowkiqAutoConfiguration.class,
					LowkiqAdminAutoConfiguration.class, LowkiqEndpointAutoConfiguration.class))
			.withUserConfiguration(MemoryStoreConfiguration.class)
			.withPropertyValues("lowkiq.server.enabled=false", "spring.jmx.enabled=true",
					"spring.jmx.unique-names=true", "management.endpoints.jmx.exposure.include=lowkiq");
		exposed.run((context) -> assertThat(operations(context)).containsOnly(OperationType.READ));
		exposed.withPropertyValues("management.endpoint.lowkiq.access=UNRESTRICTED")
			.run((context) -> assertThat(operations(context)).contains(OperationType.WRITE));
	}

	@Test
	void saysByHttpWhyARequestIsRefused() {
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=lowkiq").run((context) -> {
			context.getBean(InspectableStore.class).queues().register("orders", 1);
			assertThat(post(context, "orders", Map.of("action", "explode"))).satisfies(refusedWith(
					"Unknown action 'explode'. Known actions: pause, resume, perform-now, re-enqueue, stop, start, run-schedule, pause-schedule, resume-schedule"));
			assertThat(post(context, "orders", Map.of())).satisfies(refusedWith(
					"The action is missing. Known actions: pause, resume, perform-now, re-enqueue, stop, start, run-schedule, pause-schedule, resume-schedule"));
			assertThat(post(context, "odrers", Map.of("action", "pause"))).satisfies(refusedWith(
					"Unknown queue 'odrers'. It is recorded when its first node starts, or with its first job"));
			assertThat(post(context, "orders", Map.of("action", "pause", "ids", List.of("a"))))
				.satisfies(refusedWith("The action PAUSE takes no ids"));
			assertThat(post(context, "orders", Map.of("action", "perform-now")).getBody())
				.isEqualTo(new QueueActionDescriptor("orders", QueueAction.PERFORM_NOW, 0, false));
		});
	}

	@Test
	void stopsAndStartsAQueueOnThisNode() {
		List<AdminEvent> events = new ArrayList<>();
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=lowkiq")
			.withBean(EventWorker.class)
			.withInitializer((context) -> context.addApplicationListener((event) -> {
				if (event instanceof PayloadApplicationEvent<?> published
						&& published.getPayload() instanceof AdminEvent admin) {
					events.add(admin);
				}
			}))
			.run((context) -> {
				LowkiqServer server = context.getBean(LowkiqServer.class);
				assertThat(post(context, "events", Map.of("action", "stop")).getBody())
					.isEqualTo(new QueueActionDescriptor("events", QueueAction.STOP, 1, false));
				assertThat(server.status().stoppedQueues()).containsExactly("events");
				assertThat(context.getBean(LowkiqEndpoint.class).lowkiq().node().stoppedQueues())
					.containsExactly("events");
				assertThat(post(context, "events", Map.of("action", "stop")).getBody())
					.isEqualTo(new QueueActionDescriptor("events", QueueAction.STOP, 0, false));
				assertThat(post(context, "events", Map.of("action", "start")).getBody())
					.isEqualTo(new QueueActionDescriptor("events", QueueAction.START, 1, false));
				assertThat(server.status().stoppedQueues()).isEmpty();
				assertThat(post(context, "others", Map.of("action", "stop")))
					.satisfies(refusedWith("This node has no queue 'others'. Its queues are [events]"));
				assertThat(post(context, "events", Map.of("action", "stop", "ids", List.of("a"))))
					.satisfies(refusedWith("The action STOP takes no ids"));
			});
		assertThat(events).extracting(AdminEvent::action)
			.containsExactly("stop-on-node", "stop-on-node", "start-on-node");
		assertThat(events.get(0)).satisfies((event) -> {
			assertThat(event.queue()).isEqualTo("events");
			assertThat(event.message()).startsWith("Queue 'events' is stopped on node ");
		});
	}

	@LowkiqWorker("events")
	static class EventWorker implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

	}

	private static Consumer<WebEndpointResponse<?>> refusedWith(String reason) {
		return (response) -> {
			assertThat(response.getStatus()).isEqualTo(400);
			assertThat(response.getBody()).isEqualTo(Map.of("error", reason));
		};
	}

	/** As Spring Boot handles a POST. */
	private static WebEndpointResponse<?> post(ApplicationContext context, String queue, Map<String, Object> body) {
		Map<String, Object> arguments = new HashMap<>(body);
		arguments.put("queue", queue);
		Operation operation = new WebEndpointDiscoverer(context,
				new ConversionServiceParameterValueMapper(ApplicationConversionService.getSharedInstance()),
				EndpointMediaTypes.DEFAULT, List.of(), List.of(), List.of(), List.of(), List.of())
			.getEndpoints()
			.stream()
			.flatMap((endpoint) -> endpoint.getOperations().stream())
			.filter((candidate) -> candidate.getType() == OperationType.WRITE)
			.collect(onlyElement());
		return (WebEndpointResponse<?>) Objects
			.requireNonNull(operation.invoke(new InvocationContext(SecurityContext.NONE, arguments)));
	}

	private static <T> Collector<T, ?, T> onlyElement() {
		return Collectors.collectingAndThen(Collectors.toList(), (all) -> {
			assertThat(all).hasSize(1);
			return all.get(0);
		});
	}

	private static List<OperationType> operations(ApplicationContext context) {
		return context.getBean(JmxEndpointsSupplier.class)
			.getEndpoints()
			.stream()
			.flatMap((endpoint) -> endpoint.getOperations().stream())
			.map(Operation::getType)
			.toList();
	}

	private LowkiqEndpoint endpoint(InspectableStore from) {
		return new LowkiqEndpoint(() -> this.status, (queue, stop, user) -> false,
				new QueueStatistics(from, InstantSource.system(), Duration.ZERO, 0), from, TestAdmin.of(from));
	}

}
