package io.lowkiq.test.app;

import java.time.Duration;
import java.util.List;

import io.lowkiq.LowkiqClient;
import io.lowkiq.PerformedJob;
import io.lowkiq.PerformedJob.Result;
import io.lowkiq.test.LowkiqMode;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.autoconfigure.AutoConfigureLowkiq;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

class PerformedJobsTests {

	abstract static class Modes {

		@Autowired
		private LowkiqTester lowkiq;

		@Autowired
		private LowkiqClient client;

		@Test
		void showsIdsPayloadsAndResultsInOrder() {
			this.client.enqueue(OrderWorker.class, "42", new Order(1, "NEW"));
			this.lowkiq.drain();
			this.client.enqueue(OrderWorker.class, "43", new Order(1, "BROKEN"));
			this.lowkiq.drainFor(Duration.ofDays(31));
			this.client.enqueue(OrderWorker.class, "42", new Order(2, "PAID"));
			this.lowkiq.drain();
			assertThat(this.lowkiq.performed("orders"))
				.extracting(PerformedJob::id, PerformedJob::payloads, PerformedJob::result)
				.containsExactly(tuple("42", List.of(new Order(1, "NEW")), Result.DONE),
						tuple("43", List.of(new Order(1, "BROKEN")), Result.RETRIED),
						tuple("43", List.of(new Order(1, "BROKEN")), Result.RETRIED),
						tuple("43", List.of(new Order(1, "BROKEN")), Result.RETRIED),
						tuple("43", List.of(new Order(1, "BROKEN")), Result.BURIED),
						tuple("42", List.of(new Order(2, "PAID")), Result.DONE));
			assertThat(this.lowkiq.performed("orders").get(1).error()).hasMessageContaining("refused");
			assertThat(this.lowkiq.performed("mails")).hasSize(2);
			this.lowkiq.reset();
			assertThat(this.lowkiq.performed("orders")).isEmpty();
		}

		@Test
		void unknownQueueIsRefused() {
			assertThatIllegalArgumentException().isThrownBy(() -> this.lowkiq.performed("ordres"));
		}

	}

	@Nested
	@SpringBootTest
	@AutoConfigureLowkiq(mode = LowkiqMode.MANUAL)
	class Manual extends Modes {

	}

	@Nested
	@SpringBootTest
	@AutoConfigureLowkiq(mode = LowkiqMode.RUNNING)
	class Running extends Modes {

	}

}
