package io.lowkiq.dashboard.history;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the history keeps in Redis.
 */
class RedisThroughputLogIntegrationTests extends ThroughputLogContract {

	private final String prefix = TestRedis.uniquePrefix();

	private final StringRedisTemplate template = new StringRedisTemplate(
			TestRedis.connectionFactory(TestRedis.shared().url()));

	private final ThroughputLog log = new RedisThroughputLog(this.template, this.prefix);

	@Override
	ThroughputLog log() {
		return this.log;
	}

	@Test
	void oneNodeClaimsAStep() {
		// Two steps can begin while the test runs, not twenty
		long claimed = IntStream.range(0, 20)
			.filter((node) -> new RedisThroughputLog(this.template, this.prefix).claim(1).isPresent())
			.count();
		assertThat(claimed).isBetween(1L, 2L);
	}

	@Test
	void aStepIsTooEarlyWhereMoreHaveToBeBetweenTwo() {
		assertThat(this.log.claim(6)).isPresent();
		assertThat(this.log.claim(6)).isEmpty();
		this.template.opsForValue()
			.set(this.prefix + ":{history}:claim", Long.toString(System.currentTimeMillis() / 10_000 - 7));
		assertThat(this.log.claim(6)).isPresent();
	}

	@Test
	void everyKeyOfTheHistoryGoesAwayByItself() {
		this.log.claim(1);
		this.log.write(System.currentTimeMillis(), Map.of("orders", new ThroughputLog.Total(1, 1)));
		new PeriodLog(this.log).write(System.currentTimeMillis(), 0, Map.of("orders", PeriodLog.Sample.NONE));
		assertThat(this.template.keys(this.prefix + "*")).hasSize(7)
			.allMatch((key) -> this.template.getExpire(key) > 0)
			.allMatch((key) -> key.startsWith(this.prefix + ":{history}:"));
	}

	@Test
	void whatANewerVersionHasCountedIsSkippedAndNotOverwritten() {
		long now = System.currentTimeMillis();
		String steps = this.prefix + ":{history}:steps:orders";
		String days = this.prefix + ":{history}:days:orders";
		this.log.write(now - 20_000, Map.of("orders", new ThroughputLog.Total(1, 1)));
		String place = Long.toString(now / 10_000 % ThroughputLog.STEPS);
		String day = Long.toString(now / 86_400_000 % (ThroughputLog.DAYS + 1));
		this.template.opsForHash().put(steps, place, now + " 5 5 more");
		this.template.opsForHash().put(days, day, now / 86_400_000 + " 0 0 5 5 more");
		this.log.write(now, Map.of("orders", new ThroughputLog.Total(2, 2)));
		assertThat(this.template.opsForHash().get(steps, place)).isEqualTo(now + " 5 5 more");
		assertThat(this.template.opsForHash().get(days, day)).asString().endsWith(" more");
		assertThat(this.log.steps("orders")).extracting((sample) -> sample.total().processed()).containsExactly(1L);
		assertThat(this.log.days("orders")).noneMatch((each) -> each.day() == now / 86_400_000);
		this.template.opsForHash().put(steps, place, now - 10_000 * ThroughputLog.STEPS + " 5 5 more");
		this.log.write(now, Map.of("orders", new ThroughputLog.Total(2, 2)));
		assertThat(this.log.steps("orders")).hasSize(2);
	}

	@Test
	void theLongerHistoryOfAQueueTakesTheSameLittleMemoryHoweverLongItIsKept() {
		PeriodLog periods = new PeriodLog(this.log);
		PerformCounts performs = new PerformCounts(List.of(9_000L, 8_000L, 7_000L, 600L, 500L, 400L, 30L, 20L, 10L));
		for (int minute = 0; minute < 7 * 24 * 60 + 60; minute++) {
			long now = 1_800_000_000_000L + minute * 60_000L;
			PeriodLog.Sample sample = new PeriodLog.Sample(
					new ThroughputLog.Total(1_000_000_000L + minute * 60_000L, minute), 12_345, 123_456, 1_234,
					performs);
			periods.write(now, now / 60_000 - 1, Map.of("orders", sample));
		}
		String key = this.prefix + ":{history}:periods:orders";
		assertThat(this.template.opsForHash().size(key)).isEqualTo(373);
		Long bytes = this.template.execute(
				RedisScript.of("return redis.call('MEMORY', 'USAGE', KEYS[1], 'SAMPLES', 0)", Long.class),
				List.of(key));
		assertThat(bytes).isLessThan(100_000);
	}

}
