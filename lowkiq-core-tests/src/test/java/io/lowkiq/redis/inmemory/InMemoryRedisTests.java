package io.lowkiq.redis.inmemory;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lowkiq.redis.call.LuaScript;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What callers of the server see. */
class InMemoryRedisTests {

	private static final String OTHER_SLOT = "ERR Script attempted to access keys that do not hash to the same slot";

	private final InMemoryRedis redis = new InMemoryRedis(() -> Instant.ofEpochSecond(1_000, 123_456_789));

	private String call(String... command) {
		return Replies.describe(Replies.of(this.redis.call(Bytes.of(command))));
	}

	private @Nullable Object eval(String script, String key, String... arguments) {
		return Replies.of(this.redis.eval(script.getBytes(StandardCharsets.UTF_8), Bytes.of(key), Bytes.of(arguments)));
	}

	@Test
	void timeIsThatOfTheClock() {
		assertThat(call("TIME")).isEqualTo("[\"1000\", \"123456\"]");
		assertThat(Replies.describe(eval("return redis.call('TIME')", "a"))).isEqualTo("[\"1000\", \"123456\"]");
	}

	@Test
	void errorNamesScriptAndLine() {
		assertThat(eval("\nassert(false, 'wrong')", "a"))
			.hasToString("io.lowkiq.redis.inmemory.RedisErrorException: ERR wrong script: %s, on @user_script:2."
				.formatted(LuaScript.sha("\nassert(false, 'wrong')".getBytes(StandardCharsets.UTF_8))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "return redis.call('GET', '{b}')", "return redis.call('EXISTS', KEYS[1], 'b')",
			"return redis.call('RENAME', KEYS[1], 'b')", "return redis.call('ZUNIONSTORE', KEYS[1], 1, 'b')" })
	void scriptUsesOnlyKeysInItsSlot(String script) {
		assertThat(Replies.describe(eval(script, "{a}"))).isEqualTo("error line 1: " + OTHER_SLOT.substring(4));
	}

	@Test
	void scriptUsesKeysWithItsHashTag() {
		assertThat(eval("return redis.call('HLEN', '{a}:other')", "{a}")).isEqualTo(0L);
	}

	@Test
	void scriptWithoutKeysUsesNone() {
		assertThat(
				Replies.of(this.redis.eval("redis.call('GET', 'a')".getBytes(StandardCharsets.UTF_8), new byte[0][])))
			.asString()
			.contains(OTHER_SLOT);
		assertThat(Replies
			.of(this.redis.eval("return redis.call('TIME')".getBytes(StandardCharsets.UTF_8), new byte[0][])))
			.isInstanceOf(List.class);
	}

	@Test
	void keysOfCallAreInOneSlot() {
		assertThat(call("EXISTS", "a", "b")).isEqualTo("error CROSSSLOT Keys in request don't hash to the same slot");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "string.sub = nil", "redis = {}", "table.new = 1", "math.huge = 1", "KEYS = {}", "print = 1" })
	void scriptChangesNothingForTheNext(String script) {
		assertThat(Replies.describe(eval(script, "a"))).contains("Attempt to modify a readonly table");
	}

	@ParameterizedTest
	@ValueSource(strings = { "os.exit(1)", "io.open('x')", "require('x')", "load('x')", "print('x')",
			"luajava.newInstance('x')", "collectgarbage()", "dofile('x')", "debug.traceback()", "coroutine.yield()" })
	void scriptReachesNothingOutside(String script) {
		assertThat(Replies.describe(eval(script, "a"))).contains("nonexistent global variable");
	}

	@ParameterizedTest
	@ValueSource(strings = { "LPUSHX a 1", "INCR a", "SET a 1 EX 10", "ZRANGE a 0 1 REV", "ZADD a INCR 1 m",
			"LPOS a b RANK 1", "HSCAN a 0 MATCH x", "HRANDFIELD a", "ZUNIONSTORE a 1 a WEIGHTS 1", "FLUSHALL",
			"NOTHING" })
	void whatIsNotKnownFails(String command) {
		call("HSET", "h", "f", "v");
		assertThat(call(command.replace("HSCAN a", "HSCAN h").split(" "))).startsWith("error ERR ");
	}

