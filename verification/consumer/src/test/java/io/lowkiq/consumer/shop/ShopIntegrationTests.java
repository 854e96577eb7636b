package io.lowkiq.consumer.shop;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import io.lowkiq.LowkiqClient;
import io.lowkiq.consumer.shop.ShopApplication.Order;
import io.lowkiq.consumer.shop.ShopApplication.OrderWorker;
import io.lowkiq.consumer.shop.ShopApplication.Orders;
import io.lowkiq.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/** A whole shop, with Spring MVC, Actuator and Redis. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.application.name=shop",
				"management.endpoints.web.exposure.include=health,lowkiq,metrics",
				"management.endpoint.health.show-details=always", "lowkiq.server.lease-duration=3s" })
class ShopIntegrationTests {

	@DynamicPropertySource
	static void redis(DynamicPropertyRegistry properties) {
		properties.add("spring.data.redis.url", () -> TestRedis.shared().url());
		properties.add("lowkiq.key-prefix", TestRedis::uniquePrefix);
	}

	@Value("${local.server.port}")
	private int port;

	@Test
	void jobsArePerformedAndShown(@Autowired LowkiqClient client, @Autowired Orders orders) throws Exception {
		assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("consumer.spring-boot.version"));
		client.enqueue(OrderWorker.class, "42", new Order(1, "NEW"));
		Awaitility.await().untilAsserted(() -> assertThat(orders.written).containsEntry("42", new Order(1, "NEW")));
		Awaitility.await()
			.untilAsserted(() -> assertThat(get("/actuator/health")).contains("\"lowkiq\"").startsWith("200"));
		assertThat(get("/actuator/lowkiq")).startsWith("200").contains("orders");
		assertThat(get("/actuator/metrics")).startsWith("200").contains("lowkiq.");
		assertThat(get("/lowkiq")).startsWith("200");
		assertThat(get("/lowkiq/api/v1/stats")).startsWith("200").contains("orders");
	}

	private String get(String path) throws Exception {
		HttpResponse<String> response = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + path)).build(),
					HttpResponse.BodyHandlers.ofString());
		return response.statusCode() + " " + response.body();
	}

}
