package io.lowkiq.test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.lowkiq.WorkerRegistry;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.ShardInspection;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.NodeInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class StoreContentsTests {

	private final InstantSource clock = InstantSource.system();

	private final RedisStore store = InMemoryRedis.newStore(this.clock);

	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void aJobThatIsFetchedAfterAReadingIsFoundAllTheSame(int reading) {
		Shard shard = this.store.queues().register("orders", 1).shard(0);
		this.store.shards().enqueue(shard, List.of(NewPayload.of("42", new byte[] { '1' })));
		RedisStore fetched = afterReading(reading, () -> fetch(shard));
		StoreContents contents = new StoreContents(fetched, new WorkerRegistry(List.of()), new JacksonPayloadCodec());
		assertThat(contents.isBusy((queue) -> true, this.clock.instant())).isTrue();
		assertThat(this.store.inspection().counts(shard).busy()).isOne();
	}

	private void fetch(Shard shard) {
		this.store.nodes()
			.join("session", new NodeInfo("node", 0, Duration.ofMinutes(1), Set.of(shard.queue()), false));
		Acquisition.Acquired acquired = (Acquisition.Acquired) this.store.shards()
			.acquire(shard, LeaseRequest.forFreeShard("session"))
			.join();
		this.store.shards().completeAndFetch(acquired.lease(), 1, 0, List.of(), new Fetch(10, 10, false)).join();
	}

	/** The store, in which something happens right after one of the readings. */
	private RedisStore afterReading(int number, Runnable event) {
		AtomicInteger readings = new AtomicInteger();
		ShardInspection honest = this.store.inspection();
		ShardInspection inspection = mock(ShardInspection.class, (call) -> {
			Object answer = call.getMethod().invoke(honest, call.getArguments());
			if (readings.incrementAndGet() == number) {
				event.run();
			}
			return answer;
		});
		RedisStore changed = mock(RedisStore.class, delegatesTo(this.store));
		given(changed.inspection()).willReturn(inspection);
		return changed;
	}

}
