package io.lowkiq.dashboard.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The {@link ThroughputLog} of all nodes, in Redis: three hashes a queue whose fields are
 * used in turn, so that nothing has to be cleared away. All keys share a hash tag of
 * their own.
 */
public final class RedisThroughputLog implements ThroughputLog {

	private static final long DAY = Duration.ofDays(1).toMillis();

	private static final Pattern NUMBERS = Pattern.compile("\\d{1,18}( \\d{1,18})*");

	private static final Duration PERIODS_KEPT = Duration.ofDays(8);

	private final RedisScript<Long> claimScript = ScriptText.read("claim-step.lua", RedisThroughputLog.class);

	private final RedisScript<Long> writeScript = ScriptText.read("write-throughput.lua", RedisThroughputLog.class);

	private final StringRedisTemplate redis;

	private final String prefix;

	/** Creates a log. */
	public RedisThroughputLog(StringRedisTemplate redis, String keyPrefix) {
		this.redis = redis;
		this.prefix = keyPrefix + ":{history}:";
	}

	@Override
	public OptionalLong claim(int apart) {
		Long now = this.redis.execute(this.claimScript, List.of(this.prefix + "claim"), Long.toString(STEP.toMillis()),
				Integer.toString(apart));
		return (now != null && now > 0) ? OptionalLong.of(now) : OptionalLong.empty();
	}

	@Override
	public void write(long now, Map<String, Total> totals) {
		Total together = totals.values().stream().reduce(new Total(0, 0), Total::plus);
		write(now, null, together);
		totals.forEach((queue, total) -> write(now, queue, total));
	}

	private void write(long now, @Nullable String queue, Total total) {
		this.redis.execute(this.writeScript, List.of(key("steps", queue), key("days", queue)), Long.toString(now),
				Long.toString(now / STEP.toMillis() % STEPS), Long.toString(now / DAY), Long.toString(DAYS + 1),
				Long.toString(total.processed()), Long.toString(total.failed()));
	}

	@Override
	public List<Sample> steps(@Nullable String queue) {
		List<Sample> samples = read(key("steps", queue), 3,
				(numbers) -> new Sample(numbers[0], new Total(numbers[1], numbers[2])));
		samples.sort(Comparator.comparingLong(Sample::at));
		return samples;
	}

	@Override
	public List<Day> days(@Nullable String queue) {
		List<Day> days = read(key("days", queue), 5,
				(numbers) -> new Day(numbers[0], numbers[3] - numbers[1], numbers[4] - numbers[2]));
		days.sort(Comparator.comparingLong(Day::day));
		return days;
	}

	/**
	 * Reads all fields of so many numbers each. What another version wrote is skipped.
	 */
	private <T> List<T> read(String key, int count, Function<long[], T> reader) {
		List<T> all = new ArrayList<>();
		for (Object value : Objects.requireNonNull(this.redis.opsForHash().entries(key)).values()) {
			String text = value.toString();
			if (NUMBERS.matcher(text).matches()) {
				long[] numbers = Stream.of(text.split(" ")).mapToLong(Long::parseLong).toArray();
				if (numbers.length == count) {
					all.add(reader.apply(numbers));
				}
			}
		}
		return all;
	}

	@Override
	public Map<String, String> fields(@Nullable String queue, List<String> names) {
		List<@Nullable String> values = this.redis.<String, @Nullable String>opsForHash()
			.multiGet(key("periods", queue), names);
		Map<String, String> found = new HashMap<>();
		for (int i = 0; i < names.size(); i++) {
			String value = values.get(i);
			if (value != null) {
				found.put(names.get(i), value);
			}
		}
		return found;
	}

	/** If the process dies in between, the next sample makes the key expire. */
	@Override
	public void put(@Nullable String queue, Map<String, String> fields) {
		this.redis.opsForHash().putAll(key("periods", queue), fields);
		this.redis.expire(key("periods", queue), PERIODS_KEPT);
	}

	private String key(String kind, @Nullable String queue) {
		return this.prefix + kind + ((queue != null) ? ":" + queue : "");
	}

}
