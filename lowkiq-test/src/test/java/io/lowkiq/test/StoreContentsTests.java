package io.lowkiq.test;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.lowkiq.WorkerRegistry;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.ShardInspection;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class StoreContentsTests {

	private final InstantSource clock = InstantSource.system();

	private final RedisStore store = InMemoryRedis.newStore(this.clock);

	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void aJobThatIsFetchedAfterAReadingIsFoundAllTheSame(int reading) {
		Shard shard = this.store.queues().register("orders", 1).shard(0);
		this.store.shards().enqueue(shard, List.of(NewPayload.of("42", new byte[] { '1' })));
		InspectableStore fetched = afterReading(reading, () -> fetch(shard));
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
	private InspectableStore afterReading(int number, Runnable event) {
		ShardInspection honest = this.store.inspection();
		AtomicInteger readings = new AtomicInteger();
		ShardInspection inspection = (ShardInspection) Proxy.newProxyInstance(ShardInspection.class.getClassLoader(),
				new Class<?>[] { ShardInspection.class }, (proxy, method, arguments) -> {
					Object answer = method.invoke(honest, arguments);
					if (readings.incrementAndGet() == number) {
						event.run();
					}
					return answer;
				});
		return (InspectableStore) Proxy.newProxyInstance(InspectableStore.class.getClassLoader(),
				new Class<?>[] { InspectableStore.class },
				(proxy, method, arguments) -> method.getName().equals("inspection") ? inspection
						: method.invoke(this.store, arguments));
	}

}
