package io.lowkiq.redis.inmemory;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lowkiq.testing.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/**
 * Sends random commands to a real Redis and to this one, and compares each reply, and in
 * the end what the keys hold. Few keys of few members, so that everything meets
 * everything, also wrong types. A run that fails is repeated with fewer commands, to show
 * those that matter.
 */
class CommandComparisonIntegrationTests {

	private static final int RUNS = 40;

	private static final int COMMANDS = 1_500;

	private static final List<String> MEMBERS = List.of("a", "b", "ab", "B", "", "\u0000", "\u007f", "\u0080", "\u00ff",
			"a\u00e9", "10", "9",
			"member of more than sixty-four bytes, with which Redis takes another representation");

	private static final List<String> NUMBERS = List.of("0", "1", "2", "-1", "-2", "3", "7", "100", "-100", "x", "1.5",
			"", " 1", "+1", "01", "-0", "9223372036854775807", "-9223372036854775808", "9223372036854775808");

	private static final List<String> SCORES = List.of("0", "-0", "1", "2", "2.5", "-3", "1e3", "inf", "-inf", "+inf",
			"Infinity", "0.1", "1700000000000.123", "1700000000000.124", "1e17", "123456789012345678", "1e-7", "1e308",
			"1e309", "1e-400", "nan", "x", "", " 1", "1 ", "0x10", ".5", "5.", "4.9e-324", "1_0", "1d", "1f");

	private static final List<String> LIMITS = List.of("-inf", "+inf", "(0", "(1", "1", "2", "(2.5", "(inf", "inf",
			"(-inf", "x", "(", "", "(x", "1e309", "1700000000000.123", "(1700000000000.123");

	@AutoClose
	private final RealRedis real = new RealRedis(TestRedis.shared().url());

	private final String version = TestRedis.shared().version();

	@Test
	void repliesAreThoseOfRedis() {
		long seed = seed();
		for (int run = 0; run < RUNS; run++) {
			SplittableRandom random = new SplittableRandom(seed + run);
			List<List<String>> commands = IntStream.range(0, COMMANDS).mapToObj((i) -> command(random)).toList();
			String difference = difference(commands);
			if (difference != null) {
				List<List<String>> few = shrink(commands);
				throw new AssertionError(
						"Repeat with -Dlowkiq.test.seed=%d: these commands are enough:%n%s%n%s".formatted(seed + run,
								few.stream()
									.map(CommandComparisonIntegrationTests::describe)
									.collect(Collectors.joining("\n")),
								difference(few)));
			}
		}
	}

	static long seed() {
		String given = System.getProperty("lowkiq.test.seed", "20260101");
		return given.equals("random") ? System.nanoTime() : Long.parseLong(given);
	}

	private List<List<String>> shrink(List<List<String>> failing) {
		List<List<String>> shortest = failing;
		for (int size = failing.size() / 2; size > 0; size /= 2) {
			for (int from = 0; from < shortest.size();) {
				List<List<String>> fewer = new ArrayList<>(shortest.subList(0, from));
				fewer.addAll(shortest.subList(Math.min(from + size, shortest.size()), shortest.size()));
				if (difference(fewer) != null) {
					shortest = fewer;
				}
				else {
					from += size;
				}
			}
		}
		return shortest;
	}

	/** What differs after some commands; null if nothing does. */
	private @Nullable String difference(List<List<String>> commands) {
		String tag = TestRedis.uniquePrefix();
		InMemoryRedis memory = new InMemoryRedis(InstantSource.system());
		List<List<String>> all = new ArrayList<>(commands);
		for (String key : keys()) {
			all.addAll(List.of(List.of("GET", key), List.of("HGETALL", key), List.of("LRANGE", key, "0", "-1"),
					List.of("ZRANGE", key, "0", "-1", "WITHSCORES"), List.of("PTTL", key)));
		}
		all.add(List.of("DEL", "{}a", "{}b", "{}c", "{}d"));
		for (List<String> command : all) {
			byte[][] bytes = command.stream()
				.map((argument) -> argument.replace("{}", "{" + tag + "}").getBytes(StandardCharsets.ISO_8859_1))
				.toArray(byte[][]::new);
			String expected = describe(command, this.real.call(bytes));
			String actual = describe(command, Replies.of(memory.call(bytes)));
			if (!expected.equals(actual)) {
				return "%s%nRedis %s: %s%nin memory: %s".formatted(describe(command), this.version, expected, actual);
			}
		}
		return null;
	}

