package io.lowkiq.benchmarks.child;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How much Redis is used for a job: the shape of the work, which doesn't depend on the
 * machine's speed as the time does.
 */
class RedisUseIntegrationTests {

	/** Mostly the names of the fourteen keys that each script of a shard declares. */
	private static final int BYTES_OF_A_CALL = 650;

	private final LongAdder performed = new LongAdder();

	private final RedisProcess redis = TestRedis.startPrivate();

	private final LettuceConnectionFactory connectionFactory = TestRedis.connectionFactory(this.redis.url());

	private Application application = application();

	@BeforeEach
	void sendScripts() {
		this.application.client().enqueue(this.application.queue(0), "first", "first");
		this.application.start();
		awaitPerformed(1);
		this.application.stop();
		this.performed.reset();
	}

	@AfterEach
	void end() {
		this.application.close();
		this.connectionFactory.destroy();
		this.redis.close();
	}

	@Test
	void enqueueIsOneCall() {
		RedisUse before = use();
		IntStream.range(0, 100).forEach(this::enqueueOne);
		RedisUse used = use().since(before);
		assertThat(used.calls()).isEqualTo(100);
		assertThat(used.commands()).isLessThanOrEqualTo(100 * 8);
		assertThat(used.bytesIn()).isLessThan(100 * BYTES_OF_A_CALL);
	}

	@Test
	void bulkEnqueueIsOneCallForAThousandJobsOfAShard() {
		RedisUse before = use();
		Jobs.enqueue(this.application, 0, 20_000, Integer::toString);
		RedisUse used = use().since(before);
		assertThat(used.calls()).isBetween(20L, 25L);
		assertThat(used.commands()).isLessThanOrEqualTo(25 * 8);
		assertThat(used.bytesIn()).isLessThan(20_000 * 42);
	}

	@Test
	void keysDoNotGrowWithTheJobs() {
		Jobs.enqueue(this.application, 0, 1_000, Integer::toString);
		RedisUse before = use();
		Jobs.enqueue(this.application, 1_000, 11_000, Integer::toString);
		assertThat(use().since(before).keys()).isZero();
		assertThat(use().keys()).isLessThanOrEqualTo(5 * 4 + 5);
	}

	@Test
	void jobsPerformedShareTheirCalls() {
		this.application.close();
		this.application = application("standing-clock=true");
		Jobs.enqueue(this.application, 0, 20_000, Integer::toString);
		RedisUse before = use();
		this.application.start();
		awaitPerformed(20_000);
		this.application.stop();
		RedisUse used = use().since(before);
		assertThat(used.calls()).isLessThan(20_000 / 20);
		assertThat(used.commands()).isLessThan(20_000 * 3 / 5);
		assertThat(used.bytesIn()).isLessThan(20_000 * 45);
	}

	@Test
	void finishAndNextFetchAreOneCall() {
		this.application.close();
		this.application = application("fetch-ahead=1", "standing-clock=true");
		Jobs.enqueue(this.application, 0, 1_000, Integer::toString);
		RedisUse before = use();
		this.application.start();
		awaitPerformed(1_000);
		this.application.stop();
		RedisUse used = use().since(before);
		assertThat(used.calls()).isLessThan(1_100);
		assertThat(used.commands()).isLessThan(1_100 * 16);
		assertThat(used.bytesIn()).isLessThan(1_100 * BYTES_OF_A_CALL);
	}

	@Test
	void jobOfAnIdleQueueIsThreeCalls() {
		this.application.close();
		// However long it takes, there are few heartbeats
		this.application = application("lease-seconds=600");
		this.application.start();
		enqueueOne(0);
		awaitPerformed(1);
		RedisUse before = use();
		for (int i = 1; i <= 50; i++) {
			enqueueOne(i);
			awaitPerformed(i + 1);
		}
		RedisUse used = use().since(before);
		assertThat(used.calls()).isLessThan(50 * 7 / 2);
	}

	private Application application(String... parameters) {
		String[] all = new String[parameters.length + 1];
		System.arraycopy(parameters, 0, all, 1, parameters.length);
		all[0] = "redis=" + this.redis.url();
		return new Application(Parameters.of(all), (id, payloads) -> this.performed.increment());
	}

	private RedisUse use() {
		return RedisUse.of(this.connectionFactory);
	}

	private void enqueueOne(int number) {
		String id = Integer.toString(number);
		this.application.client().enqueue(this.application.queue(0), id, id);
	}

	private void awaitPerformed(long count) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(5))
			.until(() -> this.performed.sum() >= count);
	}

}
