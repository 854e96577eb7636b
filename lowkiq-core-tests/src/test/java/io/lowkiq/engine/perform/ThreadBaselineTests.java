package io.lowkiq.engine.perform;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.OpenTransactionException;
import io.lowkiq.PayloadWorker;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Lease;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.LogLines;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each run begins with the thread as it was when it began, and what a run leaves open is
 * its failure.
 */
class ThreadBaselineTests {

	private final List<PerformInterceptor> interceptors = new ArrayList<>();

	private final List<Supplier<ThreadState>> states = new ArrayList<>();

	private final RedisStore memory = InMemoryRedis.newStore(InstantSource.system());

	private final ThreadPerformContext context = new ThreadPerformContext(
			new ShardedLowkiqClient(new WorkerRegistry(List.of()), this.memory.shards(), this.memory.queues(),
					new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE)::keeping);

	@RegisterExtension
	private final LogLines log = new LogLines(Performer.class);

	private boolean open;

	private @Nullable ThreadBaseline baseline;

	@BeforeEach
	void prepare() {
		this.memory.queues().register("mails", 1);
	}

	private List<Completed> perform(Class<?> workerClass, QueueWorker<String> worker, FetchedJob... jobs) {
		RegisteredWorker registered = new RegisteredWorker("orders", workerClass, String.class,
				new RegisteredWorker.Settings(1, 10, 3, 1_000, 1, 0), () -> worker);
		Performer performer = new Performer(new JacksonPayloadCodec(), new StackTraceErrorFormatter(),
				this.interceptors, List.of(), LowkiqObserver.NONE, this.context,
				new OutOfMemoryWatch(System::nanoTime, (message) -> {
				}), System::nanoTime, "node-a", InstantSource.system());
		Predicate<String> newer = (id) -> false;
		Task task = new Task(new ServedQueue(registered, 100), new Lease(new Shard("orders", 1, 0), "session", 42),
				() -> true, List.of(jobs), newer, 0);
		this.baseline = ThreadBaseline.capture(this.states);
		return performer.perform(task, new ThreadActivity("thread", InstantSource.system()), this.baseline);
	}

	private static FetchedJob job(String id, String... payloads) {
		return new FetchedJob(id, 0, -1, 0, null,
				Stream.of(payloads)
					.map((text) -> new Payload(("\"" + text + "\"").getBytes(StandardCharsets.UTF_8), 1))
					.toList());
	}

	private void watchOpen() {
		this.states.add(() -> () -> {
			boolean left = this.open;
			this.open = false;
			return left ? new OpenTransactionException("left open", null) : null;
		});
	}

	private void leaveOpen() {
		this.open = true;
		this.context.onSuccess().enqueue("mails", "m", 1);
	}

	private static void assertFailed(List<Completed> completed, String... ids) {
		assertThat(completed).extracting(Completed::id).containsExactly(ids);
		assertThat(completed).allSatisfy((job) -> {
			assertThat(job.outcomes()).singleElement()
				.isInstanceOfSatisfying(Outcome.Retry.class,
						(retry) -> assertThat(retry.failure().text()).contains("left open"));
			assertThat(job.followUps()).isEmpty();
		});
	}

	@Test
	void aRunThatLeavesSomethingOpenHasFailedAndNothingFollowsIt() {
		watchOpen();
		assertFailed(perform(Worker.class, (Worker<String>) (id, payloads) -> leaveOpen(), job("a", "1", "2")), "a");
		assertThat(this.baseline.isClean()).isFalse();
		assertThat(this.log.events()).singleElement().satisfies((line) -> {
			assertThat(line.getLevel()).isEqualTo(Level.ERROR);
			assertThat(line.getFormattedMessage()).isEqualTo(
					"io.lowkiq.Worker left something open while it performed 'a' of queue 'orders', and its thread is replaced: left open");
		});
	}

	@Test
	void whatInterceptorsLeaveOpenCountsAsWell() {
		watchOpen();
		this.interceptors.add((call, chain) -> {
			chain.proceed();
			this.open = true;
		});
		assertFailed(perform(Worker.class, (Worker<String>) (id, payloads) -> {
		}, job("a", "1")), "a");
	}

