package io.lowkiq.dashboard.history;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.dashboard.history.HistoryLog.Sample;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A history as if it had been recorded: work that goes up and down once a day, and an
 * incident a few minutes ago.
 */
public final class RecordedHistory {

	private static final long MINUTE = 60_000;

	/** What was processed each minute at noon. */
	private static final long NOON = 1_200;

	private RecordedHistory() {
	}

	/** Writes the history of all queues together, and of a queue. */
	public static void write(StringRedisTemplate redis, String queue, int minutes) {
		long now = System.currentTimeMillis();
		List<String> lines = new ArrayList<>();
		long processed = 0;
		long failed = 0;
		for (int ago = minutes - 1; ago >= 0; ago--) {
			long at = now - ago * MINUTE;
			long grown = Math.round(NOON * (1.1 - Math.cos(2 * Math.PI * at / MINUTE / 1_440)));
			boolean incident = ago >= 5 && ago < 10;
			processed += grown;
			failed += incident ? grown / 4 : 1 + ago % 3;
			lines.add(new Sample(at, processed, failed, incident ? 65_000 : 40 + ago % 7 * 10,
					incident ? 5_000 : 10 + ago % 5, 3,
					new PerformCounts(List.of(0L, 0L, 5L, 90L, 5L, 0L, incident ? 90L : 2L)))
				.text());
		}
		for (String key : List.of("lowkiq:{history}:minutes", "lowkiq:{history}:minutes:" + queue)) {
			redis.delete(key);
			redis.opsForList().rightPushAll(key, lines);
		}
	}

}
