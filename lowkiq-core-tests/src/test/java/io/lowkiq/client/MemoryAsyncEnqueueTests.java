package io.lowkiq.client;

import java.time.InstantSource;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;

/** {@code enqueueAsync} into the storage in memory. */
class MemoryAsyncEnqueueTests extends AsyncEnqueueContract {

	@Override
	RedisStore open() {
		return InMemoryRedis.newStore(InstantSource.system());
	}

	@Override
	void close(RedisStore opened) {
	}

}
