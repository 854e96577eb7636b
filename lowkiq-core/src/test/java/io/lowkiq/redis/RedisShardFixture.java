package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Claim;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Payload;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.FetchResult;
import io.lowkiq.testing.ShardState;
import io.lowkiq.testing.TestRedis;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * One shard on Redis under a clock that tests set, and one owner of it.
 */
final class RedisShardFixture implements AutoCloseable {

	static final long NOW = 1_700_000_000_000L;

	final String prefix = TestRedis.uniquePrefix();

	final Shard shard = new Shard("orders", 1, 0);

	final RedisConnectionFactory connectionFactory;

	final StringRedisTemplate redis;

	final RedisStore store;

	Instant now = Instant.ofEpochMilli(NOW);

	private Lease lease = new Lease(this.shard, "nobody", 0);

	private long sequence;

	RedisShardFixture(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
		this.redis = new StringRedisTemplate(connectionFactory);
		InstantSource clock = () -> this.now;
		this.store = new RedisStore(connectionFactory, this.prefix, clock);
	}

	RedisShardFixture() {
		this(TestRedis.shared().connectionFactory());
	}

	ShardStore shardStore() {
		return this.store.shardStore();
	}

	String key(String name) {
		return this.prefix + ":{" + this.shard + "}:" + name;
	}

	ShardState state() {
		return ShardState.read(this.redis, key("meta")).orElseThrow();
	}

	void advance(long millis) {
		this.now = this.now.plusMillis(millis);
	}

	long millis() {
		return this.now.toEpochMilli();
	}

	static NewPayload push(String id, String payload) {
		return NewPayload.of(id, payload.getBytes(StandardCharsets.UTF_8));
	}

	static Payload payload(String payload, double score) {
		return new Payload(payload.getBytes(StandardCharsets.UTF_8), score);
	}

	EnqueueResult enqueue(NewPayload... pushes) {
		return shardStore().push(this.shard, List.of(pushes));
	}

	Acquisition.Acquired acquire(Claim claim) {
		Acquisition.Acquired acquired = (Acquisition.Acquired) shardStore().acquire(this.shard, claim);
		this.lease = acquired.lease();
		this.sequence = 0;
		return acquired;
	}

	Lease own() {
		return acquire(Claim.free("me")).lease();
	}

	Lease lease() {
		return this.lease;
	}

	long nextSequence() {
		return ++this.sequence;
	}

	FetchResult.Fetched turn(Fetch fetch, Outcome... outcomes) {
		return (FetchResult.Fetched) shardStore().turn(this.lease, nextSequence(), List.of(outcomes), fetch);
	}

	List<FetchedJob> fetch(int jobs, Outcome... outcomes) {
		return turn(new Fetch(jobs, 1_000, false), outcomes).jobs();
	}

	List<FetchedJob> fetchSuspect() {
		return turn(new Fetch(10, 1_000, true)).jobs();
	}

	/**
	 * Fetches and finishes until nothing is due.
	 * @return all the jobs in their order
	 */
	List<FetchedJob> drain() {
		List<FetchedJob> all = new ArrayList<>();
		List<FetchedJob> jobs = fetch(100);
		while (!jobs.isEmpty()) {
			all.addAll(jobs);
			jobs = fetch(100, jobs.stream().map((job) -> new Outcome.Done(job.id())).toArray(Outcome[]::new));
		}
		return all;
	}

	@Override
	public void close() {
		this.store.close();
		TestRedis.destroy(this.connectionFactory);
	}

}
