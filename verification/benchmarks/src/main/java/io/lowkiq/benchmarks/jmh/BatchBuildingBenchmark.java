package io.lowkiq.benchmarks.jmh;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lowkiq.store.StoredFollowUp;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Origin;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.FetchResult;
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

	private final LowkiqClient client = new ShardedLowkiqClient(new WorkerRegistry(List.of()), this.drain,
			new OneQueue(), new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);

	/**
	 * A bulk enqueue into a store that costs nothing.
	 * @return how much the store was given
	 */
	@Benchmark
	@OperationsPerInvocation(REQUESTS)
	public long enqueueAll() {
		this.client.enqueueAll(QUEUE, this.requests);
		return this.drain.taken;
	}

	/**
	 * Takes everything that is enqueued.
	 */
	private static final class Drain implements ShardStore {

		private long taken;

		@Override
		public EnqueueResult enqueue(Shard shard, List<NewPayload> payloads) {
			this.taken += payloads.size();
			return new EnqueueResult(0, 0);
		}

		@Override
		public boolean isQueued(Shard shard, String id) {
			throw new UnsupportedOperationException();
		}

		@Override
		public CompletableFuture<Acquisition> acquire(Shard shard, LeaseRequest request) {
			throw new UnsupportedOperationException();
		}

		@Override
		public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy,
				List<Outcome> outcomes, Fetch fetch) {
			throw new UnsupportedOperationException();
		}

		@Override
		public CompletableFuture<EnqueueResult> enqueueFollowUps(Shard shard, List<NewPayload> payloads,
				long forgotten) {
			throw new UnsupportedOperationException();
		}

		@Override
		public CompletableFuture<List<Shard>> followUpTargets(Lease lease, Collection<Shard> forgotten) {
			throw new UnsupportedOperationException();
		}

		@Override
		public CompletableFuture<Boolean> forgetOrigin(Shard shard, Origin last, boolean orEarlier) {
			throw new UnsupportedOperationException();
		}

		@Override
		public CompletableFuture<List<StoredFollowUp>> moveFollowUps(Lease lease, Collection<Long> enqueued,
				Collection<Shard> targets, long after) {
			throw new UnsupportedOperationException();
		}

		@Override
		public CompletableFuture<Boolean> release(Lease lease, long sequence, List<Outcome> outcomes) {
			throw new UnsupportedOperationException();
		}

	}

	/**
	 * Knows one queue.
	 */
	private static final class OneQueue implements QueueRegistry {

		private static final QueueLayout LAYOUT = new QueueLayout(QUEUE, 1, 5);

		@Override
		public QueueLayout register(String name, int shards) {
			return LAYOUT;
		}

		@Override
		public Optional<QueueLayout> find(String name) {
			return Optional.of(LAYOUT);
		}

		@Override
		public boolean beginRemoval(QueueLayout queue) {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean cancelRemoval(QueueLayout queue) {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean endRemoval(QueueLayout queue) {
			throw new UnsupportedOperationException();
		}

		@Override
		public List<QueueLayout> all() {
			return List.of(LAYOUT);
		}

	}

}
