package io.lowkiq.store;

import java.time.InstantSource;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What operators can do while Redis has no memory left. */
class FullStoreTests {

	private final InMemoryRedis server = new InMemoryRedis(InstantSource.system());

	private final RedisStore store = this.server.store();

	private final Shard shard = new Shard("orders", 1, 0);

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void queueIsPausedAndResumed(boolean paused) {
		this.store.actions().pause(this.shard, !paused);
		this.server.faults().fillMemory(true);
		this.store.actions().pause(this.shard, paused);
		assertThat(this.store.inspection().counts(this.shard).paused()).isEqualTo(paused);
	}

}
