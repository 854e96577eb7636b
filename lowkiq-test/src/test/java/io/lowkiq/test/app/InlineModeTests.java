package io.lowkiq.test.app;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.test.LowkiqMode;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.PerformCounts;
import io.lowkiq.test.autoconfigure.LowkiqTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

@LowkiqTest(mode = LowkiqMode.INLINE)
@Import(OrderBook.class)
class InlineModeTests {

	@Autowired
	private LowkiqTester lowkiq;

	@Autowired
	private LowkiqClient client;

	@Autowired
	private OrderBook book;

	@BeforeEach
	void clear() {
		this.book.clear();
	}

	@Test
	void jobIsPerformedBeforeTheEnqueueReturns() {
		this.client.enqueue(OrderWorker.class, "42", new Order(1, "NEW"));
		assertThat(this.book.orders).containsEntry("42", new Order(1, "NEW"));
		assertThat(this.lowkiq.queue("orders")).isEmpty();
	}

	@Test
	void jobThatAWorkerEnqueuesIsPerformedAfterIt() {
		this.client.enqueue(OrderWorker.class, "42", new Order(1, "NEW"));
		assertThat(this.lowkiq.queue("mails")).isEmpty();
		assertThat(this.lowkiq.counts("mails")).isEqualTo(new PerformCounts(1, 1, 0, 0));
	}

	@Test
	void manyJobsArePerformedTogether() {
		List<JobRequest<Order>> requests = Stream.of(1, 2, 3)
			.map((version) -> JobRequest.of("42", new Order(version, "NEW")))
			.toList();
		this.client.enqueueAll(OrderWorker.class, requests);
		assertThat(this.book.deliveries).containsExactly("42[1, 2, 3]");
	}

	@Test
	void failureIsDelayedAndPerformedAsTimePasses() {
		this.client.enqueue(OrderWorker.class, "42", new Order(1, "BROKEN"));
		assertThat(this.lowkiq.queue("orders")).hasJob("42").dueIn(Duration.ofDays(10)).withRetryCount(0);
		this.client.enqueue(OrderWorker.class, "42", new Order(2, "BROKEN"));
		assertThat(this.book.deliveries).containsExactly("42[1]");
		this.lowkiq.advance(Duration.ofDays(11));
		assertThat(this.book.deliveries).containsExactly("42[1]", "42[1, 2]");
		this.book.refused = "";
		this.lowkiq.advance(Duration.ofDays(10));
		assertThat(this.book.orders).containsEntry("42", new Order(2, "BROKEN"));
	}

	@Test
	void delayedJobIsPerformedAtItsTime() {
		this.client.enqueue(OrderWorker.class, JobRequest.of("42", new Order(1, "NEW")).performIn(Duration.ofHours(1)));
		assertThat(this.book.orders).isEmpty();
		this.lowkiq.advance(Duration.ofHours(1));
		assertThat(this.book.orders).containsKey("42");
	}

	@Test
	void otherThreadsWaitForTheirOwnJobs() throws InterruptedException {
		List<Thread> threads = Stream.of("a", "b", "c", "d").map((id) -> new Thread(() -> {
			for (int version = 1; version <= 50; version++) {
				this.client.enqueue(OrderWorker.class, id, new Order(version, "NEW"));
			}
		})).toList();
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(this.book.orders).hasSize(4).allSatisfy((id, order) -> assertThat(order.version()).isEqualTo(50));
		assertThat(this.lowkiq.queue("orders")).isEmpty();
	}

}