	private String describe(List<String> command, @Nullable Object reply) {
		// Whether a negative zero stays one depends on the version, and on the size of
		// the set
		String text = Replies.describe(reply).replaceFirst("needed for .*", "needed").replace("\"-0\"", "\"0\"");
		if (reply instanceof List<?> list) {
			switch (command.get(0).toUpperCase(java.util.Locale.ROOT)) {
				case "HGETALL" -> text = pairs(list);
				case "HSCAN" -> text = Replies.describe(list.get(0)) + pairs((List<?>) list.get(1));
				case "HKEYS" -> text = new TreeSet<>(list.stream().map(Replies::describe).toList()).toString();
				// Any fields will do
				case "HRANDFIELD" -> text = list.size() + " fields";
				default -> {
				}
			}
		}
		if (command.get(0).equals("PTTL") && reply instanceof Long millis && millis > 0) {
			text = "a time";
		}
		// Later versions write scores with as few digits as tell them apart
		return this.version.matches("6\\..*|7\\.0\\..*") ? text
				: Arrays.stream(text.split(", "))
					.map((part) -> part.matches("\"-?[0-9.e+-]{17,}\"")
							? String.valueOf(Double.parseDouble(part.replace("\"", ""))) : part)
					.toList()
					.toString();
	}

	private static String pairs(List<?> list) {
		return IntStream.range(0, list.size() / 2)
			.mapToObj((i) -> Replies.describe(list.get(2 * i)) + "=" + Replies.describe(list.get(2 * i + 1)))
			.sorted()
			.toList()
			.toString();
	}

	private static String describe(List<String> command) {
		return command.stream()
			.map((argument) -> "'" + Replies.escape(argument.getBytes(StandardCharsets.ISO_8859_1)) + "'")
			.collect(Collectors.joining(" "));
	}

	private static List<String> keys() {
		return List.of("{}a", "{}b", "{}c", "{}d");
	}

