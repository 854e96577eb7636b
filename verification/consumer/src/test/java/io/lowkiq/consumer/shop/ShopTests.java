package io.lowkiq.consumer.shop;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.consumer.shop.ShopApplication.Order;
import io.lowkiq.consumer.shop.ShopApplication.OrderWorker;
import io.lowkiq.consumer.shop.ShopApplication.Orders;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.autoconfigure.LowkiqTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/** The worker of a shop, without Redis. */
@LowkiqTest
@Import(Orders.class)
class ShopTests {

	@Test
	void changesThatWaitTogetherAreWrittenInOrder(@Autowired LowkiqClient client, @Autowired LowkiqTester lowkiq,
			@Autowired Orders orders) {
		client.enqueue(OrderWorker.class, JobRequest.of("42", new Order(2, "PAID")).score(2));
		client.enqueue(OrderWorker.class, JobRequest.of("42", new Order(1, "NEW")).score(1));
		lowkiq.drain();
		assertThat(orders.written).containsEntry("42", new Order(2, "PAID"));
		assertThat(lowkiq.counts("orders").performs()).isEqualTo(1);
	}

}
