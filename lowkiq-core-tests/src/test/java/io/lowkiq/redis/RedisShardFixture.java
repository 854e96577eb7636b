package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.LongStream;

import io.lowkiq.StoreException;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.job.EnqueuedFollowUps;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.NextFollowUps;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.StoredFollowUp;
import io.lowkiq.testing.ShardState;
import io.lowkiq.testing.TestRedis;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** One shard on Redis under a clock that tests set, and one owner of it. */
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

	/** As far as the owner knows. */
	private int busy;

	RedisShardFixture(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
		this.redis = new StringRedisTemplate(connectionFactory);
		InstantSource clock = () -> this.now;
		this.store = new RedisStore(connectionFactory, this.prefix, clock);
		// Known, as if somebody had served it before
		this.store.actions().pause(this.shard, false);
	}

	RedisShardFixture() {
		this(TestRedis.shared().connectionFactory());
	}

	ShardStore shards() {
		return this.store.shards();
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

	static NewPayload newPayload(String id, String payload) {
		return NewPayload.of(id, payload.getBytes(StandardCharsets.UTF_8));
	}

	static Payload payload(String payload, double score) {
		return new Payload(payload.getBytes(StandardCharsets.UTF_8), score);
	}

	EnqueueResult enqueue(NewPayload... payloads) {
		return shards().enqueue(this.shard, List.of(payloads));
	}

	Acquisition.Acquired acquire(LeaseRequest request) {
		Acquisition.Acquired acquired = (Acquisition.Acquired) answer(shards().acquire(this.shard, request));
		this.busy = acquired.kept() ? this.busy : 0;
		this.lease = acquired.lease();
		this.sequence = 0;
		return acquired;
	}

	Lease own() {
		return acquire(LeaseRequest.forFreeShard("me")).lease();
	}

	Lease lease() {
		return this.lease;
	}

	long nextSequence() {
		return ++this.sequence;
	}

	FetchResult.Fetched completeAndFetch(Fetch fetch, Outcome... outcomes) {
		int known = this.busy;
		FetchResult.Fetched fetched = (FetchResult.Fetched) answer(
				shards().completeAndFetch(this.lease, nextSequence(), known, List.of(outcomes), fetch));
		this.busy = this.redis.opsForHash().size(key("busy")).intValue();
		return fetched;
	}

	FetchResult completeAndFetch(Lease by, long number, int known, Fetch fetch, Outcome... outcomes) {
		return answer(shards().completeAndFetch(by, number, known, List.of(outcomes), fetch));
	}

	boolean release(Outcome... outcomes) {
		return answer(shards().release(this.lease, nextSequence(), List.of(outcomes)));
	}

	List<StoredFollowUp> moveFollowUps(long... enqueued) {
		List<Long> numbers = LongStream.of(enqueued).boxed().toList();
		Shard target = new Shard("mails", 1, 0);
		NextFollowUps next = shards().moveFollowUps(this.lease, List.of(new EnqueuedFollowUps(target, numbers)), 0)
			.join();
		return next.followUps();
	}

	/** Waits for the answer of a call; throws what it ended with. */
	static <T> T answer(CompletableFuture<T> call) {
		try {
			return call.get(60, TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			throw (StoreException) ex.getCause();
		}
		catch (InterruptedException | TimeoutException ex) {
			throw new IllegalStateException(ex);
		}
	}

	List<FetchedJob> fetch(int jobs, Outcome... outcomes) {
		return completeAndFetch(new Fetch(jobs, 1_000, false), outcomes).jobs();
	}

	/** Fetches and finishes until nothing is due. */
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
