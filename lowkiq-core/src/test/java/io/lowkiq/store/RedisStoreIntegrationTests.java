package io.lowkiq.store;

import java.time.InstantSource;

import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/**
 * The storage on Redis keeps the contract, and answers as the one in memory does.
 */
class RedisStoreIntegrationTests extends StoreSuite {

	@Override
	TestedStore open(InstantSource source) {
		return TestedStore.onRedis(TestRedis.shared().connectionFactory(), source);
	}

	@RepeatedTest(5)
	void answersAsTheStorageInMemory() {
		compareWithMemory(true);
	}

	@Test
	void doesAsMemoryWithPushesOfMostApplications() {
		compareMostlyPlainWithMemory(true);
	}

	@Test
	void doesAsMemoryInADeepLine() {
		compareDeepLineWithMemory();
	}

	@Nested
	class HandOvers extends HandOverContract {

		@Override
		TestedStore open(InstantSource source) {
			return RedisStoreIntegrationTests.this.open(source);
		}

	}

}
