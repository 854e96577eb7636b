package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.StoreException;
import io.lowkiq.redis.ShardActions.Step;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.inspection.EditResult;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.lowkiq.redis.RedisShardFixture.NOW;
import static io.lowkiq.redis.RedisShardFixture.payload;
import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static org.assertj.core.api.Assertions.assertThat;
import static io.lowkiq.testing.Outcomes.buried;
import static io.lowkiq.testing.Outcomes.rejected;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What people do to jobs, on a real Redis: what they leave there, and what they do about
 * what they can't read. The contract is in {@code io.lowkiq.store}.
 */
class RedisShardActionsIntegrationTests {

	@AutoClose
	private final RedisShardFixture fixture = new RedisShardFixture();

	private final ShardActions actions = this.fixture.store.actions();

	private void fail(String... ids) {
		this.fixture.fetch(100,
				List.of(ids).stream().map((id) -> new Outcome.Retry(id, 60_000, "oops " + id)).toArray(Outcome[]::new));
	}

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
	void failedJobsAreDeleted() {
		this.fixture.own();
		this.fixture.enqueue(newPayload("a", "1"), newPayload("b", "1"), newPayload("b", "2"));
		this.fixture.fetch(2);
		fail("a", "b");
		this.fixture.enqueue(newPayload("fresh", "1"));
		assertThat(this.actions.deleteAllFailed(this.fixture.shard, 1)).isEqualTo(new Step(1, true));
		assertThat(this.actions.deleteAllFailed(this.fixture.shard, 1)).isEqualTo(new Step(1, false));
		assertThat(this.fixture.drain()).extracting(FetchedJob::id).containsExactly("fresh");
		assertThat(this.fixture.redis.keys(this.fixture.prefix + "*")).containsExactly(this.fixture.key("meta"));
	}

	@Test
	void namedJobsAreDeletedFromAnyPlace() {
		this.fixture.own();
		this.fixture.enqueue(newPayload("line", "1"), newPayload("line", "2"), newPayload("stays", "1"),
				newPayload("later", "1").withPerformAt(NOW + 5));
		assertThat(this.actions.delete(this.fixture.shard, List.of("line", "later", "none")))
			.isEqualTo(new Step(2, false));
		this.fixture.enqueue(newPayload("line", "3"));
		assertThat(this.fixture.drain()).extracting(FetchedJob::id).containsExactly("stays", "line");
		assertThat(this.fixture.redis.keys(this.fixture.prefix + "*")).containsExactly(this.fixture.key("meta"));
	}

	@Test
	void enqueuedAgainPayloadsMergeWithWhatIsQueued() {
		this.fixture.own();
		for (int dead = 1; dead <= 2; dead++) {
			for (int queued = 0; queued <= 2; queued++) {
				String id = dead + "-" + queued;
				List<NewPayload> payloads = new ArrayList<>();
				IntStream.range(0, dead).forEach((i) -> payloads.add(newPayload(id, "p" + i).withScore(i)));
				this.fixture.shards().enqueue(this.fixture.shard, payloads);
				this.fixture.fetch(1);
				this.fixture.completeAndFetch(Fetch.NONE,
						rejected(id, IntStream.range(0, dead).boxed().toList(), "unreadable"));
				payloads.clear();
				IntStream.range(0, queued).forEach((i) -> payloads.add(newPayload(id, "p" + 2 * i).withScore(-i)));
				if (queued > 0) {
					this.fixture.shards().enqueue(this.fixture.shard, payloads);
				}
				this.actions.reEnqueue(this.fixture.shard, List.of(id));
				List<String> expected = new ArrayList<>();
				if (queued == 2) {
					expected.add("p2");
				}
				expected.add("p0");
				if (dead == 2) {
					expected.add("p1");
				}
				List<FetchedJob> jobs = this.fixture.fetch(1);
				assertThat(jobs.get(0).payloads()).as(id)
					.extracting((payload) -> new String(payload.bytes()))
					.containsExactlyElementsOf(expected);
				this.fixture.fetch(0, new Outcome.Done(id));
			}
		}
		assertThat(this.fixture.redis.keys(this.fixture.prefix + "*")).containsExactly(this.fixture.key("meta"));
	}

	@Test
	void deadJobsAreDeleted() {
		this.fixture.own();
		this.fixture.enqueue(newPayload("a", "1"), newPayload("b", "1"), newPayload("c", "1"));
		this.fixture.fetch(3);
		this.fixture.completeAndFetch(Fetch.NONE, buried("a", ""), buried("b", ""), buried("c", ""));
		assertThat(this.actions.deleteAllDead(this.fixture.shard, 9, NOW)).isEqualTo(new Step(0, false));
		assertThat(this.actions.deleteDead(this.fixture.shard, List.of("b", "none"))).isEqualTo(new Step(1, false));
		assertThat(this.actions.deleteAllDead(this.fixture.shard, 1, NOW + 1)).isEqualTo(new Step(1, true));
		assertThat(this.actions.deleteAllDead(this.fixture.shard, 1, NOW + 1)).isEqualTo(new Step(1, false));
		assertThat(this.fixture.redis.keys(this.fixture.prefix + "*")).containsExactly(this.fixture.key("meta"));
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
