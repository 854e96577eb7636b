package io.lowkiq.sample.orders;

import java.math.BigDecimal;
import java.time.Duration;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.PerformCounts;
import io.lowkiq.test.autoconfigure.LowkiqTest;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests how an order moves through its queues: on a real database, without Redis, and
 * without waiting for retries.
 */
@LowkiqTest(workers = { OrderWorker.class, OrderIndexer.class, NotificationWorker.class },
		properties = "sample.work-time=0ms")
@Import({ SampleDatabase.class, Warehouse.class, SimpleMeterRegistry.class })
@EnableConfigurationProperties(SampleSettings.class)
class OrderQueueTests {

	@Autowired
	private LowkiqClient client;

	@Autowired
	private LowkiqTester lowkiq;

	@Autowired
	private OrderTable orders;

	@Autowired
	private OrderFacts facts;

	@Autowired
	private JdbcClient jdbc;

	@BeforeEach
	void emptyDatabase() {
		this.jdbc.sql("delete from orders").update();
		this.jdbc.sql("delete from order_facts").update();
		this.jdbc.sql("delete from order_index").update();
	}

	@Test
	void changesInTheWrongOrderAreWrittenOnceAndPassedOn() {
		enqueue(2, "PAID");
		enqueue(3, "SENT");
		enqueue(1, "NEW");
		assertThat(this.lowkiq.queue("orders")).hasJob("42")
			.withPayloads(snapshot(1, "NEW"), snapshot(2, "PAID"), snapshot(3, "SENT"))
			.withScores(1, 2, 3);
		assertThat(this.lowkiq.drain("orders")).isEqualTo(1);
		assertThat(this.orders.version("42")).hasValue(3);
		assertThat(this.lowkiq.queue("order-index")).hasJob("42").withPayloads(new IndexEntry(3, "SENT")).isDue();
		assertThat(this.lowkiq.queue("notifications")).hasJob("42")
			.withPayloads(new Notification("SENT"))
			.dueIn(Duration.ofSeconds(2));
	}

	@Test
	void changeThatCameTooLateIsNotWritten() {
		enqueue(2, "PAID");
		this.lowkiq.drain("orders");
		enqueue(1, "NEW");
		this.lowkiq.drain("orders");
		assertThat(this.orders.version("42")).hasValue(2);
		assertThat(this.facts.totals().stale()).isEqualTo(1);
	}

	@Test
	void busyWarehouseTakesTheThirdAttempt() {
		enqueue(1, Warehouse.BUSY);
		this.lowkiq.drain();
		assertThat(this.lowkiq.queue("orders")).hasJob("42")
			.withRetryCount(0)
			.dueIn(Duration.ofSeconds(1))
			.withErrorContaining("The warehouse did not take order 42, version 1 (attempt 1)");
		this.lowkiq.drainFor(Duration.ofSeconds(2));
		assertThat(this.lowkiq.queue("orders")).isEmpty();
		assertThat(this.lowkiq.counts("orders")).isEqualTo(new PerformCounts(3, 1, 2, 0));
		assertThat(this.facts.totals()).isEqualTo(new OrderTotals(0, 1, 0, 0, 2, 0, 0, 0, 0, 0));
		assertThat(this.jdbc.sql("select version from order_index").query(Long.class).single()).isEqualTo(1);
	}

	@Test
	void changeThatTheWarehouseRefusesGoesToTheMorgue() {
		enqueue(1, Warehouse.REFUSES);
		assertThat(this.lowkiq.drainFor(Duration.ofSeconds(10))).isEqualTo(4);
		assertThat(this.lowkiq.queue("orders")).isEmpty();
		assertThat(this.lowkiq.morgue("orders")).hasOnlyJobs("42")
			.hasJob("42")
			.withPayloads(snapshot(1, Warehouse.REFUSES));
		assertThat(this.orders.version("42")).isEmpty();
	}

	private void enqueue(long version, String status) {
		this.client.enqueue(OrderWorker.class, JobRequest.of("42", snapshot(version, status)).score(version));
	}

	private static OrderSnapshot snapshot(long version, String status) {
		return new OrderSnapshot(version, status, new BigDecimal("12.50"));
	}

}
