package io.lowkiq.store;

import java.time.InstantSource;

/** The storage in memory keeps the contract. */
class InMemoryStoreTests extends StoreSuite {

	@Override
	public TestedStore open(InstantSource source) {
		return TestedStore.inMemory(source);
	}

}
