package io.lowkiq.test;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.LeaseRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A tester without Spring: 1,000 jobs with retries over 30 days, and workers that never
 * come to an end.
 */
class ThirtyDaysTests {

	private static final int JOBS = 1_000;

	private final Logger failures = (Logger) LoggerFactory.getLogger("io.lowkiq.engine.perform.FailureRule");

	private final TestClock clock = TestClock.standing();

	private final RedisStore store = InMemoryRedis.newStore(this.clock);

	@BeforeEach
	void logNoFailures() {
		this.failures.setLevel(Level.ERROR);
	}

	@AfterEach
	void logFailures() {
		this.failures.setLevel(null);
	}

	@RepeatedTest(3)
	void thousandJobsWithRetriesTakeThirtyDaysOfTheTestsTime() {
		// Done at the second or third attempt, but for ten that never are
		Worker<Integer> worker = new Worker<>() {

			private final int[] attempts = new int[JOBS];

			@Override
			public void perform(String id, List<Integer> numbers) {
				int number = numbers.get(0);
				if (number >= JOBS - 10 || this.attempts[number]++ < 1 + number % 2) {
					throw new IllegalStateException("not yet");
				}
			}

			@Override
			public Duration retryIn(int retryCount, Throwable error) {
				return Duration.ofDays(5);
			}

		};
		WorkerRegistry workers = registry(worker, 6);
		LowkiqTester tester = LowkiqTester.of(workers, this.store, this.clock);
		tester.start();
		LowkiqClient client = client(workers);
		long begin = System.nanoTime();
		long beginCpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
		client.enqueueAll("numbers", IntStream.range(0, JOBS).mapToObj((i) -> JobRequest.of("id" + i, i)).toList());
		long performs = tester.drainFor(Duration.ofDays(30));
		Duration took = Duration.ofNanos(System.nanoTime() - begin);
		Duration cpu = Duration.ofNanos(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - beginCpu);
		System.out.printf("%,d jobs, %,d performs over 30 days: %d ms, of which %d ms of CPU time%n", JOBS, performs,
				took.toMillis(), cpu.toMillis());
		assertThat(tester.counts("numbers")).isEqualTo(new PerformCounts(performs, 990, 495 + 495 * 2 + 10 * 7, 10));
		assertThat(tester.queue("numbers")).isEmpty();
		assertThat(tester.morgue("numbers")).hasSize(10);
	}

	@Test
	void workerThatEnqueuesItsOwnIdWithoutEndIsNamed() {
		LowkiqClient[] client = new LowkiqClient[1];
		Worker<Integer> worker = (id, numbers) -> client[0].enqueue("numbers", id, numbers.get(0));
		WorkerRegistry workers = registry(worker, 25);
		client[0] = client(workers);
		LowkiqTester tester = LowkiqTester.of(workers, this.store, this.clock);
		tester.start();
		client[0].enqueue("numbers", "42", 1);
		assertThatIllegalStateException().isThrownBy(tester::drain).withMessageContaining("'42'");
	}

	@Test
	void workerCanNotHaveJobsPerformedByTheTester() {
		LowkiqTester[] tester = new LowkiqTester[1];
		Worker<Integer> worker = (id, numbers) -> tester[0].drain();
		WorkerRegistry workers = registry(worker, 0);
		tester[0] = LowkiqTester.of(workers, this.store, this.clock);
		tester[0].start();
		client(workers).enqueue("numbers", "42", 1);
		tester[0].drain();
		assertThat(tester[0].morgue("numbers")).hasJob("42")
			.withErrorContaining("can't use the tester to perform jobs");
	}

	@Test
	void secondOwnerOfTheStoreIsRefused() {
		WorkerRegistry workers = registry((id, numbers) -> {
		}, 1);
		LowkiqTester.of(workers, this.store, this.clock).start();
		this.store.shards()
			.acquire(this.store.queues().find("numbers").orElseThrow().shard(0),
					LeaseRequest.afterLapse("other", "lowkiq-test-0"))
			.join();
		LowkiqTester second = LowkiqTester.of(workers, this.store, this.clock);
		assertThatIllegalStateException().isThrownBy(second::start).withMessageContaining("owner");
	}

	private static WorkerRegistry registry(Worker<Integer> worker, int maxRetryCount) {
		RegisteredWorker.Settings settings = new RegisteredWorker.Settings(5, 1, maxRetryCount, 1_000, 1, 0);
		return new WorkerRegistry(
				List.of(new RegisteredWorker("numbers", Worker.class, Integer.class, settings, () -> worker)));
	}

	private LowkiqClient client(WorkerRegistry workers) {
		return new ShardedLowkiqClient(workers, this.store.shards(), this.store.queues(), new JacksonPayloadCodec(),
				List.of(), LowkiqObserver.NONE);
	}

}
