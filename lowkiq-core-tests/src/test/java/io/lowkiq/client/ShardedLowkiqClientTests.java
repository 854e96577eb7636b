package io.lowkiq.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.InvalidJobException;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.JobRequest;
import io.lowkiq.LayoutMismatchException;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.NotEnqueued;
import io.lowkiq.PartlyEnqueuedException;
import io.lowkiq.PayloadException;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.StoreFullException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.ForwardingShardStore;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ShardedLowkiqClientTests {

	private final RedisStore memory = InMemoryRedis.newStore(() -> Instant.EPOCH);

	private final EnqueueCalls payloads = new EnqueueCalls();

	private final RegisteredWorker orders = new RegisteredWorker("orders", OrderWorker.class, String.class,
			new RegisteredWorker.Settings(4, 1, 5, 10, 1, 0), OrderWorker::new);

	private final ShardedLowkiqClient client = client(List.of(), LowkiqObserver.NONE);

	record Unwritable(int value) {

		@Override
		public int value() {
			throw new IllegalStateException("boom");
		}

	}

	static class OrderWorker implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

		@Override
		public JobRequest<String> toJob(String payload) {
			return JobRequest.of("id of " + payload, payload).score(7);
		}

	}

	private ShardedLowkiqClient client(List<EnqueueInterceptor> interceptors, LowkiqObserver observer) {
		return new ShardedLowkiqClient(new WorkerRegistry(List.of(this.orders)), this.payloads, this.memory.queues(),
				new JacksonPayloadCodec(), interceptors, observer);
	}

	@Test
	void enqueuesIntoTheShardOfTheId() {
		this.client.enqueue(OrderWorker.class, "42", "paid");
		Shard shard = this.memory.queues().find("orders").orElseThrow().shardOf("42");
		assertThat(this.payloads.calls).singleElement().satisfies((call) -> {
			assertThat(call.shard()).isEqualTo(shard);
			assertThat(call.payloads()).singleElement().satisfies((push) -> {
				assertThat(push.id()).isEqualTo("42");
				assertThat(push.payload()).asString().isEqualTo("\"paid\"");
				assertThat(push.score()).isNull();
				assertThat(push.performAt()).isNull();
				assertThat(push.delay()).isZero();
			});
		});
	}

	@Test
	void aTimeIsRoundedUpSoThatNothingStartsEarly() {
		this.client.enqueue(OrderWorker.class, JobRequest.of("a", "x").performAt(Instant.ofEpochSecond(5, 1)));
		this.client.enqueue(OrderWorker.class, JobRequest.of("a", "x").performIn(Duration.ofNanos(1)));
		assertThat(this.payloads.all()).extracting(NewPayload::performAt).containsExactly(5_001L, null);
		assertThat(this.payloads.all()).extracting(NewPayload::delay).containsExactly(0L, 1L);
	}

	@Test
	void theWorkerMakesAJobOfAPayload() {
		this.client.enqueue(OrderWorker.class, "paid");
		assertThat(this.payloads.all()).singleElement().satisfies((push) -> {
			assertThat(push.id()).isEqualTo("id of paid");
			assertThat(push.score()).isEqualTo(7.0);
		});
	}

	@Test
	void manyAreGroupedByShardInTheirOrderAndCutIntoChunks() {
		this.client.enqueueAll(OrderWorker.class,
				IntStream.range(0, 9_000).mapToObj((i) -> JobRequest.of("id" + i, "p" + i)).toList());
		assertThat(this.payloads.all()).hasSize(9_000);
		assertThat(this.payloads.calls).hasSizeBetween(9, 13)
			.allSatisfy((call) -> assertThat(call.payloads()).hasSizeLessThanOrEqualTo(1_000));
		for (int shard = 0; shard < 4; shard++) {
			int index = shard;
			assertThat(this.payloads.calls.stream()
				.filter((call) -> call.shard().index() == index)
				.flatMap((call) -> call.payloads().stream())
				.mapToInt((push) -> Integer.parseInt(push.id().substring(2)))).isSorted();
		}
	}

	@Test
	void largePayloadsAndNextStepsMakeSmallChunks() {
		String large = "x".repeat(400_000);
		this.client.enqueueAll("orders",
				IntStream.range(0, 5)
					.mapToObj((i) -> (i % 2 == 0) ? JobRequest.of("same", large + i)
							: JobRequest.of("same", "p" + i).then("orders", JobRequest.of("next", large)))
					.toList());
		assertThat(this.payloads.calls).extracting((call) -> call.payloads().size()).containsExactly(2, 2, 1);
	}

	@Test
	void nothingIsWrittenWhenOnePayloadCanNotBeEncoded() {
		this.memory.queues().register("other", 2);
		List<JobRequest<?>> requests = List.of(JobRequest.of("a", "good"), JobRequest.of("b", new Unwritable(1)));
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.client.enqueueAll("other", requests));
		assertThat(this.payloads.calls).isEmpty();
	}

	@Test
	void aPayloadOfAnotherTypeIsRefusedBeforeAnythingIsWritten() {
		List<JobRequest<?>> requests = List.of(JobRequest.of("a", "good"), JobRequest.of("9", 7L));
		assertThatExceptionOfType(InvalidJobException.class)
			.isThrownBy(() -> this.client.enqueueAll("orders", requests))
			.withMessage("The payload of job '9' is of java.lang.Long, but the worker of queue 'orders', "
					+ OrderWorker.class.getName() + ", takes java.lang.String");
		assertThat(this.payloads.calls).isEmpty();
	}

	@Test
	void aRequestMayHaveASubtypeOfThePayloadType() {
		RegisteredWorker events = new RegisteredWorker("events", EventWorker.class, Event.class,
				RegisteredWorker.Settings.DEFAULTS, EventWorker::new);
		ShardedLowkiqClient ofEvents = new ShardedLowkiqClient(new WorkerRegistry(List.of(events)), this.payloads,
				this.memory.queues(), new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);
		ofEvents.enqueue(EventWorker.class, JobRequest.of("1", new Created("anna")));
		assertThat(this.payloads.all()).singleElement()
			.satisfies((payload) -> assertThat(payload.payload()).asString()
				.isEqualTo("{\"@type\":\"created\",\"by\":\"anna\"}"));
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	@JsonSubTypes(@JsonSubTypes.Type(value = Created.class, name = "created"))
	interface Event {

	}

	record Created(String by) implements Event {
	}

	static class EventWorker implements Worker<Event> {

		@Override
		public void perform(String id, List<Event> payloads) {
		}

	}

	@Test
	void aClassThatServesSeveralQueuesIsRefused() {
		RegisteredWorker archive = new RegisteredWorker("archive", OrderWorker.class, String.class,
				RegisteredWorker.Settings.DEFAULTS, OrderWorker::new);
		ShardedLowkiqClient ofBoth = new ShardedLowkiqClient(new WorkerRegistry(List.of(this.orders, archive)),
				this.payloads, this.memory.queues(), new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);
		assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> ofBoth.enqueue(OrderWorker.class, "42", "paid"))
			.withMessage(OrderWorker.class.getName()
					+ " serves several queues: orders, archive. Enqueue by the queue's name");
		assertThat(this.payloads.calls).isEmpty();
		ofBoth.enqueue("archive", "42", "paid");
		assertThat(this.payloads.all()).hasSize(1);
	}

	@Test
	void nullsAreRefused() {
		assertThatExceptionOfType(InvalidJobException.class)
			.isThrownBy(() -> this.client.enqueue(OrderWorker.class, (String) null));
		assertThatExceptionOfType(InvalidJobException.class)
			.isThrownBy(() -> this.client.enqueue("orders", (JobRequest<?>) null));
		assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> this.client.enqueue("orders", null, "x"));
	}

	@Test
	void anUnknownQueueIsLookedUpEachTime() {
		assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> this.client.enqueue("other", "a", "x"))
			.withMessageContaining("start an application with its worker");
		this.memory.queues().register("other", 2);
		this.client.enqueue("other", "a", "x");
		assertThat(this.payloads.all()).hasSize(1);
		assertThatExceptionOfType(InvalidQueueException.class)
			.isThrownBy(() -> this.client.enqueue("no name", "a", "x"));
	}

	@Test
	void anotherNumberOfShardsIsRefused() {
		this.memory.queues().register("orders", 3);
		assertThatExceptionOfType(LayoutMismatchException.class)
			.isThrownBy(() -> this.client.enqueue("orders", "a", "x"));
		assertThat(this.payloads.calls).isEmpty();
	}

	@Test
	void interceptorsMayChangeAndDropJobs() {
		List<EnqueueInterceptor> interceptors = List.of((call, chain) -> {
			if (!call.requests().get(0).id().equals("drop")) {
				chain.proceed(call);
			}
		}, (call, chain) -> chain
			.proceed(new EnqueueInterceptor.Call(call.queue(), List.of(JobRequest.of("changed", "x")))));
		ShardedLowkiqClient intercepted = client(interceptors, LowkiqObserver.NONE);
		intercepted.enqueue("orders", "drop", "x");
		intercepted.enqueue("orders", "a", "x");
		assertThat(this.payloads.all()).extracting(NewPayload::id).containsExactly("changed");
	}

	@Test
	void theObserverIsToldAndMayThrow() {
		AtomicInteger jobs = new AtomicInteger();
		ShardedLowkiqClient observed = client(List.of(), new LowkiqObserver() {
			@Override
			public void enqueued(String queue, int count, int merged, Duration took) {
				jobs.addAndGet(count);
				throw new IllegalStateException("boom");
			}
		});
		observed.enqueueAll("orders", List.of(JobRequest.of("a", "x"), JobRequest.of("b", "y")));
		assertThat(jobs).hasValue(2);
	}

	@Test
	void aShardThatRefusesHoldsUpNoOtherAndTheExceptionNamesWhatIsNotIn() {
		Set<String> refused = new TreeSet<>();
		AtomicInteger in = new AtomicInteger();
		AtomicInteger failed = new AtomicInteger();
		ShardedLowkiqClient observed = client(List.of(), new LowkiqObserver() {

			@Override
			public void enqueued(String queue, int count, int merged, Duration took) {
				in.addAndGet(count);
			}

			@Override
			public void enqueueFailed(String queue, int count, Duration took) {
				failed.addAndGet(count);
			}

		});
		List<JobRequest<?>> requests = IntStream.range(0, 9_000)
			.<JobRequest<?>>mapToObj((i) -> JobRequest.of("id" + i, "p" + i))
			.toList();
		this.payloads.refused = 2;
		assertThatExceptionOfType(PartlyEnqueuedException.class)
			.isThrownBy(() -> observed.enqueueAll("orders", requests))
			.withCauseInstanceOf(StoreFullException.class)
			.withMessageContaining("of 9000 payloads for queue 'orders'")
			.satisfies((ex) -> assertThat(ex.notEnqueued()).singleElement().satisfies((some) -> {
				assertThat(some.shard()).isEqualTo(2);
				assertThat(some.positions()).isSorted();
				some.positions().forEach((position) -> refused.add(requests.get(position).id()));
			}));
		assertThat(this.payloads.calls).noneMatch((call) -> call.shard().index() == 2);
		assertThat(this.payloads.all()).hasSize(9_000 - refused.size())
			.noneMatch((payload) -> refused.contains(payload.id()));
		assertThat(in).hasValue(9_000 - refused.size());
		assertThat(failed).hasValue(refused.size());
	}

	@Test
	void aBatchOfWhichNothingIsInFailsWithTheProblemItself() {
		this.payloads.refused = this.memory.queues().register("orders", 4).shardIndexOf("a");
		assertThatExceptionOfType(StoreFullException.class).isThrownBy(
				() -> this.client.enqueueAll("orders", List.of(JobRequest.of("a", "1"), JobRequest.of("a", "2"))));
	}

	@Test
	void aSourceIsReadNoFurtherThanOnePartBeforeItIsEnqueued() {
		AtomicInteger read = new AtomicInteger();
		AtomicInteger furthest = new AtomicInteger();
		this.payloads.before = () -> furthest.accumulateAndGet(read.get() - this.payloads.count(), Math::max);
		this.client.enqueueAll("orders", source(45_000, "x", read));
		assertThat(furthest).hasValueBetween(1, RequestParts.MAX_REQUESTS);
		assertThat(this.payloads.all()).hasSize(45_000);
		assertThat(ofId("7"))
			.isEqualTo(IntStream.range(0, 45_000).filter((i) -> i % 100 == 7).mapToObj(String::valueOf).toList());
	}

	@Test
	void aSourceOfLargePayloadsIsReadInSmallParts() {
		AtomicInteger read = new AtomicInteger();
		AtomicInteger furthest = new AtomicInteger();
		this.payloads.before = () -> furthest.accumulateAndGet(read.get() - this.payloads.count(), Math::max);
		this.client.enqueueAll("orders", source(300, "x".repeat(100_000), read));
		assertThat(furthest.get() * 100_000L).isBetween(1L, RequestParts.MAX_BYTES + 200_000);
		assertThat(this.payloads.all()).hasSize(300);
	}

	@Test
	void aSmallBatchIsOnePart() {
		AtomicInteger calls = new AtomicInteger();
		ShardedLowkiqClient intercepted = client(List.of((call, chain) -> {
			calls.incrementAndGet();
			chain.proceed(call);
		}), LowkiqObserver.NONE);
		intercepted.enqueueAll("orders", source(RequestParts.MAX_REQUESTS, "x", new AtomicInteger()));
		assertThat(calls).hasValue(1);
		assertThat(this.payloads.calls).hasSizeLessThanOrEqualTo(4 * 3);
	}

	@Test
	void aLaterPartThatCanNotBeEncodedSaysHowManyAreIn() {
		AtomicInteger read = new AtomicInteger();
		List<JobRequest<?>> requests = new ArrayList<>();
		source(25_000, "x", read).forEach(requests::add);
		requests.set(24_000, JobRequest.of("bad", 1));
		requests.addAll(List.copyOf(requests));
		assertThatExceptionOfType(PartlyEnqueuedException.class)
			.isThrownBy(() -> this.client.enqueueAll("orders", requests))
			.withCauseInstanceOf(InvalidJobException.class)
			.withMessageContaining("The first 20000 payloads for queue 'orders' are enqueued; later ones may not be: ")
			.satisfies((ex) -> {
				assertThat(ex.payloads()).isEqualTo(20_000);
				assertThat(ex.notEnqueued()).isEmpty();
			});
		assertThat(this.payloads.all()).hasSize(20_000);
	}

	@Test
	void theThirdPartThatIsRefusedByAShardNamesThePositionsInTheWhole() {
		AtomicInteger read = new AtomicInteger();
		this.payloads.before = () -> this.payloads.refused = (this.payloads.count() >= 20_000) ? 2 : -1;
		assertThatExceptionOfType(PartlyEnqueuedException.class)
			.isThrownBy(() -> this.client.enqueueAll("orders", source(45_000, "x", read)))
			.withCauseInstanceOf(StoreFullException.class)
			.withMessageContaining("of 30000 payloads for queue 'orders'")
			.satisfies((ex) -> {
				List<Integer> positions = ex.notEnqueued().get(0).positions();
				assertThat(ex.payloads()).isEqualTo(30_000);
				assertThat(positions).isSorted().allMatch((position) -> position >= 20_000 && position < 30_000);
				assertThat(this.payloads.all()).hasSize(30_000 - positions.size());
			});
		assertThat(read).hasValue(30_000);
	}

	/**
	 * Enqueues other batches, of which parts are refused, while the second part is read.
	 */
	@Test
	void aBatchThatIsEnqueuedMeanwhileHasOtherPositions() {
		for (RuntimeException nested : List.of(
				new PartlyEnqueuedException("orders", 3, new StoreFullException("full", null)),
				new PartlyEnqueuedException("audit", 3, List.of(nestedRefusal())))) {
			AtomicInteger read = new AtomicInteger();
			Iterable<JobRequest<?>> requests = () -> new Iterator<>() {

				private final Iterator<JobRequest<?>> all = source(20_000, "x", read).iterator();

				@Override
				public boolean hasNext() {
					return true;
				}

				@Override
				public JobRequest<?> next() {
					if (read.get() == 15_000) {
						throw nested;
					}
					return this.all.next();
				}

			};
			assertFirstPartIsIn(() -> this.client.enqueueAll("orders", requests), nested);
		}
	}

	@Test
	void aBatchOfAnInterceptorHasOtherPositions() {
		for (RuntimeException nested : List.of(
				new PartlyEnqueuedException("orders", 3, new StoreFullException("full", null)),
				new PartlyEnqueuedException("audit", 3, List.of(nestedRefusal())))) {
			AtomicInteger calls = new AtomicInteger();
			ShardedLowkiqClient intercepted = client(List.of((call, chain) -> {
				if (calls.incrementAndGet() == 2) {
					throw nested;
				}
				chain.proceed(call);
			}), LowkiqObserver.NONE);
			assertFirstPartIsIn(() -> intercepted.enqueueAll("orders", source(20_000, "x", new AtomicInteger())),
					nested);
		}
	}

	private static NotEnqueued nestedRefusal() {
		return new NotEnqueued(0, List.of(1), new StoreFullException("full", null));
	}

	private static void assertFirstPartIsIn(ThrowingCallable enqueueing, RuntimeException nested) {
		assertThatExceptionOfType(PartlyEnqueuedException.class).isThrownBy(enqueueing).satisfies((ex) -> {
			assertThat(ex.payloads()).isEqualTo(10_000);
			assertThat(ex.notEnqueued()).isEmpty();
			assertThat(ex).hasCause(nested);
		});
	}

	private List<String> ofId(String id) {
		return this.payloads.all()
			.stream()
			.filter((payload) -> payload.id().equals(id))
			.map((payload) -> new String(payload.payload(), StandardCharsets.UTF_8).replaceAll("\\D", ""))
			.toList();
	}

	/** Payloads of 100 ids in turn, made when they are read. */
	private static Iterable<JobRequest<?>> source(int requests, String text, AtomicInteger read) {
		return () -> IntStream.range(0, requests).<JobRequest<?>>mapToObj((i) -> {
			read.incrementAndGet();
			return JobRequest.of(String.valueOf(i % 100), text + i);
		}).iterator();
	}

	private static final class EnqueueCalls extends ForwardingShardStore {

		private final List<Call> calls = new ArrayList<>();

		private int refused = -1;

		private Runnable before = () -> {
		};

		record Call(Shard shard, List<NewPayload> payloads) {
		}

		List<NewPayload> all() {
			return this.calls.stream().flatMap((call) -> call.payloads().stream()).toList();
		}

		int count() {
			return this.calls.stream().mapToInt((call) -> call.payloads().size()).sum();
		}

		@Override
		public EnqueueResult enqueue(Shard shard, List<NewPayload> payloads) {
			this.before.run();
			if (shard.index() == this.refused) {
				throw new StoreFullException("Redis is full", null);
			}
			this.calls.add(new Call(shard, payloads));
			return new EnqueueResult(0, 0);
		}

	}

}
