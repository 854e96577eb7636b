package io.lowkiq.dashboard.history;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The history of an hour, a day and a week, as if it had been recorded: work that goes up
 * and down once a day, and an incident in the last step but five of each period.
 */
public final class RecordedHistory {

	/** What was processed each minute at noon. */
	private static final long NOON = 1_200;

	private final RedisThroughputLog log;

	/**
	 * A history.
	 * @param redis the Redis
	 * @param keyPrefix the prefix of its keys
	 */
	public RecordedHistory(StringRedisTemplate redis, String keyPrefix) {
		this.log = new RedisThroughputLog(redis, keyPrefix);
	}

	/**
	 * Writes the history of a queue.
	 * @param queue the queue's name; null for all together
	 * @param now the present time, in milliseconds since 1970
	 */
	public void write(@Nullable String queue, long now) {
		Map<String, String> fields = new HashMap<>();
		for (Period period : Period.values()) {
			List<Long> steps = period.stepsUntil(now);
			long minutes = period.step() / Period.HOUR.step();
			for (int i = 0; i < steps.size(); i++) {
				double day = 2 * Math.PI * steps.get(i) * period.step() / Period.DAY.step() / 144;
				long processed = Math.round(NOON * (1.1 - Math.cos(day))) * minutes;
				boolean incident = i == steps.size() - 6;
				fields.put(period.field(steps.get(i)),
						new PeriodLog.Step(steps.get(i), period.step(), processed, incident ? processed / 4 : minutes,
								incident ? 65_000 : 40 + i % 7 * 10, incident ? 5_000 : 10 + i % 5, 3,
								new PerformCounts(List.of(0L, 0L, 5L, 90L, 5L, 0L, incident ? 90L : 2L)))
							.text());
			}
		}
		this.log.put(queue, fields);
	}

}
