package io.lowkiq.autoconfigure.endpoint;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.autoconfigure.LowkiqAdminAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.autoconfigure.schedule.ScheduleAnnouncer;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** The endpoint by HTTP, as people call it. */
class LowkiqEndpointTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class,
				LowkiqAdminAutoConfiguration.class, LowkiqEndpointAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withPropertyValues("lowkiq.server.enabled=false");

	private ConfigurableApplicationContext context = start("management.endpoint.lowkiq.access=unrestricted",
			MemoryStoreConfiguration.class);

	private static ConfigurableApplicationContext start(String property, Class<?>... sources) {
		return new SpringApplicationBuilder(Application.class).sources(sources)
			.properties("server.port=0", "server.address=127.0.0.1", "logging.level.root=warn",
					"spring.main.banner-mode=off", "lowkiq.server.enabled=false", "lowkiq.metrics.cache=0s",
					"management.endpoints.web.exposure.include=lowkiq", property)
			.run();
	}

	@AfterEach
	void stop() {
		this.context.close();
	}

	private HttpResponse<String> send(HttpRequest.Builder request, String path)
			throws IOException, InterruptedException {
		String port = this.context.getEnvironment().getRequiredProperty("local.server.port");
		return HttpClient.newHttpClient()
			.send(request.uri(URI.create("http://127.0.0.1:" + port + path)).build(),
					HttpResponse.BodyHandlers.ofString());
	}

	private HttpResponse<String> post(String queue, String body) throws IOException, InterruptedException {
		return send(HttpRequest.newBuilder()
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString(body)), "/actuator/lowkiq/" + queue);
	}

	private JsonNode summary() throws IOException, InterruptedException {
		HttpResponse<String> response = send(HttpRequest.newBuilder(), "/actuator/lowkiq");
		assertThat(response.statusCode()).isEqualTo(200);
		return JsonMapper.shared().readTree(response.body());
	}

	@Test
	void summarizesTheNodeAndTheQueues() throws Exception {
		this.context.getBean(LowkiqClient.class).enqueue("reports", "42", "a");
		JsonNode summary = summary();
		assertThat(summary.propertyNames()).containsExactlyInAnyOrder("node", "state", "refusedQueues", "stoppedQueues",
				"foreignQueues", "queues");
		assertThat(summary.at("/node").asString()).isNotEmpty();
		assertThat(summary.at("/queues/0/name").asString()).isEqualTo("reports");
		assertThat(summary.at("/queues/0/fresh").asLong()).isOne();
		assertThat(summary.at("/queues/0/unowned").asInt()).isEqualTo(summary.at("/queues/0/shards").asInt());
	}

	@Test
	void summarizesTheNodeWhileTheStoreIsAway() throws Exception {
		this.context.close();
		this.context = start("spring.data.redis.url=redis://127.0.0.1:1");
		JsonNode summary = summary();
		assertThat(summary.at("/node").asString()).isNotEmpty();
		assertThat(summary.has("queues")).isFalse();
		assertThat(summary.at("/storeProblem").asString()).isNotEmpty();
	}

	/** The request that is printed in the docs, and the others that are listed there. */
	@Test
	void doesWhatIsPrinted() throws Exception {
		String docs = Files.readString(Path.of("..", "docs", "production.md"));
		Matcher printed = Pattern.compile("curl -X POST http://localhost:8080(/\\S+) .* -d '(.+)'").matcher(docs);
		LowkiqAdmin admin = this.context.getBean(LowkiqAdmin.class);
		this.context.getBean(RedisStore.class).queues().register("reports", 2);
		this.context.getBean(ScheduleAnnouncer.class).announce();
		List<String> statuses = new ArrayList<>();
		while (printed.find()) {
			HttpResponse<String> response = post(printed.group(1).replace("/actuator/lowkiq/orders", "reports"),
					printed.group(2));
			statuses.add(response.statusCode() + response.body());
		}
		assertThat(statuses).containsExactly("204", "204");
		assertThat(summary().at("/queues/0/paused").asInt()).isPositive();
		assertThat(admin.schedules()).allMatch((schedule) -> schedule.paused());
		post("reports", "{\"action\": \"resume\"}");
		post("reports", "{\"action\": \"resume-schedule\", \"schedule\": \"nightly\"}");
		assertThat(summary().at("/queues/0/paused").asInt()).isZero();
		assertThat(admin.schedules()).noneMatch((schedule) -> schedule.paused());
	}

	@Test
	void stopsAndStartsAQueueOnThisNode() throws Exception {
		for (String action : List.of("stop", "stop", "start")) {
			assertThat(post("reports", "{\"action\": \"%s\"}".formatted(action)).statusCode()).isEqualTo(204);
			assertThat(summary().at("/stoppedQueues/0").asString("")).isEqualTo(action.equals("stop") ? "reports" : "");
		}
		assertThat(this.context.getBean(Application.class).events).extracting(AdminEvent::action)
			.containsExactly("stop-on-node", "stop-on-node", "start-on-node");
		assertThat(this.context.getBean(Application.class).events.get(0).message())
			.startsWith("Queue 'reports' is stopped on node ");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					reports | {"action": "explode"} | Unknown action 'explode'. Known actions: pause, resume, stop, start, pause-schedule, resume-schedule
					reports | {} | Unknown action 'null'. Known
					reports | {"action": "re-enqueue"} | Unknown action 're-enqueue'
					odrers | {"action": "pause"} | odrers
					odrers | {"action": "stop"} | This node has no queue 'odrers'. Its queues are [reports,
					reports | {"action": "pause", "schedule": "nightly"} | The action pause takes no schedule
					reports | {"action": "pause-schedule"} | The action pause-schedule needs the id of a 'schedule'
					reports | {"action": "pause-schedule", "schedule": "weekly"} | There is no schedule 'weekly' of queue 'reports'
					reports | {"action": "pause", "ids": ["42"]} | Bad Request
					""")
	void saysWhyARequestIsRefused(String queue, String body, String reason) throws Exception {
		HttpResponse<String> response = post(queue, body);
		assertThat(response.statusCode()).isEqualTo(400);
		assertThat(JsonMapper.shared().readTree(response.body()).at("/error").asString()).contains(reason);
		assertThat(this.context.getBean(Application.class).events).allMatch((event) -> event.changed() == 0);
	}

	@Test
	void changesNothingUnlessThatIsAllowed() throws Exception {
		this.context.close();
		this.context = start("management.endpoint.lowkiq.access=read-only", MemoryStoreConfiguration.class);
		assertThat(post("reports", "{\"action\": \"pause\"}").statusCode()).isEqualTo(404);
		assertThat(summary().at("/queues").isArray()).isTrue();
	}

	@Test
	void isThereWhenItIsExposed() {
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=lowkiq")
			.run((context) -> assertThat(context).hasSingleBean(LowkiqEndpoint.class));
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LowkiqEndpoint.class));
	}

	@Test
	void backsOffWithoutActuator() {
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=lowkiq")
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("lowkiqEndpoint"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(
			excludeName = { "org.springframework.modulith.events.config.EventPublicationAutoConfiguration",
					"org.springframework.modulith.events.config.EventExternalizationAutoConfiguration",
					"org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration" })
	@Import(Reports.class)
	static class Application {

		private final List<AdminEvent> events = new ArrayList<>();

		@EventListener
		void acted(AdminEvent event) {
			this.events.add(event);
		}

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

}