	private static List<String> command(SplittableRandom random) {
		List<String> command = new ArrayList<>();
		String k = of(random, keys());
		switch (random.nextInt(40)) {
			case 0 -> command.addAll(List.of("GET", k));
			case 1 -> command.addAll(List.of("SET", k, of(random, MEMBERS)));
			case 2 -> command.addAll(List.of(of(random, List.of("DEL", "UNLINK", "EXISTS")), k, of(random, keys())));
			case 3 -> command.addAll(List.of("RENAME", k, of(random, keys())));
			case 4 -> command.addAll(List.of("PEXPIRE", k, of(random, List.of("0", "-1", "1000000", "x", "1.5"))));
			case 5 -> command.addAll(List.of("PERSIST", k));
			case 6 -> command.addAll(List.of("PTTL", k));
			case 7 -> command.addAll(List.of("HGET", k, of(random, MEMBERS)));
			case 8, 9 -> add(command, random, List.of("HSET", k), true);
			case 10 -> add(command, random, List.of("HMGET", k), false);
			case 11 -> add(command, random, List.of("HDEL", k), false);
			case 12 -> command.addAll(List.of(of(random, List.of("HLEN", "HKEYS", "HGETALL")), k));
			case 13 -> command.addAll(List.of("HSETNX", k, of(random, MEMBERS), of(random, NUMBERS)));
			case 14 -> command.addAll(List.of("HINCRBY", k, of(random, MEMBERS), of(random, NUMBERS)));
			case 15 -> command.addAll(
					List.of("HSCAN", k, of(random, List.of("0", "x")), "COUNT", of(random, List.of("1000", "0", "x"))));
			case 16 -> command.addAll(List.of("HRANDFIELD", k, Integer.toString(random.nextInt(5))));
			case 17 -> add(command, random, List.of("RPUSH", k), false);
			case 18 -> add(command, random, List.of("LPUSH", k), false);
			case 19 -> command.addAll(List.of("LLEN", k));
			case 20 -> command.addAll(List.of("LRANGE", k, of(random, NUMBERS), of(random, NUMBERS)));
			case 21 -> command.addAll(List.of("LTRIM", k, of(random, NUMBERS), of(random, NUMBERS)));
			case 22 -> command.addAll(List.of("LINDEX", k, of(random, NUMBERS)));
			case 23 -> command.addAll(List.of("LPOS", k, of(random, MEMBERS)));
			case 24 -> command.addAll(List.of("LPOS", k, of(random, MEMBERS), "maxlen", of(random, NUMBERS)));
			case 25, 26, 27 -> {
				command.addAll(List.of("ZADD", k));
				for (int i = random.nextInt(3); i > 0; i--) {
					command.add(of(random, List.of("NX", "gt", "LT")));
				}
				for (int i = random.nextInt(4); i >= 0; i--) {
					command.add(of(random, random.nextInt(8) > 0 ? SCORES.subList(0, 18) : SCORES));
					command.add(of(random, MEMBERS));
				}
			}
			case 28 -> command.addAll(List.of("ZCARD", k));
			case 29 -> command.addAll(List.of("ZSCORE", k, of(random, MEMBERS)));
			case 30 -> command.addAll(List.of("ZCOUNT", k, of(random, LIMITS), of(random, LIMITS)));
			case 31 -> add(command, random, List.of("ZREM", k), false);
			case 32, 33 -> {
				command.addAll(List.of(of(random, List.of("ZRANGE", "ZREVRANGE")), k, of(random, NUMBERS),
						of(random, NUMBERS)));
				if (random.nextBoolean()) {
					command.add("withscores");
				}
			}
			case 34, 35 -> {
				command.addAll(List.of("ZRANGEBYSCORE", k, of(random, LIMITS), of(random, LIMITS)));
				if (random.nextBoolean()) {
					command.add("WITHSCORES");
				}
				if (random.nextBoolean()) {
					command.addAll(List.of("LIMIT", of(random, NUMBERS), of(random, NUMBERS)));
				}
			}
			case 36 -> command.addAll(List.of("ZREMRANGEBYRANK", k, of(random, NUMBERS), of(random, NUMBERS)));
			case 37 -> command.addAll(List.of("ZUNIONSTORE", k, "2", of(random, keys()), of(random, keys()),
					"AGGREGATE", of(random, List.of("MIN", "MAX", "SUM"))));
			case 38 -> command.addAll(List.of("ZUNIONSTORE", k, of(random, List.of("0", "1", "2", "3", "x", "-1")),
					of(random, keys()), of(random, keys()))
				.subList(0, 4 + random.nextInt(2)));
			default -> command.addAll(of(random,
					List.of(List.of("GET"), List.of("HSET", k, "a"), List.of("hset", k), List.of("ZADD", k, "1"),
							List.of("ZADD", k, "1", "a", "2"), List.of("LRANGE", k, "1"), List.of("RPUSH", k),
							List.of("LPUSH", k), List.of("ZRANGEBYSCORE", k, "0"), List.of("EXISTS"),
							List.of("TIME", "x"), List.of("ZRANGE", k, "0", "1", "x"),
							List.of("ZRANGEBYSCORE", k, "0", "1", "LIMIT", "0"))));
		}
		return command;
	}

	private static void add(List<String> command, SplittableRandom random, List<String> begin, boolean pairs) {
		command.addAll(begin);
		for (int i = random.nextInt(4); i >= 0; i--) {
			command.add(of(random, MEMBERS));
			if (pairs) {
				command.add(of(random, random.nextBoolean() ? MEMBERS : NUMBERS));
			}
		}
	}

	private static <T> T of(SplittableRandom random, List<T> values) {
		return values.get(random.nextInt(values.size()));
	}

}
