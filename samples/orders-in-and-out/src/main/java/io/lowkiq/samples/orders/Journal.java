package io.lowkiq.samples.orders;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.stereotype.Component;

/** Records what the workers have done, for a look at it. Thread-safe. */
@Component
class Journal {

	private final Map<String, List<String>> lines = new ConcurrentHashMap<>();

	void write(String order, String worker, List<OrderChange> changes) {
		List<String> ofOrder = this.lines.computeIfAbsent(order, (key) -> new CopyOnWriteArrayList<>());
		changes.forEach((change) -> ofOrder.add(worker + ": " + change.status()));
	}

	List<String> of(String order) {
		return List.copyOf(this.lines.getOrDefault(order, List.of()));
	}

}