	@Test
	void payloadsThatAreDoneHaveFailedToo() {
		watchOpen();
		assertFailed(
				perform(PayloadWorker.class, (PayloadWorker<String>) (id, payload) -> leaveOpen(), job("a", "1", "2")),
				"a");
		assertFailed(perform(Worker.class, (Worker<String>) (id, payloads) -> {
			leaveOpen();
			this.context.completed(1);
		}, job("a", "1", "2")), "a");
		assertFailed(perform(BatchWorker.class, (BatchWorker<String>) (batch) -> {
			batch.jobs().forEach(Batch.Job::done);
			this.open = true;
		}, job("a", "1"), job("b", "2")), "a", "b");
	}

	@Test
	void aRunThatThrowsFailsAsItThrew() {
		watchOpen();
		List<Completed> completed = perform(Worker.class, (Worker<String>) (id, payloads) -> {
			this.context.completed(1);
			leaveOpen();
			throw new IllegalStateException("thrown");
		}, job("a", "1", "2"));
		assertThat(completed).singleElement()
			.satisfies((job) -> assertThat(job.outcomes()).singleElement()
				.isInstanceOfSatisfying(Outcome.Retry.class,
						(retry) -> assertThat(retry.failure().text()).contains("thrown")));
		assertThat(this.baseline.isClean()).isFalse();
		assertThat(this.log.events()).hasSize(1);
	}

	@Test
	void theNextJobOfATaskSeesNothingOfTheOneBeforeAndDoesNotFail() {
		watchOpen();
		List<Boolean> seen = new ArrayList<>();
		List<Completed> completed = perform(Worker.class, (Worker<String>) (id, payloads) -> {
			seen.add(this.open);
			this.open = id.equals("a");
		}, job("a", "1"), job("b", "2"));
		assertThat(seen).containsExactly(false, false);
		assertThat(completed.get(0).outcomes()).singleElement().isInstanceOf(Outcome.Retry.class);
		assertThat(completed.get(1).outcomes()).containsExactly(new Outcome.Done("b"));
	}

	@Test
	void aStateThatCanNotBeRestoredIsAFailureOfTheRun() {
		boolean[] broken = new boolean[1];
		this.states.add(() -> () -> {
			if (broken[0]) {
				throw new NoClassDefFoundError("no/such/Class");
			}
			return null;
		});
		List<Completed> completed = perform(Worker.class, (Worker<String>) (id, payloads) -> broken[0] = true,
				job("a", "1"));
		assertThat(completed.get(0).outcomes()).singleElement().isInstanceOf(Outcome.Retry.class);
		assertThat(this.baseline.isClean()).isFalse();
	}

	@Test
	@SuppressWarnings("ThreadPriorityCheck")
	void eachRunFindsTheThreadAsItBegan() throws Exception {
		List<String> seen = new ArrayList<>();
		List<Map<String, String>> contexts = new ArrayList<>();
		try (URLClassLoader other = new URLClassLoader(new URL[0])) {
			Worker<String> worker = (id, payloads) -> {
				Thread thread = Thread.currentThread();
				seen.add(describe(thread));
				contexts.add(MDC.getCopyOfContextMap());
				MDC.put("user", "admin");
				thread.setName("renamed");
				thread.setPriority(Thread.MAX_PRIORITY);
				thread.setContextClassLoader(other);
				thread.interrupt();
			};
			Thread thread = Thread.currentThread();
			String before = describe(thread);
			MDC.put("outer", "kept");
			perform(Worker.class, worker, job("a", "1"), job("b", "2"));
			assertThat(seen).containsExactly(before, before);
			assertThat(contexts).containsExactly(Map.of("outer", "kept", "lowkiq.queue", "orders", "lowkiq.id", "a"),
					Map.of("outer", "kept", "lowkiq.queue", "orders", "lowkiq.id", "b"));
			assertThat(describe(thread)).isEqualTo(before);
			assertThat(MDC.getCopyOfContextMap()).containsExactly(Map.entry("outer", "kept"));
			assertThat(this.baseline.isClean()).isTrue();
		}
		finally {
			MDC.clear();
		}
	}

	private static String describe(Thread thread) {
		return "%s %d %s %s".formatted(thread.getName(), thread.getPriority(), thread.getContextClassLoader(),
				thread.isInterrupted());
	}

}
