package io.lowkiq.client;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.testing.TestRedis;

/**
 * {@code enqueueAsync} into the storage on Redis.
 */
class RedisAsyncEnqueueIntegrationTests extends AsyncEnqueueContract {

	@Override
	InspectableStore open() {
		return new RedisStore(TestRedis.shared().connectionFactory(), TestRedis.uniquePrefix(), null);
	}

	@Override
	void close(InspectableStore opened) {
		RedisStore redis = (RedisStore) opened;
		redis.close();
		TestRedis.destroy(redis.connectionFactory());
	}

}
