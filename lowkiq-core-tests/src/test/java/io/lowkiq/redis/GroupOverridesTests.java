package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;

import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverrides;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.testing.LogLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests what is read of settings of groups that somebody has changed by hand.
 */
class GroupOverridesTests {

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final RedisStore store = this.redis.store();

	private final QueueLayout queue = this.store.queues().register("sync", 1);

	@RegisterExtension
	private final LogLines log = new LogLines("io.lowkiq.redis");

	private void set(String field, String value) {
		this.redis.call(bytes("HSET"), bytes("lowkiq:{queues}:groups:1:sync"), bytes(field), bytes(value)).join();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Test
	void settingThatCanNotBeReadHasNoEffectAndAPauseHolds() {
		set("revision", "1");
		set("weight:a", "5 7 anna");
		set("pause:a", "odd");
		set("concurrency:a", "5 0 anna");
		set("concurrency:b", "5 99999999 anna");
		set("rate:b", "5 20/0/0 anna");
		set("rate:c", "5 20/70000/0 anna");
		set("odd:c", "5 1 anna");
		set("odd", "1");
		GroupOverrides read = this.store.queues().overrides(this.queue);
		assertThat(this.store.queues().overrides(this.queue)).isEqualTo(read);
		assertThat(read.groups().get("a")).isEqualTo(new GroupOverride(new GroupOverride.Change<>(true, "", 0), null,
				null, new GroupOverride.Change<>(7, "anna", 5)));
		assertThat(read.groups().get("b")).isEqualTo(GroupOverride.NONE);
		assertThat(read.groups().get("c")).isEqualTo(GroupOverride.NONE);
		assertThat(this.log.warnings()).hasSize(5)
			.allMatch((line) -> line.contains("has no effect") && line.contains("lowkiq:{queues}:groups:1:sync"));
	}

}
