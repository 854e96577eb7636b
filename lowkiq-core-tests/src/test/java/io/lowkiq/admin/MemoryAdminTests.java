package io.lowkiq.admin;

import java.time.InstantSource;

import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.inspection.InspectableStore;

/**
 * Tests of {@link StoreAdmin} with the storage in memory.
 */
class MemoryAdminTests extends AdminContract {

	@Override
	InspectableStore open(InstantSource source) {
		return InMemoryRedis.newStore(source);
	}

	@Override
	void close(InspectableStore opened) {
	}

}
