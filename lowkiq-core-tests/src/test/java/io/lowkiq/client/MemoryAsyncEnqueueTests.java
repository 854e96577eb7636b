package io.lowkiq.client;

import java.time.InstantSource;

import io.lowkiq.memory.InMemoryStore;
import io.lowkiq.store.inspection.InspectableStore;

/**
 * {@code enqueueAsync} into the storage in memory.
 */
class MemoryAsyncEnqueueTests extends AsyncEnqueueContract {

	@Override
	InspectableStore open() {
		return new InMemoryStore(InstantSource.system());
	}

	@Override
	void close(InspectableStore opened) {
	}

}
