package io.lowkiq.snippets;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.PerformContext;
import io.lowkiq.Worker;
import io.lowkiq.test.LowkiqMode;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.TestBatch;
import io.lowkiq.test.TestPerformContext;
import io.lowkiq.test.autoconfigure.AutoConfigureLowkiq;
import io.lowkiq.test.autoconfigure.LowkiqTest;
import io.lowkiq.test.probe.WorkerProbe;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willThrow;

class Testing {

	// tag::tested-worker[]
	public interface Orders {

		/** Writes an order, unless the row was written under a newer token. */
		boolean write(String id, OrderSnapshot order, long token);

	}

	public record OrderSnapshot(long version, String status) {
	}

	@LowkiqWorker(queue = "orders", maxRetryCount = 5)
	record OrderWorker(Orders orders, PerformContext context) implements Worker<OrderSnapshot> {

		@Override
		public void perform(String id, List<OrderSnapshot> snapshots) {
			OrderSnapshot newest = snapshots.get(snapshots.size() - 1);
			this.orders.write(id, newest, this.context.fencingToken());
		}

		@Override
		public Duration retryIn(int retryCount, Throwable error) {
			return Duration.ofDays(1);
		}

	}
	// end::tested-worker[]

	// tag::test-manual[]
	@LowkiqTest
	class OrderWorkerTests {

		@Autowired
		private LowkiqClient client;

		@Autowired
		private LowkiqTester lowkiq;

		@MockitoBean
		private Orders orders;

		@Test
		void changesThatWaitTogetherAreWrittenOnce() {
			this.client.enqueue(OrderWorker.class, JobRequest.of("42", new OrderSnapshot(2, "PAID")).score(2));
			this.client.enqueue(OrderWorker.class, JobRequest.of("42", new OrderSnapshot(1, "NEW")).score(1));
			assertThat(this.lowkiq.queue("orders")).hasJob("42")
				.withPayloads(new OrderSnapshot(1, "NEW"), new OrderSnapshot(2, "PAID"))
				.isDue();

			this.lowkiq.drain();

			assertThat(this.lowkiq.counts("orders").performs()).isEqualTo(1);
			assertThat(this.lowkiq.queue("orders")).isEmpty();
		}

		@Test
		void orderThatCanNotBeWrittenGoesToTheMorgue() {
			willThrow(new IllegalStateException("no database")).given(this.orders).write(any(), any(), anyLong());
			this.client.enqueue(OrderWorker.class, "42", new OrderSnapshot(1, "NEW"));

			this.lowkiq.drain();
			assertThat(this.lowkiq.queue("orders")).hasJob("42")
				.withRetryCount(0)
				.withErrorContaining("no database")
				.dueIn(Duration.ofDays(1));

			this.lowkiq.drainFor(Duration.ofDays(30));
			assertThat(this.lowkiq.queue("orders")).isEmpty();
			assertThat(this.lowkiq.morgue("orders")).hasJob("42").withPayloads(new OrderSnapshot(1, "NEW"));
		}

	}
	// end::test-manual[]

	static class Shop {

		void order(String id) {
		}

	}

	// tag::test-inline[]
	@SpringBootTest
	@AutoConfigureLowkiq(mode = LowkiqMode.INLINE)
	class ShopTests {

		@Autowired
		private Shop shop;

		@MockitoBean
		private Orders orders;

		@Test
		void orderIsWritten() {
			this.shop.order("42"); // enqueues, and the job is performed before it returns
			then(this.orders).should().write(eq("42"), eq(new OrderSnapshot(1, "NEW")), anyLong());
		}

	}
	// end::test-inline[]

	static class OrderIndexer implements BatchWorker<OrderSnapshot> {

		@Override
		public void perform(Batch<OrderSnapshot> batch) {
		}

	}

	class PlainTests {

		private final Orders orders = (id, order, token) -> true;

		// tag::test-plain[]
		@Test
		void orderIsWrittenUnderTheToken() {
			PerformContext context = new TestPerformContext().fencingToken(7).retryCount(2);
			new OrderWorker(this.orders, context).perform("42", List.of(new OrderSnapshot(1, "NEW")));
		}

		@Test
		void allOrdersAreIndexed() {
			TestBatch<OrderSnapshot> batch = TestBatch.<OrderSnapshot>builder()
				.job("42", new OrderSnapshot(1, "NEW"), new OrderSnapshot(2, "PAID"))
				.job("43", new OrderSnapshot(1, "NEW"))
				.build();
			TestBatch.Result result = batch.performedBy(new OrderIndexer());
			assertThat(result.done()).containsExactly("42", "43");
			assertThat(result.failed()).isEmpty();
		}
		// end::test-plain[]

	}

	class OrderTable implements Orders {

		record Row(OrderSnapshot order, long token) {
		}

		private final Map<String, Row> rows = new TreeMap<>();

		@Override
		public synchronized boolean write(String id, OrderSnapshot order, long token) {
			Row row = this.rows.get(id);
			boolean allowed = row == null || row.token() <= token;
			if (allowed) {
				this.rows.put(id, new Row(order, token));
			}
			return allowed;
		}

		synchronized List<OrderSnapshot> orders() {
			return this.rows.values().stream().map(Row::order).toList();
		}

		synchronized void clear() {
			this.rows.clear();
		}

	}

	class ProbeTests {

		// tag::probe[]
		@Test
		void orderEndsTheSameHoweverItIsPerformed() {
			OrderTable table = new OrderTable();
			WorkerProbe<OrderSnapshot> probe = new WorkerProbe<>();
			Orders orders = probe.cutOffAt(Orders.class, table);
			probe.worker(() -> new OrderWorker(orders, probe.context()))
				.payloads("42", new OrderSnapshot(1, "NEW"), new OrderSnapshot(2, "PAID"), new OrderSnapshot(3, "SENT"))
				.state(table::orders)
				.reset(table::clear);
			probe.check();
		}
		// end::probe[]

	}

}