	@Test
	void messagesArriveInOrderAfterTheScriptAndBeforeItsAnswer() {
		List<String> heard = new ArrayList<>();
		this.redis.subscribe(new Subscriber() {

			@Override
			public void subscribed() {
				heard.add("subscribed");
			}

			@Override
			public void message(byte[] channel, byte[] message) {
				// Without a lock: the subscriber may use the server
				heard.add(new String(message, StandardCharsets.UTF_8) + call("GET", "a"));
				if (message[0] == '1') {
					call("PUBLISH", "c", "3");
				}
			}

			@Override
			public void disconnected() {
				heard.add("disconnected");
			}

		}, Bytes.of("c"));
		CompletableFuture<@Nullable Object> answer = this.redis.eval("""
				redis.call('PUBLISH', 'c', '1')
				redis.call('PUBLISH', 'c', '2')
				redis.call('PUBLISH', 'other', 'x')
				redis.call('SET', KEYS[1], 'written')
				return 1
				""".getBytes(StandardCharsets.UTF_8), Bytes.of("a"));
		assertThat(answer).isCompletedWithValue(1L);
		assertThat(heard).containsExactly("subscribed", "1\"written\"", "2\"written\"", "3\"written\"");
	}

	@Test
	void closedSubscriptionHearsNothing() {
		FaultsTests.Heard heard = new FaultsTests.Heard();
		Runnable end = this.redis.subscribe(heard, Bytes.of("c", "d")).join();
		call("PUBLISH", "d", "1");
		end.run();
		call("PUBLISH", "c", "2");
		assertThat(heard.calls).containsExactly("subscribed", "d: 1");
	}

	@Test
	void callsOfManyThreadsAreExecutedOneByOne() {
		byte[] script = """
				local number = tonumber(redis.call('GET', KEYS[1]) or '0')
				redis.call('SET', KEYS[1], number + 1)
				redis.call('PUBLISH', 'c', number + 1)
				""".getBytes(StandardCharsets.UTF_8);
		FaultsTests.Heard heard = new FaultsTests.Heard();
		this.redis.subscribe(heard, Bytes.of("c"));
		List<CompletableFuture<Void>> threads = IntStream.range(0, 4)
			.mapToObj((thread) -> CompletableFuture.runAsync(() -> {
				for (int i = 0; i < 500; i++) {
					this.redis.eval(script, Bytes.of("a")).join();
				}
			}))
			.toList();
		threads.forEach((thread) -> assertThat(thread).succeedsWithin(30, TimeUnit.SECONDS));
		assertThat(call("GET", "a")).isEqualTo("\"2000\"");
		assertThat(heard.calls).containsExactlyElementsOf(expected("subscribed", 2_000));
	}

	private static List<String> expected(String first, int messages) {
		List<String> calls = new ArrayList<>(List.of(first));
		IntStream.rangeClosed(1, messages).forEach((number) -> calls.add("c: " + number));
		return calls;
	}

	@Test
	void argumentsAreCopied() {
		byte[] value = "longer than the short strings that LuaJ keeps".getBytes(StandardCharsets.UTF_8);
		this.redis.call("SET".getBytes(StandardCharsets.UTF_8), "k".getBytes(StandardCharsets.UTF_8), value);
		value[0] = 'L';
		assertThat(call("GET", "k")).isEqualTo("\"longer than the short strings that LuaJ keeps\"");
	}

	@Test
	void scanFindsEveryFieldThatStays() {
		IntStream.range(0, 1_000).forEach((i) -> call("HSET", "h", "field" + i, "v"));
		List<String> found = new ArrayList<>();
		String cursor = "0";
		do {
			List<?> page = (List<?>) Replies.of(this.redis.call(Bytes.of("HSCAN", "h", cursor, "COUNT", "100")));
			List<?> pairs = (List<?>) page.get(1);
			for (int i = 0; i < pairs.size(); i += 2) {
				found.add(new String((byte[]) pairs.get(i), StandardCharsets.UTF_8));
			}
			// What was found goes, and others come
			call("HDEL", "h", found.get(0), found.get(found.size() - 1));
			call("HSET", "h", "later" + found.size(), "v");
			cursor = new String((byte[]) page.get(0), StandardCharsets.UTF_8);
		}
		while (!cursor.equals("0"));
		assertThat(found).doesNotHaveDuplicates()
			.containsAll(IntStream.range(0, 1_000).mapToObj((i) -> "field" + i).toList());
	}

}
