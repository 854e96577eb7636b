package io.lowkiq.sample.orders;

import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.lowkiq.test.TestBatch;
import io.lowkiq.test.probe.WorkerProbe;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests of {@link OrderTable}, {@link OrderFacts} and {@link OrderIndexer}. */
@SpringJUnitConfig({ SampleDatabase.class, OrderIndexer.class })
class OrderDatabaseTests {

	@Autowired
	private OrderTable orders;

	@Autowired
	private OrderFacts facts;

	@Autowired
	private OrderIndexer indexer;

	@Autowired
	private JdbcClient jdbc;

	@Autowired
	private JdbcTemplate template;

	@Autowired
	private TransactionTemplate transaction;

	@BeforeEach
	void empty() {
		for (String table : List.of("orders", "order_facts", "order_index")) {
			this.jdbc.sql("delete from " + table).update();
		}
	}

	@Test
	void firstWriteInsertsAndTheNextUpdates() {
		assertThat(this.orders.version("42")).isEmpty();
		assertThat(this.orders.write("42", snapshot(7, "PAID"), 1)).isFalse();
		assertThat(this.orders.version("42")).hasValue(7);
		assertThat(this.orders.write("42", snapshot(8, "SENT"), 1)).isFalse();
		assertThat(this.orders.version("42")).hasValue(8);
	}

	@Test
	void rowThatGoesBackIsTold() {
		this.orders.write("42", snapshot(7, "PAID"), 1);
		assertThat(this.orders.write("42", snapshot(7, "PAID"), 1)).isFalse();
		assertThat(this.orders.write("42", snapshot(6, "NEW"), 1)).isTrue();
		assertThat(this.orders.version("42")).hasValue(6);
	}

	@Test
	void writerWithAnOldTokenIsTurnedAway() {
		this.orders.write("42", snapshot(7, "PAID"), 5);
		assertThatExceptionOfType(FencedException.class)
			.isThrownBy(() -> this.orders.write("42", snapshot(8, "SENT"), 4));
		assertThat(this.orders.version("42")).hasValue(7);
	}

	@Test
	void orderIsShownWithWhatWasSeen() {
		this.facts.received("42");
		this.facts.received("42");
		this.facts.received("42");
		assertThat(this.facts.find("42")).isEmpty();
		this.facts.begin("42", 3);
		this.facts.failed("42", 3, false);
		this.facts.begin("42", 3);
		this.orders.write("42", snapshot(7, "PAID"), 3);
		this.facts.performed("42", 3, 2, false, false);
		assertThat(this.facts.find("42")).hasValueSatisfying((order) -> {
			assertThat(order.version()).isEqualTo(7);
			assertThat(order.status()).isEqualTo("PAID");
			assertThat(order.amount()).isEqualByComparingTo("12.50");
			assertThat(order.fencingToken()).isEqualTo(3);
			assertThat(order.received()).isEqualTo(3);
			assertThat(order.performed()).isEqualTo(1);
			assertThat(order.merged()).isEqualTo(2);
			assertThat(order.failed()).isEqualTo(1);
			assertThat(order.overlaps()).isZero();
		});
	}

	@Test
	void totalsAreSums() {
		assertThat(this.facts.totals()).isEqualTo(new OrderTotals(0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
		for (String id : List.of("1", "2")) {
			this.facts.received(id);
			this.facts.begin(id, 1);
			this.facts.performed(id, 1, 3, true, false);
			this.facts.buried(id);
			this.facts.overlapped(id);
			this.facts.disordered(id);
			this.facts.regressed(id);
		}
		assertThat(this.facts.totals()).isEqualTo(new OrderTotals(2, 2, 6, 2, 0, 2, 0, 2, 2, 2));
	}

	@Test
	void performsOneAfterTheOtherDoNotOverlap() {
		this.facts.begin("42", 1);
		this.facts.performed("42", 1, 0, false, false);
		otherRun().begin("42", 1);
		assertThat(this.facts.totals().overlaps()).isZero();
	}

	@Test
	void claimOfAnotherRunUnderTheSameTokenIsAnOverlap() {
		otherRun().begin("42", 1);
		this.facts.begin("42", 1);
		assertThat(this.facts.totals().overlaps()).isEqualTo(1);
	}

	@Test
	void claimThatADeadRunLeftIsNoOverlap() {
		otherRun().begin("42", 1);
		this.facts.begin("42", 2);
		this.facts.performed("42", 2, 0, false, false);
		assertThat(this.facts.totals().overlaps()).isZero();
	}

	@Test
	void newerOwnerWhileTheLeaseHoldsIsAnOverlap() {
		this.facts.begin("42", 1);
		otherRun().begin("42", 2);
		this.facts.performed("42", 1, 0, false, false);
		assertThat(this.facts.totals().overlaps()).isEqualTo(1);
	}

	@Test
	void newerOwnerAfterTheLeaseWasLostIsFenced() {
		this.facts.begin("42", 1);
		otherRun().begin("42", 2);
		this.facts.failed("42", 1, true);
		assertThat(this.facts.totals().overlaps()).isZero();
		assertThat(this.facts.totals().fenced()).isEqualTo(1);
		assertThatExceptionOfType(FencedException.class).isThrownBy(() -> this.facts.begin("42", 1));
		assertThat(this.facts.totals().fenced()).isEqualTo(2);
	}

	@Test
	void countsOfManyThreadsAddUp() {
		List<CompletableFuture<Void>> threads = IntStream.range(0, 4)
			.mapToObj((thread) -> CompletableFuture.runAsync(() -> {
				for (int i = 0; i < 25; i++) {
					this.facts.received("order-" + i);
				}
			}))
			.toList();
		CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).join();
		assertThat(this.facts.totals().received()).isEqualTo(100);
	}

	@Test
	void indexKeepsTheNewestVersion() {
		this.indexer.perform(TestBatch.<IndexEntry>builder()
			.job("1", new IndexEntry(1, "NEW"), new IndexEntry(2, "PAID"))
			.job("2", new IndexEntry(1, "NEW"))
			.build());
		this.indexer.perform(TestBatch.<IndexEntry>builder()
			.job("1", new IndexEntry(1, "NEW"))
			.job("2", new IndexEntry(3, "SENT"))
			.build());
		assertThat(status("1")).isEqualTo("PAID");
		assertThat(status("2")).isEqualTo("SENT");
	}

	@Test
	void indexEndsTheSameHoweverItIsPerformed() {
		WorkerProbe<IndexEntry> probe = new WorkerProbe<>();
		JdbcOperations template = probe.cutOffAt(JdbcOperations.class, this.template);
		probe.worker(() -> new OrderIndexer(template))
			.payloads("42", new IndexEntry(1, "NEW"), new IndexEntry(2, "PAID"), new IndexEntry(3, "SENT"))
			.state(() -> this.template.queryForList("select id, version, status from order_index"))
			.reset(() -> this.template.update("delete from order_index"));
		probe.check();
	}

	private OrderFacts otherRun() {
		return new OrderFacts(this.jdbc, this.transaction);
	}

	private String status(String id) {
		return this.jdbc.sql("select status from order_index where id = ?").param(id).query(String.class).single();
	}

	private static OrderSnapshot snapshot(long version, String status) {
		return new OrderSnapshot(version, status, new BigDecimal("12.50"));
	}

}
