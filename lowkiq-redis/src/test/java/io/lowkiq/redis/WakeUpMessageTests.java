package io.lowkiq.redis;

import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link WakeUpMessage}. */
class WakeUpMessageTests {

	@Test
	void shardIsNamed() {
		Shard shard = new Shard("orders", 1, 0);
		assertThat(WakeUpMessage.shard(shard.toString())).contains(shard);
	}

	@Test
	void otherMessagesNameNoShard() {
		assertThat(WakeUpMessage.shard(WakeUpMessage.ECHO)).isEmpty();
		assertThat(WakeUpMessage.shard(WakeUpMessage.CHANGED)).isEmpty();
		assertThat(WakeUpMessage.shard("a:b:c")).isEmpty();
	}

}
