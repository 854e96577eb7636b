package io.lowkiq.test.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.PlatformTransactionManager;

import io.lowkiq.WorkerRegistry;
import io.lowkiq.autoconfigure.transaction.AfterCommitEnqueuer;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerCustomizer;
import io.lowkiq.autoconfigure.schedule.ScheduleAnnouncer;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.test.LowkiqMode;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.PerformCounter;
import io.lowkiq.test.TestClock;

/**
 * Auto-configuration of the store in memory, its clock, and the tester. Applied only by
 * {@link AutoConfigureLowkiq}.
 */
@AutoConfiguration(before = LowkiqRedisAutoConfiguration.class)
public final class LowkiqTestAutoConfiguration {

	private static final String CLOCK = "lowkiqTestClock";

	@Bean(name = { CLOCK, LowkiqClientAutoConfiguration.CLOCK }, defaultCandidate = false)
	TestClock lowkiqTestClock(@Value("${" + LowkiqContextCustomizerFactory.MODE + "}") LowkiqMode mode) {
		return TestClock.of(mode);
	}

	@Bean
	RedisStore lowkiqTestStore(@Qualifier(CLOCK) TestClock clock) {
		return InMemoryRedis.newStore(clock);
	}

	@Bean
	PerformCounter lowkiqTestPerformCounter() {
		return new PerformCounter();
	}

	@Bean
	LowkiqServerCustomizer lowkiqTestServerCustomizer(@Qualifier(CLOCK) TestClock clock) {
		return clock::configure;
	}

	@Bean
	LowkiqTester lowkiqTester(@Value("${" + LowkiqContextCustomizerFactory.MODE + "}") LowkiqMode mode,
			WorkerRegistry workers, RedisStore store, @Qualifier(CLOCK) TestClock clock, PerformCounter counter,
			ServerOptions options, ObjectProvider<LowkiqServer> server, ObjectProvider<ScheduleAnnouncer> schedules) {
		return new LowkiqTester(workers, store, clock, counter, options, mode == LowkiqMode.INLINE,
				(mode == LowkiqMode.RUNNING) ? server.getObject() : null,
				() -> schedules.ifAvailable(ScheduleAnnouncer::begin));
	}

	/** Even if beans are lazy: a job that is enqueued later finds the shards owned. */
	@Bean
	@Lazy(false)
	SmartInitializingSingleton lowkiqTesterStart(LowkiqTester tester) {
		return tester::start;
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(PlatformTransactionManager.class)
	static class TransactionConfiguration {

		@Bean
		SuspendedTransaction lowkiqTestSuspendedTransaction(
				ObjectProvider<PlatformTransactionManager> transactionManager) {
			return new SuspendedTransaction(transactionManager);
		}

		/**
		 * Without a table, so that jobs are in the store when the transaction has ended.
		 */
		@Bean(name = LowkiqClientAutoConfiguration.OUTBOX, defaultCandidate = false)
		AfterCommitEnqueuer lowkiqTestOutbox(StoreEnqueuer store) {
			return new AfterCommitEnqueuer(store);
		}

	}

}
