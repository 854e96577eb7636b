package io.lowkiq.test.app;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.stereotype.Component;

/**
 * What the workers of the shop write to. Has nothing to do with Lowkiq, so a slice leaves
 * it out.
 */
@Component
class OrderBook {

	final Map<String, Order> orders = new ConcurrentHashMap<>();

	final List<String> deliveries = new CopyOnWriteArrayList<>();

	/** Orders with this status are refused until it is emptied. */
	volatile String refused = "BROKEN";

	void write(String id, List<Order> delivery) {
		this.deliveries.add(id + delivery.stream().map(Order::version).toList());
		Order newest = delivery.get(delivery.size() - 1);
		if (newest.status().equals(this.refused)) {
			throw new IllegalStateException("Status " + newest.status() + " is refused");
		}
		this.orders.put(id, newest);
	}

	void clear() {
		this.orders.clear();
		this.deliveries.clear();
		this.refused = "BROKEN";
	}

}
