package io.lowkiq.test;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.lowkiq.FailurePolicy;
import io.lowkiq.GatheringPolicy;
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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a test sees of the policies of a worker.
 */
class PolicyModeTests {

	private final TestClock clock = TestClock.standing();

	private final RedisStore store = InMemoryRedis.newStore(this.clock);

	private LowkiqTester tester(WorkerRegistry workers) {
		LowkiqTester tester = LowkiqTester.builder(workers, this.store, this.clock).build();
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
