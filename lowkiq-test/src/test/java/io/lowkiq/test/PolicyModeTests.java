package io.lowkiq.test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.FailurePolicy;
import io.lowkiq.GatheringPolicy;
import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.RetryAfterException;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What a test sees of the policies of a worker. */
class PolicyModeTests {

	private final TestClock clock = TestClock.standing();

	private final RedisStore store = InMemoryRedis.newStore(this.clock);

	private LowkiqTester tester(WorkerRegistry workers) {
		LowkiqTester tester = LowkiqTester.of(workers, this.store, this.clock);
		tester.start();
		return tester;
	}

	private LowkiqClient client(WorkerRegistry workers) {
		return new ShardedLowkiqClient(workers, this.store.shards(), this.store.queues(), new JacksonPayloadCodec(),
				List.of(), LowkiqObserver.NONE);
	}

	private static WorkerRegistry registry(Worker<Integer> worker, RegisteredWorker.Settings settings) {
		return new WorkerRegistry(
				List.of(new RegisteredWorker("numbers", Worker.class, Integer.class, settings, () -> worker)));
	}

	@Test
	void idThatHadToRestInTheTestBeforeIsPerformedAtOnce() {
		WorkerRegistry workers = registry((id, numbers) -> {
		}, RegisteredWorker.Settings.DEFAULTS
			.with(new GatheringPolicy(Duration.ZERO, Duration.ZERO, Duration.ofHours(1), false, false, false)));
		LowkiqTester tester = tester(workers);
		LowkiqClient client = client(workers);
		client.enqueue("numbers", "42", 1);
		assertThat(tester.drain()).isEqualTo(1);
		client.enqueue("numbers", "42", 2);
		assertThat(tester.drain()).isZero();
		// The rest is over by the clock that was moved, but not by the one that is set
		tester.advance(Duration.ofHours(2));
		tester.reset();
		client.enqueue("numbers", "42", 3);
		assertThat(tester.drain()).isEqualTo(1);
	}

	/** As a partner that answers 429 to one order of a customer, and to no other. */
	@ParameterizedTest
	@ValueSource(ints = { 0, 19 })
	void jobThatAlwaysLetsItsGroupWaitIsDeadAfterItsRetries(int others) {
		WorkerRegistry workers = registry((id, numbers) -> {
			if (numbers.contains(0)) {
				throw new RetryAfterException(Duration.ofMinutes(1)).forGroup();
			}
		}, new RegisteredWorker.Settings(2, 1, 2, 1_000, 1, 0)
			.with(new GroupPolicy(":", 100, Map.of(), true, new Limits(1, null))));
		LowkiqTester tester = tester(workers);
		LowkiqClient client = client(workers);
		for (int number = 0; number <= others; number++) {
			client.enqueue("numbers", "acme:" + number, number);
		}
		assertThat(tester.drain()).isEqualTo(1);
		assertThat(tester.performNext()).isFalse();
		tester.reset();
		for (int number = 0; number <= others; number++) {
			client.enqueue("numbers", "acme:" + number, number);
		}
		tester.drain();
		assertThat(tester.drainFor(Duration.ofMinutes(1))).isEqualTo(others + 1);
		assertThat(tester.counts().done()).isEqualTo(others);
		tester.drainFor(Duration.ofDays(1));
		assertThat(tester.queue("numbers")).isEmpty();
		assertThat(tester.morgue("numbers")).hasJob("acme:0");
		assertThat(tester.counts().failed()).isEqualTo((others > 0) ? 11 : 12);
	}

	@Test
	void jobOnHoldIsCalledSo() {
		WorkerRegistry workers = registry((id, numbers) -> {
			throw new IllegalStateException("closed");
		}, new RegisteredWorker.Settings(1, 1, 0, 1_000, 1, 0)
			.with(new FailurePolicy(Set.of(), Set.of(), RetriesExhausted.HOLD)));
		LowkiqTester tester = tester(workers);
		client(workers).enqueue("numbers", "42", 1);
		tester.drainFor(Duration.ofDays(1));
		assertThat(tester.queue("numbers").find("42").orElseThrow().performAt()).isEqualTo(StoredJob.ON_HOLD);
		assertThat(tester.queue("numbers")).asString().contains("'42' on hold");
	}

}
