package io.lowkiq.client;

import java.time.InstantSource;

import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.inspection.InspectableStore;

/**
 * {@code enqueueAsync} into the storage in memory.
 */
class MemoryAsyncEnqueueTests extends AsyncEnqueueContract {

	@Override
	InspectableStore open() {
		return InMemoryRedis.newStore(InstantSource.system());
	}

	@Override
	void close(InspectableStore opened) {
	}

}
