package io.lowkiq.store;

import java.time.InstantSource;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.RandomRun.Payloads;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The storage on Redis keeps the contract, and answers as the one in memory does. */
class RedisStoreIntegrationTests extends StoreSuite {

	@Override
	public TestedStore open(InstantSource source) {
		return open(TestRedis.shared().connectionFactory(), TestRedis.uniquePrefix(), source);
	}

	/** A storage on Redis, where no other test is. Ends with the connections. */
	static TestedStore open(RedisConnectionFactory connections, String prefix, InstantSource clock) {
		RedisStore store = new RedisStore(connections, prefix, clock);
		return TestedStore.of(store, new RedisLayoutCheck.InRedis(connections, prefix), () -> {
			store.close();
			TestRedis.destroy(connections);
		});
	}

	@RepeatedTest(2)
	void answersAsTheStorageInMemory(RepetitionInfo repetition) {
		ShrinkingRun.run(ShrinkingRun.seed() + repetition.getCurrentRepetition(), ShrinkingRun.operations(750),
				Payloads.OF_ALL_KINDS, (clock) -> new StoreComparison(TestedStore.inMemory(clock), open(clock), true));
	}

	@Test
	void answersAsTheStorageInMemoryWithManyJobs() {
		ShrinkingRun.run(ShrinkingRun.seed(), ShrinkingRun.operations(400), Payloads.MANY,
				(clock) -> new StoreComparison(TestedStore.inMemory(clock), open(clock), true));
	}

	@ParameterizedTest
	@EnumSource
	void keepsTheInvariantsAndTheLayout(Payloads payloads) {
		ShrinkingRun.run(ShrinkingRun.seed(), ShrinkingRun.operations(250), payloads,
				(clock) -> new StoreInvariants(open(clock)));
	}

}
