package io.lowkiq.store;

import java.time.InstantSource;

import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of the clock on Redis, with many due jobs. */
class RedisClockIntegrationTests extends ClockContract implements StoreSource {

	@Override
	public TestedStore open(InstantSource source) {
		return RedisStoreIntegrationTests.open(TestRedis.shared().connectionFactory(), TestRedis.uniquePrefix(),
				source);
	}

	@Override
	int dueJobs() {
		return 8_000;
	}

	@ParameterizedTest
	@ValueSource(ints = { 500, 40_000 })
	void whatComesKeepsItsDelayHoweverManyJobsAreDue(int count) {
		keepsItsDelay(count, FirstCall.FETCH);
	}

}
