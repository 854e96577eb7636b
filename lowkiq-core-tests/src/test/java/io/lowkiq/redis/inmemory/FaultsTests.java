package io.lowkiq.redis.inmemory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.inmemory.Faults.Snapshot;
import io.lowkiq.redis.inmemory.Faults.SlotState;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What can go wrong with a server goes wrong as with a real one. */
class FaultsTests {

	private static final String FULL = "OOM command not allowed when used memory > 'maxmemory'.";

	private final InMemoryRedis redis = new InMemoryRedis(() -> Instant.ofEpochSecond(1_000));

	private final Faults faults = this.redis.faults();

	private CompletableFuture<@Nullable Object> start(String... command) {
		return this.redis.call(Bytes.of(command));
	}

	private String call(String... command) {
		return Replies.describe(Replies.of(start(command)));
	}

	private String eval(String script, String... keys) {
		return Replies.describe(Replies.of(this.redis.eval(script.getBytes(StandardCharsets.UTF_8), Bytes.of(keys))));
	}

	@Test
	void promotedReplicaKnowsWhatItKnew() {
		call("SET", "a", "1");
		call("HSET", "h", "f", "1");
		call("RPUSH", "l", "1");
		call("ZADD", "z", "1", "m");
		call("PEXPIRE", "a", "5000");
		Snapshot replica = this.faults.snapshot();
		call("SET", "a", "2");
		call("HSET", "h", "f", "2");
		call("RPUSH", "l", "2");
		call("ZADD", "z", "2", "m");
		call("SET", "b", "new");

		this.faults.promote(replica);
		assertThat(call("GET", "a")).isEqualTo("\"1\"");
		assertThat(call("PTTL", "a")).isEqualTo("5000");
		assertThat(call("HGETALL", "h")).isEqualTo("[\"f\", \"1\"]");
		assertThat(call("LRANGE", "l", "0", "-1")).isEqualTo("[\"1\"]");
		assertThat(call("ZRANGE", "z", "0", "-1", "WITHSCORES")).isEqualTo("[\"m\", \"1\"]");
		assertThat(call("EXISTS", "b")).isEqualTo("0");

		call("SET", "a", "3");
		this.faults.promote(replica);
		assertThat(call("GET", "a")).as("The snapshot stays as it was").isEqualTo("\"1\"");
	}

	@Test
	void promotionDropsSubscribersScriptsAndCallsWithoutAnswer() {
		Heard heard = new Heard();
		this.redis.subscribe(heard, Bytes.of("channel"));
		eval("return 1");
		Snapshot replica = this.faults.snapshot();
		this.faults.hang();
		CompletableFuture<@Nullable Object> call = start("SET", "a", "1");

		this.faults.promote(replica);
		assertThat(call).isCompletedExceptionally();
		assertThat(Replies.of(call)).isInstanceOf(IOException.class);
		assertThat(call("EXISTS", "a")).as("Was never executed").isEqualTo("0");
		assertThat(heard.calls).containsExactly("subscribed", "disconnected");
		assertThat(call("PUBLISH", "channel", "x")).isEqualTo("0");
		assertThat(Replies
			.of(this.redis.evalsha(LuaScript.sha("return 1".getBytes(StandardCharsets.UTF_8)), new byte[0][])))
			.hasToString("io.lowkiq.redis.inmemory.RedisErrorException: NOSCRIPT No matching script. Please use EVAL.");
	}

	@Test
	void subscribersAreDropped() {
		Heard heard = new Heard();
		this.redis.subscribe(heard, Bytes.of("channel"));
		this.faults.dropSubscribers();
		assertThat(call("PUBLISH", "channel", "x")).isEqualTo("0");
		assertThat(heard.calls).containsExactly("subscribed", "disconnected");
	}

	@Test
	void lostCallIsNotExecuted() {
		this.faults.loseNextCall();
		CompletableFuture<@Nullable Object> call = start("SET", "a", "1");
		assertThat(Replies.of(call)).isInstanceOf(IOException.class);
		assertThat(call("GET", "a")).isEqualTo("null");
	}

	@Test
	void callWhoseAnswerIsLostIsExecuted() {
		this.faults.loseNextAnswer();
		CompletableFuture<@Nullable Object> call = start("SET", "a", "1");
		assertThat(Replies.of(call)).isInstanceOf(IOException.class);
		assertThat(call("GET", "a")).isEqualTo("\"1\"");
	}

	@Test
	void errorIsLostWithItsAnswer() {
		this.faults.loseNextAnswer();
		assertThat(Replies.of(start("GET"))).isInstanceOf(IOException.class);
	}

	@ParameterizedTest
	@CsvSource({ "SET a 1", "HSET h f 1", "HSETNX h f 1", "HINCRBY h f 1", "ZADD z 1 m", "RPUSH l 1",
			"ZUNIONSTORE z 1 z" })
	void fullServerRefusesWhatMayNeedMemory(String command) {
		this.faults.fillMemory(true);
		assertThat(call(command.split(" "))).isEqualTo("error " + FULL);
		this.faults.fillMemory(false);
		assertThat(call(command.split(" "))).doesNotContain("OOM");
	}

