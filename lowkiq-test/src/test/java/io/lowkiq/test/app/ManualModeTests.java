package io.lowkiq.test.app;

import java.time.Duration;
import java.time.Instant;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.PerformCounts;
import io.lowkiq.test.autoconfigure.LowkiqTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@LowkiqTest
@Import(OrderBook.class)
class ManualModeTests {

	@Autowired
	private LowkiqTester lowkiq;

	@Autowired
	private LowkiqClient client;

	@Autowired
	private OrderBook book;

	@Autowired
	private MailWorker mails;

	@Autowired
	private TakenTimes takenTimes;

	@BeforeEach
	void clear() {
		this.book.clear();
		this.mails.batches.clear();
	}

	@Test
	void jobsWaitUntilTheyAreDrained() {
		this.client.enqueue(OrderWorker.class, "42", new Order(1, "NEW"));
		this.client.enqueue(OrderWorker.class, "42", new Order(2, "PAID"));
		assertThat(this.book.orders).isEmpty();
		assertThat(this.lowkiq.queue("orders")).hasJob("42")
			.isDue()
			.withPayloads(new Order(1, "NEW"), new Order(2, "PAID"))
			.withRetryCount(-1);
		assertThat(this.lowkiq.drain("orders")).isEqualTo(1);
		assertThat(this.book.deliveries).containsExactly("42[1, 2]");
		assertThat(this.lowkiq.queue("orders")).isEmpty();
		assertThat(this.lowkiq.queue("mails")).hasOnlyJobs("42");
		assertThat(this.lowkiq.drain()).isEqualTo(1);
		assertThat(this.mails.batches).hasSize(1);
		assertThat(this.lowkiq.counts()).isEqualTo(new PerformCounts(2, 2, 0, 0));
		assertThat(this.lowkiq.counts("mails")).isEqualTo(new PerformCounts(1, 1, 0, 0));
	}

	@Test
	void nextPerformIsOneIdOrABatch() {
		this.client.enqueue("mails", "a", "text");
		this.client.enqueue("mails", "b", "text");
		this.client.enqueue("mails", "c", "text");
		assertThat(this.lowkiq.performNext("orders")).isFalse();
		assertThat(this.lowkiq.performNext()).isTrue();
		assertThat(this.lowkiq.performNext("mails")).isTrue();
		assertThat(this.lowkiq.performNext()).isFalse();
		assertThat(this.mails.batches).hasToString("[[a, b], [c]]");
	}

	@Test
	void shardThatWasEnqueuedToFirstComesFirst() {
		for (String id : new String[] { "c", "a", "d", "b" }) {
			this.client.enqueue(OrderWorker.class, id, new Order(1, "NEW"));
		}
		this.lowkiq.performNext("orders");
		assertThat(this.book.deliveries).containsExactly("c[1]");
	}

	@Test
	void whatFailedWaitsForItsRetryAndGoesToTheMorgueInTheEnd() {
		this.client.enqueue(OrderWorker.class, "42", new Order(1, "BROKEN"));
		assertThat(this.lowkiq.drain()).isEqualTo(1);
		assertThat(this.lowkiq.queue("orders")).hasJob("42")
			.dueIn(Duration.ofDays(10))
			.withRetryCount(0)
			.withErrorContaining("Status BROKEN is refused");
		this.lowkiq.advance(Duration.ofDays(10).minusHours(1));
		assertThat(this.lowkiq.drain()).isZero();
		assertThat(this.lowkiq.queue("orders")).hasJob("42").dueIn(Duration.ofHours(1));
		assertThat(this.lowkiq.drainFor(Duration.ofDays(30))).isEqualTo(3);
		assertThat(this.lowkiq.queue("orders")).isEmpty();
		assertThat(this.lowkiq.morgue("orders")).hasSize(1)
			.hasJob("42")
			.withPayloads(new Order(1, "BROKEN"))
			.withErrorContaining("refused");
		assertThat(this.lowkiq.counts("orders")).isEqualTo(new PerformCounts(4, 0, 4, 1));
	}

	@Test
	void delayedJobIsPerformedWhenItsTimeHasCome() {
		this.client.enqueue(OrderWorker.class, JobRequest.of("42", new Order(1, "NEW")).performIn(Duration.ofHours(1)));
		Instant due = this.lowkiq.now().plus(Duration.ofHours(1));
		assertThat(this.lowkiq.queue("orders")).hasJob("42").dueIn(Duration.ofHours(1)).dueAt(due);
		this.lowkiq.advance(Duration.ofMinutes(59));
		assertThat(this.lowkiq.drain()).isZero();
		this.lowkiq.advance(Duration.ofMinutes(1));
		assertThat(this.lowkiq.drain("orders")).isEqualTo(1);
	}

	@Test
	void timeByTheSystemsClockIsDueAfterTheSameDuration() {
		this.client.enqueue(OrderWorker.class,
				JobRequest.of("42", new Order(1, "NEW")).performAt(Instant.now().plus(Duration.ofHours(1))));
		this.lowkiq.advance(Duration.ofHours(1));
		assertThat(this.lowkiq.drain("orders")).isEqualTo(1);
	}

	@RepeatedTest(2)
	void storeIsEmptyAndTheClockIsRightAtTheBeginningOfEachTest() {
		assertThat(this.lowkiq.queue("orders")).isEmpty();
		assertThat(this.lowkiq.morgue("orders")).isEmpty();
		assertThat(this.lowkiq.counts()).isEqualTo(new PerformCounts(0, 0, 0, 0));
		assertThat(this.lowkiq.clock().instant()).isEqualTo(this.lowkiq.now())
			.isBetween(Instant.now().minus(Duration.ofHours(1)), Instant.now());
		this.client.enqueue(OrderWorker.class, "42", new Order(1, "BROKEN"));
		this.client.enqueue(OrderWorker.class, "43", new Order(1, "NEW"));
		this.lowkiq.drainFor(Duration.ofDays(100));
		assertThat(this.lowkiq.morgue("orders")).hasSize(1);
		this.client.enqueue(OrderWorker.class, "44", new Order(1, "NEW"));
	}

	@Test
	void interceptorsAreThereAndTheRestOfTheApplicationIsNot(@Autowired ApplicationContext context) {
		int before = this.takenTimes.performs.get();
		this.client.enqueue("mails", "a", "text");
		this.lowkiq.drain();
		assertThat(this.takenTimes.performs).hasValue(before + 1);
		assertThat(context.getBeanNamesForType(RedisConnectionFactory.class)).isEmpty();
		assertThat(context.containsBean("shopFront")).isFalse();
	}

	@Test
	void unknownQueueIsRefusedByName() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.lowkiq.queue("order"))
			.withMessage("There is no queue 'order'; the queues are [mails, orders]");
		assertThatIllegalArgumentException().isThrownBy(() -> this.lowkiq.drain("order"));
	}

	@Test
	void queueOfAnotherApplicationCanBeEnqueuedTo() {
		this.lowkiq.registerQueue("invoices", 4);
		this.client.enqueue("invoices", "42", new Order(1, "NEW"));
		this.lowkiq.drain();
		assertThat(this.lowkiq.queue("invoices")).hasJob("42").withPayloads("{\"status\":\"NEW\",\"version\":1}");
	}

	@Test
	void timeCanNotGoBack() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.lowkiq.advance(Duration.ofSeconds(-1)));
		assertThatIllegalArgumentException().isThrownBy(() -> this.lowkiq.drainFor(Duration.ofSeconds(-1)));
	}

}
