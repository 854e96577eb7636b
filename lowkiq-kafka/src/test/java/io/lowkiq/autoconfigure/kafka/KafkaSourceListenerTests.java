package io.lowkiq.autoconfigure.kafka;

import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PartlyEnqueuedException;
import io.lowkiq.PayloadCodec;
import io.lowkiq.StoreException;
import io.lowkiq.StoreTimeoutException;
import io.lowkiq.StoreUnreachableException;
import io.lowkiq.TransactionMode;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.EnqueueTracing;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.BatchResult;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;
import io.lowkiq.testing.Intercepted;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class KafkaSourceListenerTests {

	private static final TopicPartition PARTITION = new TopicPartition("changes", 3);

	private static final KafkaSource SOURCE = KafkaSource.of("orders", "changes");

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final QueueLayout layout = this.store.queues().register("orders", 3);

	private final PayloadCodec codec = new JacksonPayloadCodec();

	private final AtomicLong nanoTime = new AtomicLong();

	/** What each enqueue meets. */
	private EnqueueInterceptor interceptor = (call, chain) -> chain.proceed(call);

	/** What each value meets before it is deserialized. */
	private Consumer<String> values = (value) -> {
	};

	/** The shard that doesn't respond. */
	private @Nullable Shard away;

	/** The calls to it. */
	private final List<ShardPayloads> heldBack = new ArrayList<>();

	private int enqueuedPayloads;

	private final StoreEnqueuer enqueuer = new StoreEnqueuer(new WorkerRegistry(List.of()), List.of(), shards(),
			this.store.queues(), new LowkiqObserver() {
			});

	private KafkaSourceListener listener = listener(SOURCE);

	/** What a commit meets. */
	private @Nullable RuntimeException commitProblem;

	private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest") {

		@Override
		public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
			if (KafkaSourceListenerTests.this.commitProblem != null) {
				throw KafkaSourceListenerTests.this.commitProblem;
			}
			super.commitSync(offsets);
		}

	};

	KafkaSourceListenerTests() {
		this.consumer.assign(List.of(PARTITION));
	}

	private KafkaSourceListener listener(KafkaSource source) {
		return new KafkaSourceListener(source,
				new RecordEnqueuer("orders", new RecordReader(source, Order.class, this.codec),
						new RecordDeserializers(new DefaultKafkaConsumerFactory<>(Map.of(), new StringDeserializer(),
								new Values(() -> this.values))),
						new ShardedLowkiqClient(new WorkerRegistry(List.of()), this.codec,
								List.of((call, chain) -> this.interceptor.enqueue(call, chain)), this.enqueuer,
								Map.of(), TransactionMode.OFF, EnqueueTracing.NONE),
						this.enqueuer, new RecordMorgue("orders", "lowkiq-orders", this.store),
						this.nanoTime::incrementAndGet),
				this.nanoTime::get);
	}

	/** The store, but for a shard that is away. */
	private ShardStore shards() {
		ShardStore real = this.store.shards();
		return Intercepted.of(ShardStore.class, real, (method, call) -> method.equals("enqueueAll")
				? enqueueAll(real, (List<?>) call.argument(0)) : call.make());
	}

	private BatchResult enqueueAll(ShardStore real, List<?> calls) {
		Map<Integer, StoreException> problems = new HashMap<>();
		for (int i = 0; i < calls.size(); i++) {
			ShardPayloads call = (ShardPayloads) calls.get(i);
			if (call.shard().equals(this.away)) {
				this.heldBack.add(call);
				problems.put(i, new StoreTimeoutException("No answer", null));
			}
			else {
				real.enqueueAll(List.of(call));
				this.enqueuedPayloads += call.payloads().size();
			}
		}
		return new BatchResult(0, problems);
	}

	@Test
	void recordsOfAKeyGatherInTheOrderOfTheirOffsets() {
		poll(order(5, "42", 1), order(6, "43", 1), order(7, "42", 2));
		assertThat(queued("42")).containsExactly(json("42", 1), json("42", 2));
		assertThat(queued("43")).containsExactly(json("43", 1));
	}

	@Test
	void recordsThatComeAgainMergeInTheirPlaces() {
		poll(order(6, "42", 2), order(7, "42", 3));
		poll(order(5, "42", 1), order(6, "42", 2), order(7, "42", 3));
		assertThat(find("42", JobView.State.QUEUED).payloads()).extracting(Payload::score)
			.containsExactly(0x1p43 + 5, 0x1p43 + 6, 0x1p43 + 7);
	}

	@Test
	void aCallThatTheNetworkHeldBackIsSortedAmongWhatWaitsAndIsLateOtherwise() {
		Shard shard = this.layout.shardOf("42");
		this.away = shard;
		poll(order(5, "42", 1));
		this.away = null;
		// The next owner of the partition
		this.listener = listener(SOURCE);
		poll(order(5, "42", 1), order(6, "42", 2));
		this.store.actions().delete(shard, List.of("42"));
		poll(order(7, "42", 3));
		this.store.shards().enqueueAll(this.heldBack);
		assertThat(queued("42")).containsExactly(json("42", 1), json("42", 3));
	}

	@Test
	void unfitRecordsAreBuriedAndTheOthersEnqueued(CapturedOutput output) {
		poll(record(5, "42", "{"), order(6, "42", 2), record(7, null, "{\"id\":\"1\"}"),
				record(8, "44", (String) null));
		assertThat(queued("42")).containsExactly(json("42", 2));
		JobView broken = dead("42");
		assertThat(buried("42").value()).isEqualTo(new RawBytes("{", null));
		assertThat(broken.payloads().get(0).score()).isEqualTo(0x1p43 + 5);
		assertThat(broken.error())
			.startsWith("The record of topic changes, partition 3, offset 5 can't become a job. 1 bytes can't be read");
		assertThat(buried("changes-3@7").value()).isEqualTo(new RawBytes("{\"id\":\"1\"}", null));
		assertThat(buried("44").value()).isNull();
		assertThat(output).containsOnlyOnce("3 records can't become jobs of queue 'orders'")
			.contains("The first is changes-3@5");
	}

	@Test
	void aBuriedTombstoneNamesTheProperty() {
		poll(record(5, "44", (String) null));
		assertThat(dead("44").error())
			.contains("It has no value. Set 'tombstones' of the source to SKIP or AS_NULL if this means a deletion");
	}

	@Test
	void tombstonesCanBeSkipped() {
		this.listener = listener(SOURCE.tombstones(Tombstones.SKIP));
		poll(order(5, "42", 1), record(6, "42", (String) null), order(7, "42", 2), record(8, "43", (String) null));
		assertThat(queued("42")).hasSize(2);
		assertThat(queued("43")).isEmpty();
		assertThat(dead("43")).isNull();
		assertThat(committed()).isEqualTo(9);
	}

	@Test
	void tombstonesCanBeJobs() {
		this.listener = listener(SOURCE
			.payload((each) -> (each.value() != null) ? each.value() : new Order(String.valueOf(each.key()), -1)));
		poll(order(5, "42", 1), record(6, "42", (String) null));
		assertThat(queued("42")).containsExactly(json("42", 1), json("42", -1));
	}

	@Test
	void tombstonesCanBeBuriedAlsoIfPayloadsAreMade() {
		this.listener = listener(SOURCE.payload((each) -> new Order("1", 1)).tombstones(Tombstones.BURY));
		poll(record(6, "42", (String) null));
		assertThat(dead("42")).isNotNull();
	}

	@Test
	void aConsumerContinuesWhereItIsSentTo() {
		poll(order(5, "42", 1), order(6, "43", 1));
		this.listener.seek(PARTITION, 2);
		this.listener.setupThreadState(this.consumer);
		assertThat(this.consumer.position(PARTITION)).isEqualTo(2);
		assertThat(committed()).isEqualTo(2);
		poll(order(2, "42", 0));
		assertThat(committed()).isEqualTo(3);
	}

	@Test
	void aConsumerThatHasLostAPartitionIsNotSentThereLater(CapturedOutput output) {
		poll();
		this.listener.seek(PARTITION, 2);
		this.consumer.assign(List.of());
		this.listener.setupThreadState(this.consumer);
		assertThat(output).contains("Partition changes-3 does not continue at offset 2");
		this.consumer.assign(List.of(PARTITION));
		this.consumer.seek(PARTITION, 7);
		this.listener.setupThreadState(this.consumer);
		assertThat(this.consumer.position(PARTITION)).isEqualTo(7);
	}

	@Test
	void pausedPartitionsAreKnownWhoeverPausedThem() {
		poll();
		assertThat(this.listener.paused()).isEmpty();
		this.consumer.pause(List.of(PARTITION));
		this.listener.setupThreadState(this.consumer);
		assertThat(this.listener.paused()).containsExactly(PARTITION);
		this.consumer.resume(List.of(PARTITION));
		this.listener.setupThreadState(this.consumer);
		assertThat(this.listener.paused()).isEmpty();
	}

	@Test
	void bytesThatAreNoTextAreKept() {
		poll(record(5, "42", new byte[] { (byte) 0xff, 0 }));
		assertThat(buried("42").value()).isEqualTo(new RawBytes(null, "/wA="));
	}

	@Test
	void aBuriedRecordIsKeptAsItWas() {
		ConsumerRecord<byte[], byte[]> sent = new ConsumerRecord<>("changes", 3, 5L, 1_700_000_000_000L,
				TimestampType.LOG_APPEND_TIME, 2, 1, "42".getBytes(StandardCharsets.UTF_8), new byte[] { '{' },
				new RecordHeaders().add("tenant", "a".getBytes(StandardCharsets.UTF_8))
					.add("id", new byte[] { (byte) 0xff })
					.add("none", null),
				Optional.empty());
		poll(sent);
		assertThat(buried("42").group()).isEqualTo("lowkiq-orders");
		assertThat(buried("42").raw()).usingRecursiveComparison().isEqualTo(sent);
	}

	@Test
	void aRefusedPayloadIsBuriedAndTheOthersEnqueued() {
		refuse("43", new IllegalStateException("Nobody wants 43"));
		poll(order(5, "42", 1), order(6, "43", 1), order(7, "44", 1));
		assertThat(queued("42")).hasSize(1);
		assertThat(queued("44")).hasSize(1);
		assertThat(dead("43")).isNull();
		assertThat(committed()).isEqualTo(6);
		pass(Duration.ofSeconds(10));
		assertThat(dead("43").error()).endsWith("offset 6 can't become a job. Nobody wants 43");
		assertThat(committed()).isEqualTo(8);
		assertThat(this.enqueuedPayloads).isEqualTo(2);
	}

	@Test
	void anInterceptorThatFailsForAWhileCostsNoRecord() {
		refuseAll(new IllegalStateException("Away"));
		poll(order(5, "42", 1), order(6, "43", 1));
		pass(Duration.ofMinutes(10));
		assertThat(dead("42")).isNull();
		assertThat(committed()).isEqualTo(5);
		refuseNothing();
		pass(Duration.ofSeconds(10));
		assertThat(queued("42")).hasSize(1);
		assertThat(queued("43")).hasSize(1);
		assertThat(committed()).isEqualTo(7);
	}

	@Test
	void aServiceOfTheDeserializerThatIsAwayCostsNoRecord() {
		poll(order(5, "42", 1));
		this.values = (value) -> {
			throw new SerializationException("The registry is away");
		};
		poll(order(6, "42", 2), order(7, "43", 1));
		pass(Duration.ofMinutes(10));
		assertThat(dead("42")).isNull();
		assertThat(committed()).isEqualTo(6);
		assertThat(this.listener.waiting()).isEqualTo(2);
		this.values = (value) -> {
		};
		pass(Duration.ofSeconds(10));
		assertThat(queued("42")).hasSize(2);
		assertThat(queued("43")).hasSize(1);
		assertThat(committed()).isEqualTo(8);
		assertThat(this.listener.waiting()).isZero();
	}

	@Test
	void whatATypeOfErrorSaysPassesIsNeverGivenUp() {
		this.values = (value) -> {
			if (value.contains("43")) {
				throw new SerializationException("No schema", new ConnectException("Connection refused"));
			}
		};
		poll(order(5, "42", 1), order(6, "43", 1), order(7, "42", 2), order(8, "43", 2));
		pass(Duration.ofMinutes(10));
		assertThat(dead("43")).isNull();
		assertThat(queued("42")).hasSize(2);
		assertThat(committed()).isEqualTo(6);
		this.values = (value) -> {
		};
		pass(Duration.ofSeconds(10));
		assertThat(queued("43")).hasSize(2);
		assertThat(committed()).isEqualTo(9);
	}

	@Test
	void anErrorIsAFailureOfItsRecord() {
		this.values = (value) -> {
			if (value.contains("43")) {
				throw new StackOverflowError();
			}
		};
		poll(order(5, "42", 1), order(6, "43", 1));
		pass(Duration.ofSeconds(10));
		assertThat(dead("43").error()).contains("java.lang.StackOverflowError");
		assertThat(committed()).isEqualTo(7);
		poll(order(7, "44", 1));
		assertThat(queued("44")).hasSize(1);
	}

	@Test
	void laterRecordsOfAnIdWaitForAnEarlierOne() {
		refuse("43", new UncheckedIOException(new SocketTimeoutException("No answer")));
		poll(order(5, "43", 1));
		refuseNothing();
		poll(order(6, "43", 2), order(7, "42", 1));
		assertThat(queued("43")).isEmpty();
		assertThat(queued("42")).hasSize(1);
		pass(Duration.ofSeconds(10));
		assertThat(queued("43")).containsExactly(json("43", 1), json("43", 2));
	}

	@Test
	void idsOfHealthyShardsGoOnWhileOneIsAway() {
		this.away = this.layout.shardOf("0");
		List<String> ids = IntStream.range(0, 40).mapToObj(Integer::toString).toList();
		List<String> healthy = ids.stream().filter((id) -> !this.layout.shardOf(id).equals(this.away)).toList();
		poll(ids.stream().limit(20).map((id) -> order(Long.parseLong(id), id, 1)).toList());
		pass(Duration.ofSeconds(30));
		poll(ids.stream().skip(20).map((id) -> order(Long.parseLong(id), id, 1)).toList());
		pass(Duration.ofSeconds(30));
		assertThat(this.enqueuedPayloads).isEqualTo(healthy.size()).isBetween(20, 39);
		assertThat(committed()).isZero();
		this.away = null;
		pass(Duration.ofSeconds(10));
		assertThat(this.enqueuedPayloads).isEqualTo(40);
		assertThat(committed()).isEqualTo(40);
	}

	@Test
	void healthyShardsGoOnWhileOneIsAwayAndARecordIsRefused() {
		this.away = this.layout.shardOf("0");
		List<String> healthy = IntStream.range(1, 100)
			.mapToObj(Integer::toString)
			.filter((id) -> !this.layout.shardOf(id).equals(this.away))
			.toList();
		String refused = healthy.get(3);
		refuse(refused, new IllegalStateException("Nobody wants it"));
		poll(order(1, "0", 1), order(2, healthy.get(0), 1), order(3, refused, 1), order(4, healthy.get(1), 1));
		pass(Duration.ofSeconds(10));
		assertThat(this.enqueuedPayloads).isEqualTo(2);
		poll(order(5, healthy.get(2), 1));
		pass(Duration.ofSeconds(10));
		assertThat(this.enqueuedPayloads).isEqualTo(3);
		assertThat(dead(refused)).isNotNull();
		assertThat(committed()).isEqualTo(1);
		this.away = null;
		pass(Duration.ofSeconds(10));
		assertThat(this.enqueuedPayloads).isEqualTo(4);
		assertThat(committed()).isEqualTo(6);
	}

	@Test
	void aPollOfSeveralPartsIsEnqueuedOnceIfARecordOfTheLastPartIsRefused() {
		refuse("38", new IllegalStateException("Nobody wants 38"));
		poll(large(40));
		assertThat(this.enqueuedPayloads).isEqualTo(39);
		pass(Duration.ofSeconds(10));
		assertThat(this.enqueuedPayloads).isEqualTo(39);
		assertThat(dead("38").error()).endsWith("can't become a job. Nobody wants 38");
		assertThat(committed()).isEqualTo(40);
	}

	@Test
	void aPollOfSeveralPartsIsEnqueuedOnceByHealthyShardsWhileOneIsAway() {
		this.away = this.layout.shardOf("39");
		long healthy = IntStream.range(0, 40)
			.filter((i) -> !this.layout.shardOf(Integer.toString(i)).equals(this.away))
			.count();
		poll(large(40));
		pass(Duration.ofSeconds(30));
		assertThat(this.enqueuedPayloads).isEqualTo((int) healthy).isBetween(20, 39);
		this.away = null;
		pass(Duration.ofSeconds(30));
		assertThat(this.enqueuedPayloads).isEqualTo(40);
		assertThat(committed()).isEqualTo(40);
	}

	@Test
	void whatAnInterceptorEnqueuesInPartsSaysNothingOfTheRecords() {
		refuseAll(new PartlyEnqueuedException("audit", 1, new StoreTimeoutException("No answer", null)));
		poll(order(5, "42", 1), order(6, "43", 1));
		assertThat(committed()).isEqualTo(5);
		refuseNothing();
		pass(Duration.ofSeconds(10));
		assertThat(this.enqueuedPayloads).isEqualTo(2);
		assertThat(committed()).isEqualTo(7);
	}

	/** Records with more bytes than a part has. */
	private static List<ConsumerRecord<byte[], byte[]>> large(int count) {
		String value = "{\"id\": \"" + "x".repeat(300_000) + "\", \"version\": 1}";
		return IntStream.range(0, count).mapToObj((i) -> record(i, Integer.toString(i), value)).toList();
	}

	@Test
	void aPartitionThatOthersHavePausedStaysPaused() {
		this.listener.pausedBy(PARTITION::equals);
		refuseAll(new StoreUnreachableException("No answer", null));
		poll(IntStream.range(0, RecordBacklog.MAX_WAITING).mapToObj((offset) -> order(offset, "42", offset)).toList());
		this.listener.setupThreadState(this.consumer);
		refuseNothing();
		pass(Duration.ofSeconds(10));
		assertThat(this.listener.waiting()).isZero();
		assertThat(this.consumer.paused()).containsExactly(PARTITION);
	}

	@Test
	void offsetsThatCannotBeCommittedAreCommittedLater() {
		this.commitProblem = new TimeoutException("No broker");
		poll(order(5, "42", 1));
		assertThat(this.enqueuedPayloads).isEqualTo(1);
		this.commitProblem = null;
		pass(Duration.ofSeconds(1));
		assertThat(committed()).isEqualTo(6);
		assertThat(this.enqueuedPayloads).isEqualTo(1);
	}

	@Test
	void whatTheStoreDoesNotTakeWaitsAndIsLoggedOnce(CapturedOutput output) {
		refuseAll(new StoreUnreachableException("No answer", null));
		poll(order(5, "42", 1));
		pass(Duration.ofMinutes(1));
		assertThat(committed()).isEqualTo(5);
		assertThat(output).containsOnlyOnce("WARN")
			.contains("Records of [changes] can't be enqueued into queue 'orders'")
			.doesNotContain("any more");
		refuseNothing();
		pass(Duration.ofSeconds(10));
		poll(order(6, "42", 1));
		assertThat(output).containsOnlyOnce("No records of [changes] wait for queue 'orders' any more");
		assertThat(committed()).isEqualTo(7);
	}

	@Test
	void anUnknownQueueBuriesNothing() {
		this.store.queues().beginRemoval(this.layout);
		this.store.queues().endRemoval(this.layout);
		poll(order(5, "42", 1), record(6, "42", "{"));
		pass(Duration.ofSeconds(10));
		assertThat(this.listener.problem()).isInstanceOf(UnknownQueueException.class);
		assertThat(this.listener.waiting()).isEqualTo(2);
		assertThat(committed()).isEqualTo(5);
	}

	@Test
	void aConsumerStopsPollingBeforeTooMuchWaits() {
		refuseAll(new StoreUnreachableException("No answer", null));
		poll(IntStream.range(0, RecordBacklog.MAX_WAITING).mapToObj((offset) -> order(offset, "42", offset)).toList());
		this.listener.setupThreadState(this.consumer);
		assertThat(this.consumer.paused()).containsExactly(PARTITION);
		refuseNothing();
		pass(Duration.ofSeconds(10));
		assertThat(this.consumer.paused()).isEmpty();
		assertThat(committed()).isEqualTo(RecordBacklog.MAX_WAITING);
	}

	@Test
	void whatWaitsIsForgottenWithItsPartition() {
		refuseAll(new StoreUnreachableException("No answer", null));
		poll(order(5, "42", 1));
		this.consumer.assign(List.of(new TopicPartition("changes", 4)));
		refuseNothing();
		pass(Duration.ofSeconds(10));
		assertThat(this.listener.waiting()).isZero();
		assertThat(queued("42")).isEmpty();
	}

	private void refuseNothing() {
		this.interceptor = (call, chain) -> chain.proceed(call);
	}

	private void refuseAll(RuntimeException reason) {
		this.interceptor = (call, chain) -> {
			throw reason;
		};
	}

	private void refuse(String id, RuntimeException reason) {
		this.interceptor = (call, chain) -> {
			if (call.requests().stream().anyMatch((request) -> request.id().equals(id))) {
				throw reason;
			}
			chain.proceed(call);
		};
	}

	@SafeVarargs
	@SuppressWarnings("varargs")
	private final void poll(ConsumerRecord<byte[], byte[]>... records) {
		poll(List.of(records));
	}

	private void poll(List<ConsumerRecord<byte[], byte[]>> records) {
		this.listener.setupThreadState(this.consumer);
		this.listener.onMessage(records, this.consumer);
	}

	/** Lets time pass, in which the consumer polls nothing. */
	private void pass(Duration duration) {
		Duration step = Duration.ofMillis(200);
		for (Duration left = duration; left.toMillis() > 0; left = left.minus(step)) {
			this.nanoTime.addAndGet(step.toNanos());
			this.listener.setupThreadState(this.consumer);
		}
	}

	private long committed() {
		return this.consumer.committed(Set.of(PARTITION)).get(PARTITION).offset();
	}

	private GivenUpRecord buried(String id) {
		byte[] payload = dead(id).payloads().get(0).bytes();
		return (GivenUpRecord) RecordWorker.CODEC.decode(payload, GivenUpRecord.class);
	}

	/** Dead ones are records, and wait apart from the jobs of the queue. */
	private @Nullable JobView find(String id, JobView.State state) {
		QueueLayout layout = this.store.queues()
			.find((state == JobView.State.DEAD) ? InternalQueue.RECORDS.nameFor("orders") : "orders")
			.orElse(null);
		if (layout == null) {
			return null;
		}
		return this.store.inspection().find(layout.shardOf(id), state, id, 100).orElse(null);
	}

	private List<String> queued(String id) {
		return Stream.ofNullable(find(id, JobView.State.QUEUED))
			.flatMap((job) -> job.payloads().stream())
			.map((payload) -> new String(payload.bytes(), StandardCharsets.UTF_8))
			.toList();
	}

	private @Nullable JobView dead(String id) {
		return find(id, JobView.State.DEAD);
	}

	private static String json(String id, long version) {
		return "{\"id\":\"%s\",\"version\":%d}".formatted(id, version);
	}

	private static ConsumerRecord<byte[], byte[]> order(long offset, String id, long version) {
		return record(offset, id, json(id, version));
	}

	private static ConsumerRecord<byte[], byte[]> record(long offset, @Nullable String key, @Nullable String value) {
		return record(offset, key, (value != null) ? value.getBytes(StandardCharsets.UTF_8) : null);
	}

	private static ConsumerRecord<byte[], byte[]> record(long offset, @Nullable String key, byte @Nullable [] value) {
		return new ConsumerRecord<>("changes", 3, offset, (key != null) ? key.getBytes(StandardCharsets.UTF_8) : null,
				value);
	}

	/** Deserializes text, if it is let. */
	private static final class Values implements Deserializer<Object> {

		private final Supplier<Consumer<String>> faults;

		private Values(Supplier<Consumer<String>> faults) {
			this.faults = faults;
		}

		@Override
		public @Nullable Object deserialize(String topic, byte @Nullable [] bytes) {
			if (bytes == null) {
				return null;
			}
			String text = new String(bytes, StandardCharsets.UTF_8);
			this.faults.get().accept(text);
			return bytes;
		}

	}

}
