package io.lowkiq.consumer.shop;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.PerformContext;
import io.lowkiq.Worker;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Component;

/** A shop. */
@SpringBootApplication
class ShopApplication {

	/**
	 * What is known of an order.
	 *
	 * @param version of the change
	 * @param status of the order
	 */
	record Order(long version, String status) {
	}

	/** The orders as they were written last. */
	@Component
	static class Orders {

		final Map<String, Order> written = new ConcurrentHashMap<>();

	}

	/** Writes orders. */
	@LowkiqWorker(queue = "orders")
	static class OrderWorker implements Worker<Order> {

		private final Orders orders;

		private final PerformContext context;

		OrderWorker(Orders orders, PerformContext context) {
			this.orders = orders;
			this.context = context;
		}

		@Override
		public void perform(String id, List<Order> changes) {
			if (this.context.fencingToken() > 0) {
				this.orders.written.put(id, changes.get(changes.size() - 1));
			}
		}

	}

}
