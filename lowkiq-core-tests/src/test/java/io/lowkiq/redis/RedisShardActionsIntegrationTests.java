package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.lowkiq.StoreException;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.inspection.EditResult;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Outcome;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static io.lowkiq.testing.Outcomes.buried;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What people do to jobs, on a real Redis: what they leave there, and what they do about
 * what they can't read. The contract is in {@code io.lowkiq.store}.
 */
class RedisShardActionsIntegrationTests {

	@AutoClose
	private final RedisShardFixture fixture = new RedisShardFixture();

	private final ShardActions actions = this.fixture.store.actions();

	private ShardCounts counts() {
		return this.fixture.store.inspection().counts(this.fixture.shard);
	}

	private JobView dead(String id) {
		return this.fixture.store.inspection().find(this.fixture.shard, JobView.State.DEAD, id, 10).orElseThrow();
	}

	@Test
	void aPayloadIsNotEditedIfWhatFollowsItCanNotBeRead() {
		String cut = "\0lowkiq\1\0\0\0\7x";
		this.actions.bury(this.fixture.shard, "a", new byte[] { '1' }, 1, "failed");
		this.fixture.redis.opsForZSet().add(this.fixture.key("d:a"), cut, 0);
		assertThat(this.actions.editDead(this.fixture.shard, "a", cut.getBytes(StandardCharsets.UTF_8),
				new byte[] { '2' }))
			.isEqualTo(EditResult.UNREADABLE);
		assertThat(dead("a").payloads()).hasSize(2);
	}

	@Test
	void keyOfAWrongTypeIsAnErrorAndNothingIsChanged() {
		this.fixture.own();
		this.fixture.enqueue(newPayload("failed", "1"), newPayload("suspect", "1"), newPayload("dead", "1"));
		this.fixture.fetch(3);
		this.fixture.completeAndFetch(Fetch.NONE, new Outcome.Retry("failed", 60_000, "oops"),
				new Outcome.Retry("suspect", 60_000, "oops", true), buried("dead", "oops"));
		this.fixture.enqueue(newPayload("a", "1"));
		assertWrongTypesAreRefused(() -> this.actions.performAllNow(this.fixture.shard, 9), "jobs", "delayed",
				"suspects");
		assertWrongTypesAreRefused(() -> this.actions.killAllFailed(this.fixture.shard, 9), "jobs", "ready", "delayed",
				"suspects", "retries", "morgue", "morgue-times", "p:failed", "d:failed");
		assertWrongTypesAreRefused(() -> this.actions.delete(this.fixture.shard, List.of("a", "failed")), "jobs",
				"ready", "delayed", "suspects", "retries", "p:failed");
		assertWrongTypesAreRefused(() -> this.actions.reEnqueue(this.fixture.shard, List.of("dead")), "jobs", "delayed",
				"suspects", "busy", "retries", "morgue", "morgue-times", "p:dead", "d:dead");
	}

	private void assertWrongTypesAreRefused(ThrowingCallable action, String... names) {
		ShardCounts before = counts();
		String aside = this.fixture.key("aside");
		for (String name : names) {
			String key = this.fixture.key(name);
			boolean exists = this.fixture.redis.hasKey(key);
			if (exists) {
				this.fixture.redis.rename(key, aside);
			}
			this.fixture.redis.opsForValue().set(key, "wrong");
			assertThatExceptionOfType(StoreException.class).as(name)
				.isThrownBy(action)
				.withMessageContaining("WRONGTYPE");
			this.fixture.redis.delete(key);
			if (exists) {
				this.fixture.redis.rename(aside, key);
			}
			assertThat(counts()).as(name).isEqualTo(before);
		}
	}

}
