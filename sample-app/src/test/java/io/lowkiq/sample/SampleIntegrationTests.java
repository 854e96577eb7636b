package io.lowkiq.sample;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the whole sample with its traffic and the Redis that it brings along; in the end,
 * checks that nothing of it is left.
 */
class SampleIntegrationTests {

	@TempDir
	private static Path directory;

	private static ConfigurableApplicationContext application;

	private static RestClient http;

	@BeforeAll
	static void start() {
		application = SpringApplication.run(SampleApplication.class, "--server.port=0",
				"--spring.datasource.url=jdbc:h2:file:" + directory.resolve("orders") + ";DB_CLOSE_ON_EXIT=FALSE",
				"--sample.redis-directory=" + directory.resolve("redis"), "--sample.traffic.rate=200",
				"--sample.traffic.orders=20", "--lowkiq.metrics.cache=100ms");
		int port = ((WebServerApplicationContext) application).getWebServer().getPort();
		http = RestClient.builder()
			.baseUrl("http://localhost:" + port)
			.defaultStatusHandler((status) -> true, (request, response) -> {
			})
			.build();
	}

	@AfterAll
	static void stop() {
		application.close();
		assertThat(directory.resolve("redis")).isEmptyDirectory();
		// A thread that has ended its work may live on for a moment
		await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
			.noneMatch((name) -> name.startsWith("lowkiq")));
	}

	@Test
	void trafficIsReplicatedInOrderWithoutOverlaps() {
		await().untilAsserted(() -> {
			JsonNode stats = get("/orders/stats");
			assertThat(stats.path("performed").asLong()).isGreaterThan(500);
			assertThat(stats.path("merged").asLong()).isPositive();
			assertThat(stats.path("failed").asLong()).isPositive();
			assertThat(stats.path("buried").asLong()).isPositive();
			assertThat(stats.path("dead").asLong()).isPositive();
		});
		JsonNode stats = get("/orders/stats");
		assertThat(stats.path("overlaps").asLong(-1)).isZero();
		assertThat(stats.path("regressions").asLong(-1)).isZero();
		assertThat(stats.path("disordered").asLong(-1)).isZero();
		assertThat(stats.path("fenced").asLong(-1)).isZero();
	}

	@Test
	void orderThatFailsForAWhileIsReplicatedInTheEnd() {
		await().untilAsserted(() -> {
			JsonNode order = get("/orders/flaky-2");
			assertThat(order.path("status").asString()).isEqualTo("WAREHOUSE_BUSY");
			assertThat(order.path("failed").asLong()).isGreaterThanOrEqualTo(2);
			assertThat(order.path("performed").asLong()).isPositive();
		});
	}

	@Test
	void orderThatAlwaysFailsIsNotReplicatedAndLiesInTheMorgue() {
		await().untilAsserted(() -> assertThat(
				get("/lowkiq/api/v1/stats").path("by_worker").path("orders").path("morgue_length").asLong())
			.isEqualTo(1));
		assertThat(http.get().uri("/orders/broken-1").retrieve().toBodilessEntity().getStatusCode())
			.isEqualTo(HttpStatus.NOT_FOUND);
	}

	@Test
	void changesInTheWrongOrderEndWithTheNewest() {
		for (long version : new long[] { 2, 1, 4, 3, 6, 5, 7 }) {
			assertThat(post("mine", version).getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);
		}
		await().untilAsserted(() -> {
			JsonNode order = get("/orders/mine");
			assertThat(order.path("received").asLong()).isEqualTo(7);
			assertThat(order.path("performed").asLong() + order.path("merged").asLong()).isEqualTo(7);
			assertThat(order.path("version").asLong()).isEqualTo(7);
			assertThat(order.path("status").asString()).isEqualTo("V7");
			assertThat(order.path("amount").decimalValue()).isEqualByComparingTo("7.50");
		});
	}

	@Test
	void dashboardIsAPage() {
		ResponseEntity<String> page = http.get().uri("/lowkiq").retrieve().toEntity(String.class);
		assertThat(page.getStatusCode()).isEqualTo(HttpStatus.OK);
		assertThat(page.getHeaders().getContentType())
			.satisfies((type) -> assertThat(MediaType.TEXT_HTML.isCompatibleWith(type)).as("%s", type).isTrue());
		assertThat(get("/lowkiq/api/v1/session").path("actionsEnabled").asBoolean()).isTrue();
	}

	@Test
	void dashboardShowsAllKindsOfJobs() {
		// Each look is one moment: what is busy now may be done at the next
		Set<String> seen = new TreeSet<>();
		await().untilAsserted(() -> {
			for (JsonNode queue : get("/lowkiq/api/v1/overview").path("queues")) {
				for (String kind : List.of("fresh", "busy", "retries", "dead", "processed")) {
					if (queue.path("counts").path(kind).asLong() > 0) {
						seen.add(queue.path("name").asString() + " " + kind);
					}
				}
			}
			assertThat(seen).contains("orders busy", "orders retries", "orders dead", "orders processed",
					"notifications fresh", "notifications processed", "order-index processed");
		});
	}

	@Test
	void whereToLookAnswers() {
		for (String path : new String[] { "/orders/stats", "/lowkiq", "/lowkiq/api/v1/stats", "/actuator/health",
				"/actuator/lowkiq", "/actuator/metrics", "/actuator/metrics/sample.notifications.sent" }) {
			await().untilAsserted(
					() -> assertThat(http.get().uri(path).retrieve().toEntity(String.class).getStatusCode()).as(path)
						.isEqualTo(HttpStatus.OK));
		}
	}

	private JsonNode get(String path) {
		JsonNode body = http.get().uri(path).retrieve().body(JsonNode.class);
		assertThat(body).isNotNull();
		return body;
	}

	private ResponseEntity<Void> post(String id, long version) {
		return http.post()
			.uri("/orders/{id}", id)
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"version\":%d,\"status\":\"V%d\",\"amount\":\"%d.50\"}".formatted(version, version, version))
			.retrieve()
			.toBodilessEntity();
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(100));
	}

}
