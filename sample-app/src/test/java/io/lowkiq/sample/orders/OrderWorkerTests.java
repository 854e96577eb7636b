package io.lowkiq.sample.orders;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.test.TestPerformContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatchers;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/** Tests of {@link OrderWorker} on a real database. */
@SpringJUnitConfig(SampleDatabase.class)
class OrderWorkerTests {

	@Autowired
	private OrderTable orders;

	@Autowired
	private OrderFacts facts;

	@Autowired
	private JdbcClient jdbc;

	private final LowkiqClient lowkiq = mock(LowkiqClient.class);

	private final TestPerformContext context = new TestPerformContext();

	private OrderWorker worker;

	@BeforeEach
	void setUp() {
		this.jdbc.sql("delete from orders").update();
		this.jdbc.sql("delete from order_facts").update();
		SampleSettings settings = new SampleSettings(Duration.ZERO, Duration.ofSeconds(2));
		this.worker = new OrderWorker(this.orders, this.facts, new Warehouse(settings), this.lowkiq, this.context,
				settings);
	}

	@Test
	void newestChangeIsWrittenAndPassedOn() throws Exception {
		this.worker.perform("42", List.of(snapshot(1, "NEW"), snapshot(2, "PAID")));
		assertThat(this.orders.version("42")).hasValue(2);
		assertThat(this.facts.totals()).isEqualTo(new OrderTotals(0, 1, 1, 0, 0, 0, 0, 0, 0, 0));
		then(this.lowkiq).should()
			.enqueue(eq(OrderIndexer.class), eq(JobRequest.of("42", new IndexEntry(2, "PAID")).score(2)));
		then(this.lowkiq).should()
			.enqueue(eq(NotificationWorker.class),
					eq(JobRequest.of("42", new Notification("PAID")).performIn(Duration.ofSeconds(2))));
	}

	@Test
	void changeThatArrivesLateIsStaleAndNoRegression() throws Exception {
		this.worker.perform("42", List.of(snapshot(2, "PAID")));
		this.worker.perform("42", List.of(snapshot(1, "NEW")));
		assertThat(this.orders.version("42")).hasValue(2);
		assertThat(this.facts.totals()).isEqualTo(new OrderTotals(0, 2, 0, 1, 0, 0, 0, 0, 0, 0));
	}

	@Test
	void descendingHandOverIsTold() throws Exception {
		this.worker.perform("42", List.of(snapshot(2, "PAID"), snapshot(1, "NEW")));
		assertThat(this.facts.totals().disordered()).isEqualTo(1);
	}

	@Test
	void performsOfOneOrderAtTheSameTimeAreTold() throws Exception {
		CountDownLatch first = new CountDownLatch(1);
		CountDownLatch second = new CountDownLatch(1);
		willAnswer((call) -> {
			first.countDown();
			second.await(10, TimeUnit.SECONDS);
			return null;
		}).willDoNothing()
			.given(this.lowkiq)
			.enqueue(eq(OrderIndexer.class), ArgumentMatchers.<JobRequest<IndexEntry>>any());
		CompletableFuture<Void> running = CompletableFuture.runAsync(() -> perform(snapshot(2, "PAID")));
		assertThat(first.await(10, TimeUnit.SECONDS)).isTrue();
		this.worker.perform("42", List.of(snapshot(3, "SENT")));
		second.countDown();
		running.get(10, TimeUnit.SECONDS);
		assertThat(this.facts.totals().overlaps()).isEqualTo(1);
	}

	@Test
	void rowThatWentBackBetweenLookAndWriteIsTold() throws Exception {
		Warehouse slow = mock(Warehouse.class);
		willAnswer((call) -> this.orders.write("42", snapshot(9, "SENT"), 1)).given(slow)
			.book(eq("42"), ArgumentMatchers.any(), eq(0));
		SampleSettings settings = new SampleSettings(Duration.ZERO, Duration.ofSeconds(2));
		new OrderWorker(this.orders, this.facts, slow, this.lowkiq, this.context, settings).perform("42",
				List.of(snapshot(2, "PAID")));
		assertThat(this.facts.totals().regressions()).isEqualTo(1);
	}

	@Test
	void usedUpRetriesAreCounted() {
		this.facts.received("42");
		this.worker.retriesExhausted("42", snapshot(1, Warehouse.REFUSES), new IllegalStateException("no"));
		assertThat(this.facts.totals().buried()).isEqualTo(1);
	}

	private void perform(OrderSnapshot snapshot) {
		try {
			this.worker.perform("42", List.of(snapshot));
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static OrderSnapshot snapshot(long version, String status) {
		return new OrderSnapshot(version, status, new BigDecimal("12.50"));
	}

}
