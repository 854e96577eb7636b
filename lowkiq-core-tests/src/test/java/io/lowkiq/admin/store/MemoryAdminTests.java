package io.lowkiq.admin.store;

import java.time.InstantSource;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;

/** Tests of {@link StoreAdmin} with the storage in memory. */
class MemoryAdminTests extends AdminContract {

	@Override
	RedisStore open(InstantSource source) {
		return InMemoryRedis.newStore(source);
	}

	@Override
	void close(RedisStore opened) {
	}

}
