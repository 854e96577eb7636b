package io.lowkiq.test.app;

import java.time.Duration;
import java.time.Instant;

import io.lowkiq.LowkiqClient;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.test.LowkiqMode;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.PerformCounts;
import io.lowkiq.test.autoconfigure.AutoConfigureLowkiq;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@SpringBootTest
@AutoConfigureLowkiq(mode = LowkiqMode.RUNNING)
class RunningModeTests {

	@Autowired
	private LowkiqTester lowkiq;

	@Autowired
	private LowkiqClient client;

	@Autowired
	private LowkiqServer server;

	@Autowired
	private OrderBook book;

	@Autowired
	private ShopFront front;

	@BeforeEach
	void clear() {
		this.book.clear();
	}

	@Test
	void threadsOfTheServerPerformTheJobs() {
		for (int i = 0; i < 100; i++) {
			this.front.order("order " + i);
		}
		this.lowkiq.drain();
		assertThat(this.book.orders).hasSize(100);
		assertThat(this.lowkiq.queue("orders")).isEmpty();
		assertThat(this.lowkiq.counts("orders")).isEqualTo(new PerformCounts(100, 100, 0, 0));
		assertThat(this.lowkiq.queue("mails")).isEmpty();
	}

	@Test
	void sessionAndLeasesLastWhileTimeIsMoved() {
		this.client.enqueue(OrderWorker.class, "42", new Order(1, "BROKEN"));
		this.lowkiq.drain();
		String session = this.server.status().session();
		this.lowkiq.advance(Duration.ofDays(5));
		this.lowkiq.drain();
		assertThat(this.book.deliveries).hasSize(1);
		assertThat(this.lowkiq.queue("orders")).hasJob("42").dueIn(Duration.ofDays(5));
		this.lowkiq.advance(Duration.ofDays(5));
		this.lowkiq.drain();
		assertThat(this.book.deliveries).hasSize(2);
		assertThat(this.server.status().session()).isEqualTo(session).isNotNull();
	}

	@Test
	void retriesOfWeeksArePerformedAtTheirTimes() {
		this.client.enqueue(OrderWorker.class, "42", new Order(1, "BROKEN"));
		this.lowkiq.drainFor(Duration.ofDays(31));
		// The first one may have run before the call
		assertThat(this.lowkiq.counts("orders").performs()).isEqualTo(4);
		assertThat(this.lowkiq.morgue("orders")).hasJob("42").withErrorContaining("refused");
	}

	@RepeatedTest(2)
	void storeIsEmptyAndTheClockIsRightAtTheBeginningOfEachTest() {
		assertThat(this.lowkiq.morgue("orders")).isEmpty();
		assertThat(this.lowkiq.queue("orders")).isEmpty();
		assertThat(this.lowkiq.now()).isBefore(Instant.now().plus(Duration.ofHours(1)));
		this.client.enqueue(OrderWorker.class, "42", new Order(1, "BROKEN"));
		this.lowkiq.drainFor(Duration.ofDays(31));
		assertThat(this.lowkiq.morgue("orders")).hasSize(1);
		this.client.enqueue(OrderWorker.class, "43", new Order(1, "NEW"));
	}

	@Test
	void singlePerformsAreForTheThreadsToBegin() {
		assertThatIllegalStateException().isThrownBy(this.lowkiq::performNext).withMessageContaining("use drain()");
	}

}
