package io.lowkiq.dashboard.web;

import java.time.Duration;
import java.util.List;

import io.lowkiq.dashboard.api.DashboardApi;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;

/** The statistics that programs read. */
class StatisticsTests {

	@Test
	void servesTheStatisticsOfTheGem() {
		try (TestDashboard fresh = TestDashboard.of(WebApplicationType.SERVLET)
			.with(MovableTime.MovableDashboard.class)
			.with("lowkiq.dashboard.path", "/jobs")
			.start()) {
			fresh.queue("mails", 1).bury("dead");
			fresh.queue("orders", 2).enqueue("42", "43");
			Http http = Http.on(fresh.port());
			// A reading from before the jobs is shown for up to a second
			await().untilAsserted(() -> {
				fresh.bean(MovableTime.class).advance(Duration.ofSeconds(1));
				assertStatistics(http.get("/jobs/api/v1/stats"));
			});
		}
	}

	@Test
	void servesTheHistory() {
		try (TestDashboard fresh = TestDashboard.of(WebApplicationType.SERVLET)
			.with(MovableTime.MovableDashboard.class)
			.start()) {
			fresh.queue("orders", 2).enqueue("42").bury("dead");
			Http http = Http.on(fresh.port());
			assertThat(fresh.bean(DashboardApi.class).loop().isRunning()).isTrue();
			// A point needs two samples, and the first one may be from before there was
			// the queue
			await().untilAsserted(() -> {
				fresh.bean(MovableTime.class).advance(Duration.ofMinutes(1));
				fresh.bean(DashboardApi.class).loop().runOnce();
				assertThat(http.get("/lowkiq/api/v1/history?queue=orders").json().at("/points")).isNotEmpty();
			});
			for (String parameters : List.of("?minutes=2880", "?queue=orders")) {
				// The loop may be writing the sample
				await().untilAsserted(() -> assertHistory(http.get("/lowkiq/api/v1/history" + parameters).json()));
			}
			assertThat(http.get("/lowkiq/api/v1/history?queue=unknown").json().at("/points")).isEmpty();
			assertThat(http.get("/lowkiq/api/v1/history?minutes=2881").status()).isEqualTo(400);
		}
	}

	private static void assertHistory(JsonNode history) {
		assertThat(history.propertyNames()).containsExactly("points");
		JsonNode point = history.at("/points/0");
		assertThat(point.propertyNames()).containsExactlyInAnyOrder("at", "processed", "failed", "lag", "enqueued",
				"dead", "p50", "p95");
		assertThat(point.at("/at").asLong() % 60_000).isZero();
		assertThat(point.at("/enqueued").asLong()).isEqualTo(1);
		assertThat(point.at("/dead").asLong()).isEqualTo(1);
		assertThat(point.at("/lag").isNumber()).isTrue();
		assertThat(point.at("/p50").isNull()).isTrue();
		assertThat(point.at("/p95").isNull()).isTrue();
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(60));
	}

	@Test
	void answers503WhileRedisIsAway() {
		try (TestDashboard away = TestDashboard.of(WebApplicationType.SERVLET)
			.with("spring.data.redis.url", "redis://127.0.0.1:1")
			.with("lowkiq.key-prefix", "away")
			.start()) {
			Http.Answer answer = Http.on(away.port()).get("/lowkiq/api/v1/stats");
			assertThat(answer.status()).isEqualTo(503);
			assertThat(answer.json().at("/error").asString()).isEqualTo("Redis can't be reached.");
			assertThat(Http.on(away.port()).get("/lowkiq").status()).isEqualTo(200);
		}
	}

	private static void assertStatistics(Http.Answer answer) {
		assertThat(answer.status()).isEqualTo(200);
		assertThat(answer.header("Content-Type")).hasValue("application/json");
		JsonNode stats = answer.json();
		assertThat(stats.propertyNames()).containsExactlyInAnyOrder("total", "by_worker");
		assertThat(stats.at("/by_worker").propertyNames()).containsExactlyInAnyOrder("mails", "orders");
		assertCounts(stats.at("/total"), 2, 1);
		assertCounts(stats.at("/by_worker/mails"), 0, 1);
		assertCounts(stats.at("/by_worker/orders"), 2, 0);
	}

	private static void assertCounts(JsonNode counts, int length, int dead) {
		assertThat(counts.propertyNames()).containsExactlyInAnyOrder("length", "morgue_length", "lag");
		assertThat(counts.at("/length").isInt()).isTrue();
		assertThat(counts.at("/length").asInt()).isEqualTo(length);
		assertThat(counts.at("/morgue_length").asInt()).isEqualTo(dead);
		assertThat(counts.at("/lag").isNumber()).isTrue();
	}

}
