package io.lowkiq.samples.orders;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@AutoConfigureRestTestClient
class OrdersIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(2);

	@Autowired
	private RestTestClient client;

	@Test
	void changesArriveOutOfTheTransactionAndShipmentsOutOfKafka() {
		post("/orders/42/paid").expectStatus().isOk();
		post("/orders/42/cancelled?fail=true").expectStatus().is5xxServerError();
		post("/shipments/42/packed").expectStatus().isOk();
		post("/shipments/42/sent").expectStatus().isOk();
		await().atMost(LONG).until(() -> order().done().size() >= 3);
		assertThat(order().status()).isEqualTo("paid");
		List<String> done = order().done();
		assertThat(done).contains("mail: paid").doesNotContain("mail: cancelled");
		assertThat(done).containsSubsequence("shipment: packed", "shipment: sent");
	}

	private RestTestClient.ResponseSpec post(String path) {
		return this.client.post().uri(path).exchange();
	}

	private OrderController.Order order() {
		return this.client.get()
			.uri("/orders/42")
			.exchange()
			.expectBody(OrderController.Order.class)
			.returnResult()
			.getResponseBody();
	}

}
