package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Claim;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.FetchResult;
import io.lowkiq.testing.JedisConnections;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.UnifiedJedis;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static io.lowkiq.redis.RedisShardFixture.push;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Connections that give each call the answer of another one.
 */
class DisplacedAnswersIntegrationTests {

	private static final Fetch ONE = new Fetch(1, 10, false);

	private final RedisConnectionFactory connections = JedisConnections.connectionFactory(TestRedis.shared().url(), 1);

	private final String prefix = TestRedis.uniquePrefix();

	private final RedisStore store = new RedisStore(this.connections, this.prefix, null);

	private final Lease first = leaseWithJob(0);

	private final Lease second = leaseWithJob(1);

	private Lease leaseWithJob(int index) {
		Shard shard = new Shard("orders", 1, index);
		this.store.shardStore().push(shard, List.of(push("job-" + index, "1")));
		return ((Acquisition.Acquired) this.store.shardStore().acquire(shard, Claim.free("me"))).lease();
	}

	@AfterEach
	void close() {
		this.store.close();
		TestRedis.destroy(this.connections);
	}

	@Test
	void theAnswerToAnotherCallIsRefused() {
		Displacing caller = new Displacing(new ScriptRunner(this.connections));
		ShardKeys keys = new ShardKeys(this.prefix);
		ShardScripts scripts = new ShardScripts(caller, keys, new StoreClock(null));
		RedisShardStore displaced = new RedisShardStore(scripts, scripts, keys);
		// What is left of a message; the fetch of the first; an answer that finds nothing
		for (Lease lease : List.of(this.first, this.second, this.first, this.second)) {
			caller.calls++;
			assertThatExceptionOfType(StoreException.class)
				.isThrownBy(() -> displaced.turn(lease, (caller.calls + 1) / 2, List.of(), ONE))
				.withMessageContaining("another one");
		}
		assertThat(caller.left).isEqualTo(4);
	}

	@Test
	void aConnectionInWhichAMessageWasLeftIsGivenUp() {
		leaveAMessage();
		List<FetchedJob> jobs = new ArrayList<>();
		List<String> refused = new ArrayList<>();
		await().untilAsserted(() -> {
			try {
				FetchResult answer = this.store.shardStore().turn(this.first, 1, List.of(), ONE);
				if (answer instanceof FetchResult.Fetched applied) {
					jobs.addAll(applied.jobs());
				}
				// The call that was refused was applied: its owner would acquire anew
				assertThat(answer).isInstanceOf(FetchResult.OutOfStep.class);
			}
			catch (StoreException ex) {
				refused.add(String.valueOf(ex.getMessage()));
				throw new AssertionError(ex);
			}
		});
		assertThat(jobs).isEmpty();
		assertThat(refused).isNotEmpty();
		assertThat(((FetchResult.Fetched) this.store.shardStore().turn(this.second, 1, List.of(), ONE)).jobs())
			.extracting(FetchedJob::id)
			.containsExactly("job-1");
	}

	/** Unsubscribes twice, which Jedis answers for once. */
	private void leaveAMessage() {
		try (RedisConnection connection = this.connections.getConnection()) {
			((UnifiedJedis) connection.getNativeConnection()).subscribe(new JedisPubSub() {

				@Override
				public void onSubscribe(String channel, int subscribed) {
					unsubscribe();
				}

				@Override
				public void onUnsubscribe(String channel, int subscribed) {
					unsubscribe();
				}

			}, this.prefix);
		}
	}

	/**
	 * Gives each call the answer of the one before.
	 */
	private static final class Displacing implements ScriptCaller {

		private final ScriptCaller caller;

		private final Deque<Reply> answers = new ArrayDeque<>();

		private int calls;

		private int left;

		Displacing(ScriptCaller caller) {
			this.caller = caller;
			this.answers.add(
					new Reply("turn", List.of("unsubscribe".getBytes(StandardCharsets.UTF_8), new byte[] { 'c' }, 0L)));
		}

		@Override
		public Reply run(LuaScript script, List<byte[]> keys, List<byte[]> arguments) {
			this.answers.add(this.caller.run(script, keys, arguments));
			return this.answers.remove();
		}

		@Override
		public void leave() {
			this.left++;
		}

	}

}
