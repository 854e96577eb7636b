package io.lowkiq.samples.orders;

import java.util.List;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.lowkiq.LowkiqClient;

/** Orders by HTTP. */
@RestController
class OrderController {

	private final JdbcClient jdbc;

	private final LowkiqClient lowkiq;

	private final KafkaTemplate<String, String> kafka;

	private final Journal journal;

	OrderController(JdbcClient jdbc, LowkiqClient lowkiq, KafkaTemplate<String, String> kafka, Journal journal) {
		this.jdbc = jdbc;
		this.lowkiq = lowkiq;
		this.kafka = kafka;
		this.journal = journal;
	}

	/** Changes an order, and enqueues a job in the same transaction. */
	@PostMapping("/orders/{id}/{status}")
	@Transactional
	void change(@PathVariable String id, @PathVariable String status,
			@RequestParam(defaultValue = "false") boolean fail) {
		this.jdbc.sql("insert into orders values (?, ?) on conflict (id) do update set status = excluded.status")
			.params(id, status)
			.update();
		this.lowkiq.enqueue(MailWorker.class, id, new OrderChange(status));
		if (fail) {
			throw new IllegalStateException("The transaction is rolled back, and its job with it");
		}
	}

	/** Sends a record to Kafka, as the system of the warehouse would. */
	@PostMapping("/shipments/{id}/{status}")
	void ship(@PathVariable String id, @PathVariable String status) {
		this.kafka.send("shipments", id, "{\"status\": \"%s\"}".formatted(status)).join();
	}

	@GetMapping("/orders/{id}")
	Order order(@PathVariable String id) {
		String status = this.jdbc.sql("select status from orders where id = ?")
			.param(id)
			.query(String.class)
			.optional()
			.orElse("unknown");
		return new Order(id, status, this.journal.of(id));
	}

	/** An order, and what the workers have done for it. */
	record Order(String id, String status, List<String> done) {
	}

}
