package io.lowkiq.store;

import java.time.InstantSource;

import org.junit.jupiter.api.Nested;

/**
 * The storage in memory keeps the contract.
 */
class InMemoryStoreTests extends StoreSuite {

	@Override
	TestedStore open(InstantSource source) {
		return TestedStore.inMemory(source);
	}

	@Nested
	class HandOvers extends HandOverContract {

		@Override
		TestedStore open(InstantSource source) {
			return InMemoryStoreTests.this.open(source);
		}

	}

}