	@ParameterizedTest
	@CsvSource({ "GET a", "DEL a", "UNLINK a", "PERSIST a", "PEXPIRE a 1", "RENAME a b", "HDEL h f", "ZREM z m",
			"ZREMRANGEBYRANK z 0 0", "LTRIM l 0 0", "PUBLISH c m", "TIME", "HGETALL h" })
	void fullServerExecutesWhatNeedsNone(String command) {
		call("SET", "a", "1");
		this.faults.fillMemory(true);
		assertThat(call(command.split(" "))).doesNotContain("OOM");
	}

	@Test
	void firstWriteOfScriptDecidesWhenMemoryIsFull() {
		this.faults.fillMemory(true);
		assertThat(eval("redis.call('GET', KEYS[1])\nredis.call('SET', KEYS[1], '1')", "a"))
			.isEqualTo("error line 2: " + FULL);
		assertThat(eval("redis.call('PERSIST', KEYS[1]) redis.call('SET', KEYS[1], '1') return 1", "a")).isEqualTo("1");
		assertThat(call("GET", "a")).isEqualTo("\"1\"");
		assertThat(eval("return redis.pcall('SET', KEYS[1], '2').err", "a")).isEqualTo("\"" + FULL + "\"");
	}

	@ParameterizedTest
	@CsvSource({ "MOVING,TRYAGAIN Multiple keys request during rehashing of slot", "ASKING,ASK 12182 127.0.0.1:7001",
			"MOVED,MOVED 12182 127.0.0.1:7001", "DOWN,CLUSTERDOWN Hash slot not served" })
	void slotThatMovesIsNotServed(SlotState state, String error) {
		this.faults.moveSlot("{foo}bar", state);
		assertThat(call("SET", "foo", "1")).isEqualTo("error " + error);
		assertThat(eval("return 1", "x{foo}")).isEqualTo("error " + error);
		assertThat(call("SET", "bar", "1")).isEqualTo("status OK");
		this.faults.serveSlot("foo");
		assertThat(call("SET", "foo", "1")).isEqualTo("status OK");
	}

	@Test
	void clockJumps() {
		call("SET", "a", "1");
		call("PEXPIRE", "a", "1000");
		this.faults.shiftClock(Duration.ofHours(-1));
		assertThat(call("TIME")).isEqualTo("[\"-2600\", \"0\"]");
		assertThat(call("PTTL", "a")).isEqualTo("3601000");
		this.faults.shiftClock(Duration.ofHours(2));
		assertThat(call("TIME")).isEqualTo("[\"4600\", \"0\"]");
		assertThat(call("GET", "a")).isEqualTo("null");
	}

	@Test
	void serverThatHangsAnswersWhenItGoesOn() {
		Heard heard = new Heard();
		this.faults.hang();
		CompletableFuture<?> subscribed = this.redis.subscribe(heard, Bytes.of("channel"));
		CompletableFuture<@Nullable Object> first = start("RPUSH", "l", "1");
		CompletableFuture<@Nullable Object> second = start("RPUSH", "l", "2");
		CompletableFuture<@Nullable Object> published = start("PUBLISH", "channel", "x");
		first.cancel(true);
		assertThat(List.of(subscribed, second, published)).noneMatch(CompletableFuture::isDone);
		assertThat(heard.calls).isEmpty();

		this.faults.resume();
		assertThat(second).isCompletedWithValue(2L);
		assertThat(call("LRANGE", "l", "0", "-1")).isEqualTo("[\"1\", \"2\"]");
		assertThat(published).isCompletedWithValue(1L);
		assertThat(heard.calls).containsExactly("subscribed", "channel: x");
	}

	@Test
	void scriptsAreForgotten() {
		eval("return 1");
		String sha = LuaScript.sha("return 1".getBytes(StandardCharsets.UTF_8));
		assertThat(Replies.describe(Replies.of(this.redis.evalsha(sha, new byte[0][])))).isEqualTo("1");
		this.faults.forgetScripts();
		assertThat(Replies.describe(Replies.of(this.redis.evalsha(sha, new byte[0][]))))
			.isEqualTo("error NOSCRIPT No matching script. Please use EVAL.");
	}

	/** Keeps what a subscriber is told. */
	static final class Heard implements Subscriber {

		final List<String> calls = new ArrayList<>();

		@Override
		public void subscribed() {
			this.calls.add("subscribed");
		}

		@Override
		public void message(byte[] channel, byte[] message) {
			this.calls
				.add(new String(channel, StandardCharsets.UTF_8) + ": " + new String(message, StandardCharsets.UTF_8));
		}

		@Override
		public void disconnected() {
			this.calls.add("disconnected");
		}

	}

}
