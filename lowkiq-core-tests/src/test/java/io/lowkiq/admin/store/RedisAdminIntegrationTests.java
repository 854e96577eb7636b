package io.lowkiq.admin.store;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.testing.TestAdmin;
import io.lowkiq.testing.TestQueue;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link StoreAdmin} with the storage on Redis. */
class RedisAdminIntegrationTests extends AdminContract {

	private RedisStore redis;

	@Override
	RedisStore open(InstantSource source) {
		this.redis = new RedisStore(TestRedis.shared().connectionFactory(), TestRedis.uniquePrefix(), source);
		return this.redis;
	}

	@Override
	void close(RedisStore opened) {
		this.redis.close();
		TestRedis.destroy(this.redis.connectionFactory());
	}

	@Test
	void ofARemovedQueueThereRemainsAMarkForSomeDays() {
		new TestQueue(this.redis, "orders", 2).enqueue("1", "2", "3", "4", "5")
			.enqueue((id) -> NewPayload.of(id, new byte[] { 1 }), "1", "2")
			.bury("6", "7")
			.busy("8");
		TestAdmin.of(this.redis).removeQueue("orders");
		StringRedisTemplate template = template();
		assertThat(template.keys(this.redis.keyPrefix() + ":{orders:*"))
			.containsExactlyInAnyOrder(this.redis.keyPrefix() + ":{orders:1:0}:meta",
					this.redis.keyPrefix() + ":{orders:1:1}:meta")
			.as("longer than an outbox keeps rows")
			.allSatisfy((key) -> assertThat(template.getExpire(key)).isGreaterThan(Duration.ofDays(7).toSeconds()));
		assertThat(template.opsForHash().entries(this.redis.keyPrefix() + ":{queues}"))
			.isEqualTo(Map.of("removed:orders", "1"));
	}

	@Test
	void nothingOfAnErasedIdIsInRedis() {
		TestQueue queue = new TestQueue(this.redis, "orders", 1);
		queue.bury("42").busy("42").enqueue("42").enqueue((id) -> NewPayload.of(id, new byte[] { 1 }), "42");
		TestAdmin.of(this.redis).erase("orders", "42");
		StringRedisTemplate template = template();
		String shard = this.redis.keyPrefix() + ":{orders:1:0}:";
		assertThat(template.keys(shard + "*")).containsExactlyInAnyOrder(shard + "meta", shard + "busy");
		assertThat(template.opsForHash().entries(shard + "busy")).isEqualTo(Map.of("42", "\u0005"));
	}

	private StringRedisTemplate template() {
		return new StringRedisTemplate(this.redis.connectionFactory());
	}

}
