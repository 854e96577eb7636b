package io.lowkiq.snippets.recipes;

import java.time.Duration;
import java.util.stream.IntStream;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.autoconfigure.LowkiqTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the recipes promise. Each method is named on the page. The nightly report, which
 * has a test of its own, is switched off.
 */
@LowkiqTest(properties = { "lowkiq.workers.reports.schedules.nightly.cron=-", "lowkiq.workers.sync.shards=1" })
@Import(Journal.class)
class RecipesTests {

	@Autowired
	private LowkiqClient client;

	@Autowired
	private LowkiqAdmin admin;

	@Autowired
	private LowkiqTester lowkiq;

	@Autowired
	private Journal journal;

	@AfterEach
	void clear() {
		this.journal.clear();
	}

	@Test
	void newestWins() {
		for (long version : new long[] { 2, 3, 1 }) {
			Recipes.enqueueVersion(this.client, "p-1", new Recipes.Product(version, "chair"));
		}
		this.lowkiq.drain();
		assertThat(this.journal.lines()).containsExactly("p-1 v3");
	}

	@Test
	void everyChangeInOrder() {
		this.journal.failing(true);
		book(2);
		this.lowkiq.drain();
		book(3);
		book(1);
		this.journal.failing(false);
		this.lowkiq.drainFor(Duration.ofMinutes(1));
		assertThat(this.journal.lines()).containsExactly("a-1 #1", "a-1 #2", "a-1 #3");
	}

	private void book(long number) {
		this.client.enqueue(Recipes.AccountWorker.class,
				JobRequest.of("a-1", new Recipes.Booking(number, 100)).score(number));
	}

	@Test
	void atMostEveryFiveSeconds() {
		report("km 0");
		this.lowkiq.drain();
		for (int km = 1; km <= 4; km++) {
			report("km " + km);
			this.lowkiq.drain();
		}
		assertThat(this.journal.lines()).containsExactly("truck-1 at km 0");

		this.lowkiq.drainFor(Duration.ofSeconds(5));
		assertThat(this.journal.lines()).containsExactly("truck-1 at km 0", "truck-1 at km 4");
	}

	private void report(String position) {
		this.client.enqueue(Recipes.PositionWorker.class, "truck-1", position);
	}

	@Test
	void stepAfterStep() {
		this.journal.failing(true);
		this.client.enqueue(Recipes.PaymentWorker.class, "42", 1_000L);
		this.lowkiq.drain();
		assertThat(this.lowkiq.queue("shipments")).isEmpty();
		this.journal.failing(false);
		this.lowkiq.drainFor(Duration.ofMinutes(1));
		assertThat(this.journal.lines()).containsExactly("charge 42 1000", "ship 42 standard");
	}

	@Test
	void stopAfterThreeTriesAndAskAPerson() {
		this.journal.failing(true);
		this.client.enqueue(Recipes.RefundWorker.class, "42", 500L);
		this.lowkiq.drainFor(Duration.ofDays(1));
		assertThat(this.lowkiq.counts("refunds").performs()).isEqualTo(3);
		this.client.enqueue(Recipes.RefundWorker.class, "42", 700L);
		this.journal.failing(false);
		this.lowkiq.drainFor(Duration.ofDays(1));
		assertThat(this.journal.lines()).isEmpty();

		Recipes.afterTheFix(this.admin);
		this.lowkiq.drain();
		assertThat(this.journal.lines()).containsExactly("charge 42 -500", "charge 42 -700");
	}

	@Test
	void hundredAtOnce() {
		this.client.enqueueAll(Recipes.ArchiveWorker.class,
				IntStream.range(0, 1_000).mapToObj((id) -> JobRequest.of("e-" + id, "event")).toList());
		this.lowkiq.drain();
		assertThat(this.journal.lines()).hasSizeLessThanOrEqualTo(15).contains("insert 100");
	}

	@Test
	void smallCustomerIsNext() {
		Recipes.enqueueForTwoCustomers(this.client);
		this.lowkiq.drain();
		assertThat(this.journal.lines()).hasSize(1_001);
		assertThat(this.journal.lines().indexOf("sync small:1")).isLessThan(5);
	}

	@Test
	void customerIsErased() {
		this.journal.failing(true);
		this.client.enqueue(Recipes.CustomerWorker.class, "c-17", "moved to Bonn");
		this.lowkiq.drain();
		assertThat(this.lowkiq.queue("customers")).hasJob("c-17").withErrorContaining("out of order");
		assertThat(Recipes.erase(this.admin)).isTrue();
		assertThat(this.lowkiq.queue("customers")).isEmpty();
		assertThat(this.admin.find("customers", "c-17").jobs()).isEmpty();
	}

	@Test
	void queueIsMoved() {
		this.client.enqueue(Recipes.InvoiceMover.class, JobRequest.of("i-1", 1L).score(1));
		this.client.enqueue(Recipes.InvoiceMover.class, JobRequest.of("i-1", 2L).score(2));
		this.lowkiq.drain();
		assertThat(this.lowkiq.queue("invoices")).isEmpty();
		assertThat(this.journal.lines()).containsExactly("invoice i-1 [1, 2]");
	}

}
