package io.lowkiq.autoconfigure.kafka;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PayloadCodec;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.ChainedPayload;
import io.lowkiq.store.FollowUp;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Payload;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.StoreUnreachableException;
import io.lowkiq.store.inspection.JobView;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class KafkaSourceListenerTests {

	private static final KafkaSource SOURCE = KafkaSource.of("orders", "changes");

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final PayloadCodec codec = new JacksonPayloadCodec();

	/** What each enqueue meets. */
	private EnqueueInterceptor interceptor = (call, chain) -> chain.proceed(call);

	private final KafkaSourceListener listener = new KafkaSourceListener(SOURCE,
			new RecordReader(SOURCE, Order.class, this.codec),
			new ShardedLowkiqClient(new WorkerRegistry(List.of()), this.store.shards(), this.store.queues(), this.codec,
					List.of((call, chain) -> this.interceptor.enqueue(call, chain)), new LowkiqObserver() {
					}),
			new RecordMorgue("orders", this.store, this.codec));

	@Test
	void recordsOfAKeyGatherInTheOrderOfTheirOffsets() {
		this.store.queues().register("orders", 3);
		this.listener.onMessage(List.of(order(5, "42", 1), order(6, "43", 1), order(7, "42", 2)));
		assertThat(texts(find("42", JobView.State.QUEUED))).containsExactly("{\"id\":\"42\",\"version\":1}",
				"{\"id\":\"42\",\"version\":2}");
		assertThat(texts(find("43", JobView.State.QUEUED))).containsExactly("{\"id\":\"43\",\"version\":1}");
	}

	@Test
	void recordsThatComeAgainMergeInTheirPlaces() {
		this.store.queues().register("orders", 3);
		this.listener.onMessage(List.of(order(6, "42", 2), order(7, "42", 3)));
		this.listener.onMessage(List.of(order(5, "42", 1), order(6, "42", 2), order(7, "42", 3)));
		assertThat(find("42", JobView.State.QUEUED).payloads()).extracting(Payload::score)
			.containsExactly(0x1p43 + 5, 0x1p43 + 6, 0x1p43 + 7);
	}

	@Test
	void unfitRecordsAreBuriedAndTheOthersEnqueued(CapturedOutput output) {
		this.store.queues().register("orders", 3);
		this.listener.onMessage(List.of(record(5, "42", "{"), order(6, "42", 2), record(7, null, "{\"id\":\"1\"}"),
				record(8, "44", null)));
		assertThat(texts(find("42", JobView.State.QUEUED))).containsExactly("{\"id\":\"42\",\"version\":2}");
		JobView broken = find("42", JobView.State.DEAD);
		assertThat(texts(broken)).containsExactly("{");
		assertThat(broken.payloads().get(0).score()).isEqualTo(0x1p43 + 5);
		assertThat(broken.error())
			.startsWith("The record of topic changes, partition 3, offset 5 can't become a job. 1 bytes can't be read");
		assertThat(texts(find("changes-3@7", JobView.State.DEAD))).containsExactly("{\"id\":\"1\"}");
		assertThat(texts(find("44", JobView.State.DEAD))).containsExactly("null");
		assertThat(output).containsOnlyOnce("3 records can't become jobs of queue 'orders'")
			.contains("The first is changes-3@5");
	}

	@Test
	void bytesThatAreNoTextAreBuriedReadably() {
		this.store.queues().register("orders", 3);
		this.listener.onMessage(List.of(record(5, "42", new byte[] { (byte) 0xff, 0 })));
		assertThat(texts(find("42", JobView.State.DEAD))).containsExactly("\"base64:/wA=\"");
	}

	@Test
	void aValueThatLooksLikeAPayloadWithANextStepIsBuriedWithoutOne() {
		FollowUp forged = new FollowUp("payments", NewPayload.of("7", "{}".getBytes(StandardCharsets.UTF_8)));
		byte[] value = new ChainedPayload("x".getBytes(StandardCharsets.UTF_8), forged).toBytes();
		this.store.queues().register("orders", 3);
		this.listener.onMessage(List.of(record(5, "42", value)));
		ChainedPayload buried = ChainedPayload.parse(find("42", JobView.State.DEAD).payloads().get(0).bytes());
		assertThat(buried.next()).isNull();
		assertThat(buried.payload()).isEqualTo(value);
	}

	@Test
	void aRefusedPayloadIsBuriedAndTheOthersEnqueued() {
		this.store.queues().register("orders", 3);
		this.interceptor = (call, chain) -> {
			if (call.requests().stream().anyMatch((request) -> request.id().equals("43"))) {
				throw new IllegalArgumentException("Nobody wants 43");
			}
			chain.proceed(call);
		};
		this.listener.onMessage(List.of(order(5, "42", 1), order(6, "43", 1), order(7, "44", 1)));
		assertThat(texts(find("42", JobView.State.QUEUED))).hasSize(1);
		assertThat(texts(find("44", JobView.State.QUEUED))).hasSize(1);
		assertThat(find("43", JobView.State.DEAD).error()).endsWith("offset 6 can't become a job. Nobody wants 43");
	}

	@Test
	void whatTheStoreDoesNotTakeIsThrownAndLoggedOnce(CapturedOutput output) {
		this.store.queues().register("orders", 3);
		this.interceptor = (call, chain) -> {
			throw new StoreUnreachableException("No answer", null);
		};
		for (int i = 0; i < 3; i++) {
			assertThatExceptionOfType(StoreUnreachableException.class)
				.isThrownBy(() -> this.listener.onMessage(List.of(order(5, "42", 1), record(6, "42", "{"))));
		}
		assertThat(find("42", JobView.State.DEAD)).isNull();
		assertThat(output).containsOnlyOnce("WARN")
			.contains("The records of [changes] can't be enqueued into queue 'orders'")
			.doesNotContain("again");
		this.interceptor = (call, chain) -> chain.proceed(call);
		this.listener.onMessage(List.of(order(5, "42", 1)));
		this.listener.onMessage(List.of(order(6, "42", 1)));
		assertThat(output).containsOnlyOnce("The records of [changes] are enqueued into queue 'orders' again");
	}

	@Test
	void anUnknownQueueBuriesNothing() {
		assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> this.listener.onMessage(List.of(order(5, "42", 1))));
		assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> this.listener.onMessage(List.of(record(5, "42", "{"))));
	}

	private @Nullable JobView find(String id, JobView.State state) {
		QueueLayout layout = this.store.queues().find("orders").orElseThrow();
		return this.store.inspection().find(layout.shardOf(id), state, id, 100).orElse(null);
	}

	private static List<String> texts(JobView job) {
		return new ArrayList<>(Stream.of(job)
			.flatMap((found) -> found.payloads().stream())
			.map((payload) -> new String(payload.bytes(), StandardCharsets.UTF_8))
			.toList());
	}

	private static ConsumerRecord<Object, Object> order(long offset, String id, long version) {
		return record(offset, id, "{\"id\": \"%s\", \"version\": %d}".formatted(id, version));
	}

	private static ConsumerRecord<Object, Object> record(long offset, @Nullable String key, @Nullable Object value) {
		return new ConsumerRecord<>("changes", 3, offset, key, value);
	}

}
