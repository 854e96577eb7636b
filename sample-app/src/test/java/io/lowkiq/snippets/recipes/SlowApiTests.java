package io.lowkiq.snippets.recipes;

import java.time.Duration;
import java.util.stream.IntStream;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.test.LowkiqMode;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.autoconfigure.LowkiqTest;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two calls at a time, on however many threads, and none for a minute after a refusal.
 */
@LowkiqTest(workers = { Recipes.GeocodingWorker.class, Recipes.ReceiptWorker.class }, mode = LowkiqMode.RUNNING,
		properties = "lowkiq.server.threads=8")
@Import(Journal.class)
class SlowApiTests {

	@Autowired
	private LowkiqClient client;

	@Autowired
	private LowkiqTester lowkiq;

	@Autowired
	private Journal journal;

	@Test
	void slowApiIsProtected() {
		this.client.enqueueAll(Recipes.GeocodingWorker.class,
				IntStream.range(0, 50).mapToObj((id) -> JobRequest.of("a-" + id, "street " + id)).toList());
		await(() -> assertThat(this.journal.running()).isEqualTo(2));
		// Another queue gets a thread, so 48 addresses wait although threads are free
		this.client.enqueue(Recipes.ReceiptWorker.class, "42", "PAID");
		await(() -> assertThat(this.journal.lines()).containsExactly("receipt 42"));
		assertThat(this.journal.running()).isEqualTo(2);

		this.journal.endSlowCalls();
		this.lowkiq.drain();
		assertThat(this.journal.lines()).hasSize(51);
		assertThat(this.journal.mostRunning()).isEqualTo(2);

		this.journal.failing(true);
		this.client.enqueue(Recipes.GeocodingWorker.class, "b-1", "street");
		this.lowkiq.drain();
		assertThat(this.lowkiq.queue("geocoding")).hasJob("b-1").dueIn(Duration.ofSeconds(30), Duration.ofMinutes(1));
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(Duration.ofSeconds(20)).untilAsserted(assertion);
	}

}
