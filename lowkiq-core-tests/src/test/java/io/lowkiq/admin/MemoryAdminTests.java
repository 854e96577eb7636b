package io.lowkiq.admin;

import java.time.InstantSource;

import io.lowkiq.memory.InMemoryStore;
import io.lowkiq.store.inspection.InspectableStore;

/**
 * Tests of {@link StoreAdmin} with the storage in memory.
 */
class MemoryAdminTests extends AdminContract {

	@Override
	InspectableStore open(InstantSource source) {
		return new InMemoryStore(source);
	}

	@Override
	void close(InspectableStore opened) {
	}

}
