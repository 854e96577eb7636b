package io.lowkiq.benchmarks.jmh;

import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.store.NewPayload;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.Shard;
import io.lowkiq.testing.ForwardingShardStore;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The client's work on a thousand requests before they go to the store: checks, bytes,
 * grouping by shard. Per request.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class BatchBuildingBenchmark {

	private static final int REQUESTS = 1_000;

	private static final String QUEUE = "orders";

	private final List<JobRequest<String>> requests = IntStream.range(0, REQUESTS)
		.mapToObj((i) -> JobRequest.of(Integer.toString(i), "payload-" + i))
		.toList();

	private final Drain drain = new Drain();

	private final LowkiqClient client = new ShardedLowkiqClient(new WorkerRegistry(List.of()), this.drain, queues(),
			new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);

	private static QueueRegistry queues() {
		QueueRegistry queues = InMemoryRedis.newStore(InstantSource.system()).queues();
		queues.register(QUEUE, 5);
		return queues;
	}

	/** A bulk enqueue into a store that costs nothing. */
	@Benchmark
	@OperationsPerInvocation(REQUESTS)
	public long enqueueAll() {
		this.client.enqueueAll(QUEUE, this.requests);
		return this.drain.taken;
	}

	/**
	 * Takes everything that is enqueued.
	 */
	private static final class Drain extends ForwardingShardStore {

		private long taken;

		@Override
		public EnqueueResult enqueue(Shard shard, List<NewPayload> payloads) {
			this.taken += payloads.size();
			return new EnqueueResult(0, 0);
		}

	}

}
