package io.lowkiq.store;

import org.junit.jupiter.api.BeforeEach;

/**
 * A part of the contract in which the session {@code s} owns the shard from the start.
 */
abstract class OwnedShardContract extends StoreContract {

	@BeforeEach
	void beginAsOwner() {
		owner("s");
	}

}
