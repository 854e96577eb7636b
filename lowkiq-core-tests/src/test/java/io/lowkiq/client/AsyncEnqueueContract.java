package io.lowkiq.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.InvalidJobException;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.TransactionMode;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.testing.TestAdmin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** {@code enqueueAsync}, the same with every storage. */
abstract class AsyncEnqueueContract {

	private final List<EnqueueInterceptor> interceptors = new ArrayList<>();

	private RedisStore store;

	private LowkiqAdmin admin;

	abstract RedisStore open();

	abstract void close(RedisStore opened);

	@BeforeEach
	void openStore() {
		this.store = open();
		this.admin = TestAdmin.of(this.store);
	}

	@AfterEach
	void closeStore() {
		close(this.store);
	}

	private LowkiqClient client() {
		WorkerRegistry workers = new WorkerRegistry(List.of());
		StoreEnqueuer direct = new StoreEnqueuer(workers, List.of(new QueueDeclaration("orders", 3)),
				this.store.shards(), this.store.queues(), LowkiqObserver.NONE);
		return new ShardedLowkiqClient(workers, new JacksonPayloadCodec(), this.interceptors, direct, Map.of(),
				TransactionMode.OFF, EnqueueTracing.NONE);
	}

	@Test
	void theJobIsStoredWhenTheFutureCompletes() {
		client().enqueueAsync("orders", JobRequest.of("42", 1)).join();
		assertThat(payloads("42")).containsExactly(1);
	}

	@Test
	void payloadsOfAnIdAreStoredInTheOrderOfTheCalls() {
		LowkiqClient client = client();
		Map<String, List<Integer>> expected = new HashMap<>();
		CompletableFuture<?>[] ends = IntStream.range(0, 3_000).mapToObj((i) -> {
			expected.computeIfAbsent("id" + i % 7, (id) -> new ArrayList<>()).add(i);
			return client.enqueueAsync("orders", JobRequest.of("id" + i % 7, i));
		}).toArray(CompletableFuture<?>[]::new);
		CompletableFuture.allOf(ends).join();
		expected.forEach((id, payloads) -> assertThat(payloads(id)).isEqualTo(payloads));
	}

	private List<Integer> payloads(String id) {
		JobView job = this.admin.find("orders", id, 1_000).job(JobView.State.QUEUED).orElseThrow();
		return this.admin.payloads(job, Integer.class);
	}

	@Test
	void whatIsWrongWithTheRequestIsThrownAtOnce() {
		LowkiqClient client = client();
		assertThatExceptionOfType(InvalidJobException.class)
			.isThrownBy(() -> client.enqueueAsync("orders", (JobRequest<?>) null));
		assertThatExceptionOfType(InvalidQueueException.class)
			.isThrownBy(() -> client.enqueueAsync("no queue", JobRequest.of("42", 1)));
	}

	@Test
	void aQueueThatIsNotRecordedEndsTheFuture() {
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(client().enqueueAsync("unknown", JobRequest.of("42", 1))::join)
			.withCauseInstanceOf(UnknownQueueException.class);
	}

	@Test
	void interceptorsRunOnTheCallingThreadAndMayDropOrRepeat() {
		List<Thread> threads = new ArrayList<>();
		this.interceptors.add((call, chain) -> {
			threads.add(Thread.currentThread());
			if (!call.requests().get(0).id().equals("dropped")) {
				chain.proceed(call);
				chain.proceed(new EnqueueInterceptor.Call("orders", List.of(JobRequest.of("copy", 2))));
			}
		});
		client().enqueueAsync("orders", JobRequest.of("42", 1)).join();
		client().enqueueAsync("orders", JobRequest.of("dropped", 1)).join();
		assertThat(threads).containsOnly(Thread.currentThread()).hasSize(2);
		assertThat(payloads("42")).containsExactly(1);
		assertThat(payloads("copy")).containsExactly(2);
		assertThat(this.admin.find("orders", "dropped").jobs()).isEmpty();
	}

}
