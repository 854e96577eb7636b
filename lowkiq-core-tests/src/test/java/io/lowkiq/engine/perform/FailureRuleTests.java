package io.lowkiq.engine.perform;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

import io.lowkiq.FailurePolicy;
import io.lowkiq.JobErrorHandler.Decision;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.Worker;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.Payload;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FailureRuleTests {

	private final ServedQueue queue = new ServedQueue(new RegisteredWorker("orders", Worker.class, String.class,
			new RegisteredWorker.Settings(1, 10, 3, 1_000, 1, 0)
				.with(new FailurePolicy(Set.of(ArithmeticException.class), Set.of(), RetriesExhausted.BURY_OLDEST)),
			() -> (Worker<String>) (id, payloads) -> {
			}), 100);

	private final FailureRule rule = new FailureRule(List.of((failure) -> Decision.discard()),
			new FailureText(new StackTraceErrorFormatter(), "node", InstantSource.system()), new FailureLog(() -> 0),
			() -> 0);

	/** Anything may be thrown when the memory or the stack is used up. */
	@Test
	void thePolicyOfTheQueueDecidesIfAFailureCanNotBeHandedToTheErrorHandlers() {
		ReadableJob job = new ReadableJob(
				new FetchedJob("a", 0, -1, 0, null, List.of(new Payload("x".getBytes(StandardCharsets.UTF_8), 1))),
				List.of("x"), List.of(), null);
		assertThat(this.rule.decide(this.queue, job, List.of(0), new ArithmeticException()))
			.isEqualTo(Decision.discard());
		assertThat(this.rule.decide(this.queue, job, List.of(1), new ArithmeticException()))
			.as("There is no such payload")
			.isEqualTo(Decision.bury());
	}

}
