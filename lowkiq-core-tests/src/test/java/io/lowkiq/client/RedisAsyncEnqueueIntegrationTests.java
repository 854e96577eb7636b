package io.lowkiq.client;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.TestRedis;

/** {@code enqueueAsync} into the storage on Redis. */
class RedisAsyncEnqueueIntegrationTests extends AsyncEnqueueContract {

	@Override
	RedisStore open() {
		return new RedisStore(TestRedis.shared().connectionFactory(), TestRedis.uniquePrefix(), null);
	}

	@Override
	void close(RedisStore redis) {
		redis.close();
		TestRedis.destroy(redis.connectionFactory());
	}

}
