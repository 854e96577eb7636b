package io.lowkiq.engine.perform;

import java.io.IOError;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;

import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import com.sun.management.ThreadMXBean;
import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.BuryException;
import io.lowkiq.FailurePolicy;
import io.lowkiq.InvalidJobException;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.JobErrorHandler;
import io.lowkiq.JobErrorHandler.Decision;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqException;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;
import io.lowkiq.PayloadWorker;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.PerformTimeoutException;
import io.lowkiq.PerformedJob;
import io.lowkiq.Producers;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.RetryAfterException;
import io.lowkiq.RetryPolicy;
import io.lowkiq.TraceParent;
import io.lowkiq.TransactionMode;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Lease;
import io.lowkiq.store.job.Failure;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.LogLines;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/** Whatever a worker, an interceptor or a codec throws is a failure of its jobs (I8). */
class PerformerTests {

	private static final Lease LEASE = new Lease(new Shard("orders", 1, 0), "session", 42);

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private final AtomicBoolean leaseValid = new AtomicBoolean(true);

	private final AtomicLong nanos = new AtomicLong();

	private final List<String> exhausted = new ArrayList<>();

	/** What the worker was called with. */
	private final List<String> seen = new ArrayList<>();

	private final List<PerformInterceptor> interceptors = new ArrayList<>();

	private final List<JobErrorHandler> errorHandlers = new ArrayList<>();

	private final List<Supplier<ThreadState>> states = new ArrayList<>();

	@RegisterExtension
	private final LogLines log = new LogLines("io.lowkiq");

	private final ThreadActivity activity = new ThreadActivity("thread", InstantSource.system());

	/** Reads text; some texts can't be read. */
	private static final class TextCodec implements PayloadCodec {

		@Override
		public byte[] encode(Object payload, Type type) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Object decode(byte[] bytes, Type type) {
			String text = new String(bytes, StandardCharsets.UTF_8);
			switch (text) {
				case "unreadable" -> throw new PayloadException("not readable");
				case "unlinkable" -> throw new NoClassDefFoundError("no/such/Class");
				case "huge" -> throw new OutOfMemoryError("pretended");
				default -> {
					return text;
				}
			}
		}

	}

	private LowkiqObserver observer = LowkiqObserver.NONE;

	private long fetchedAt;

	private long millis = 1_000;

	private final List<String> newer = new ArrayList<>();

	private FailurePolicy policy = FailurePolicy.DEFAULT;

	private @Nullable Task task;

	private final RedisStore memory = InMemoryRedis.newStore(InstantSource.system());

	private final ShardedLowkiqClient client = new ShardedLowkiqClient(new WorkerRegistry(List.of()),
			this.memory.shards(), this.memory.queues(), new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);

	private final ThreadPerformContext context = new ThreadPerformContext(this.client::keeping);

	private List<Completed> perform(QueueWorker<String> worker, FetchedJob... jobs) {
		return perform(() -> worker, worker instanceof BatchWorker ? BatchWorker.class : worker.getClass(), jobs);
	}

	private List<Completed> perform(Supplier<QueueWorker<?>> worker, Class<?> workerClass, FetchedJob... jobs) {
		RegisteredWorker registered = new RegisteredWorker("orders", workerClass, String.class,
				new RegisteredWorker.Settings(1, 10, 3, 1_000, 1, 0).with(this.policy), worker);
		Performer performer = new Performer(new TextCodec(), new StackTraceErrorFormatter(), this.interceptors,
				this.errorHandlers, this.observer, this.context,
				new OutOfMemoryWatch(this.nanos::get, this.exhausted::add), this.nanos::get, "node-a",
				() -> Instant.ofEpochMilli(this.millis));
		this.task = new Task(new ServedQueue(registered, 100), LEASE, this.leaseValid::get, List.of(jobs),
				this.newer::contains, this.fetchedAt);
		return performer.perform(this.task, this.activity, ThreadBaseline.capture(this.states));
	}

	private static final Worker<String> IDLE = (id, payloads) -> {
	};

	private static FetchedJob job(String id, String... payloads) {
		return job(id, -1, payloads);
	}

	private static FetchedJob job(String id, int retryCount, String... payloads) {
		return new FetchedJob(id, 0, retryCount, 0, null,
				Stream.of(payloads).map((text) -> new Payload(text.getBytes(StandardCharsets.UTF_8), 1)).toList());
	}

	private static Worker<String> throwing(Supplier<Throwable> thrown) {
		return (id, payloads) -> PerformerTests.<RuntimeException>sneak(thrown.get());
	}

	@SuppressWarnings("unchecked")
	private static <T extends Throwable> void sneak(Throwable thrown) throws T {
		throw (T) thrown;
	}

	/** An exception whose methods do what the test says. */
	private static final class Hostile extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private final String what;

		Hostile(String what) {
			super(what);
			this.what = what;
		}

		private void when(String method) {
			if (this.what.equals(method)) {
				throw new IllegalStateException("in " + method);
			}
		}

		@Override
		public @Nullable String getMessage() {
			when("getMessage");
			if (this.what.equals("endless")) {
				return getMessage() + getMessage();
			}
			return super.getMessage();
		}

		@Override
		public synchronized @Nullable Throwable getCause() {
			when("getCause");
			return this.what.equals("own cause") ? this : super.getCause();
		}

		@Override
		public StackTraceElement @Nullable [] getStackTrace() {
			when("getStackTrace");
			return this.what.equals("no stack trace") ? null : super.getStackTrace();
		}

		@Override
		public String toString() {
			when("toString");
			return super.toString();
		}

	}

	static Stream<Throwable> thrown() {
		String huge = "x".repeat(12_000_000);
		return Stream.of(new IllegalStateException("boom"), new Hostile("getMessage"), new Hostile("endless"),
				new Hostile("getCause"), new Hostile("own cause"), new Hostile("getStackTrace"),
				new Hostile("no stack trace"), new Hostile("toString"),
				new RuntimeException(new RuntimeException(new RuntimeException(huge))), new IOError(new IOException()),
				new NoClassDefFoundError("no/such/Class"), new AssertionError("boom"), new StackOverflowError(),
				new Exception("checked"));
	}

	@ParameterizedTest
	@MethodSource("thrown")
	void whateverAWorkerThrowsIsAFailureThatIsRetriedAndKeptInAFewKilobytes(Throwable thrown) {
		Outcome.Retry retry = retry(throwing(() -> thrown), job("a", 1, "x"));
		assertThat(retry.id()).isEqualTo("a");
		assertThat(retry.suspect()).isFalse();
		assertThat(retry.delay()).isPositive();
		assertThat(retry.failure().text()).contains(thrown.getClass().getName())
			.hasSizeLessThanOrEqualTo(StackTraceErrorFormatter.DEFAULT_MAX_LENGTH);
	}

	@ParameterizedTest
	@MethodSource("thrown")
	void whateverAWorkerThrowsIsCountedUntilItsRetriesAreUsedUp(Throwable thrown) {
		only(Outcome.PartlyDone.class, perform(throwing(() -> thrown), job("a", 2, "x")));
	}

	@Test
	void countsHowLongEachCallOfTheWorkerTookAlsoOneThatFailed() {
		perform((Worker<String>) (id, payloads) -> {
			this.nanos.addAndGet(Duration.ofMillis(5).toNanos());
			if (id.equals("2")) {
				throw new IllegalStateException("too bad");
			}
		}, job("1", "a", "b"), job("2", "c"), job("3", "unreadable"));
		long[] counts = Objects.requireNonNull(this.task).queue().times().counts();
		assertThat(counts[3]).isEqualTo(2);
		assertThat(counts).containsOnly(0, 2);
	}

	@Test
	void aJobThatFailsThreeTimesHasThreeAttempts() {
		Outcome.Retry first = retry(failing("first"), job("a", "x"));
		this.millis = 2_000;
		Outcome.Retry second = retry(failing("second"), failed("a", 0, first.failure(), "x"));
		this.millis = 3_000;
		Failure kept = only(Outcome.PartlyDone.class, perform(failing("third"), failed("a", 2, second.failure(), "x")))
			.failure();
		assertThat(kept.text()).startsWith("java.lang.IllegalStateException: third").doesNotContain("first", "second");
		assertThat(kept.attempts()).containsExactly(attempt(1, 1_000, "first"), attempt(2, 2_000, "second"),
				attempt(4, 3_000, "third"));
	}

	@Test
	void theAttemptsOfAPayloadLeaveTheJobWithIt() {
		Outcome.Retry first = retry(failing("first"), job("a", "x"));
		FetchedJob both = failed("a", 0, first.failure(), "x", "y");
		Worker<String> halfDone = (id, payloads) -> {
			this.context.completed(1);
			throw new IllegalStateException("second");
		};
		assertThat(last(Outcome.Retry.class, perform(halfDone, both)).failure().attempts())
			.containsExactly(attempt(1, 1_000, "second"));
	}

	@Test
	void aJobThatIsEnqueuedAgainBeginsItsAttemptsAgain() {
		Outcome.Retry first = retry(failing("first"), job("a", "x"));
		Outcome.Retry again = retry(failing("again"), failed("a", -1, first.failure(), "x"));
		assertThat(again.failure().attempts()).containsExactly(attempt(1, 1_000, "again"));
	}

	@Test
	void aPayloadThatCannotBeReadIsNoAttempt() {
		Outcome.Retry first = retry(failing("first"), job("a", "x"));
		FetchedJob unreadable = failed("a", 0, first.failure(), "unreadable");
		Failure kept = only(Outcome.Unreadable.class, perform(failing("never"), unreadable)).failure();
		assertThat(kept.text()).contains("not readable");
		assertThat(kept.attempts()).containsExactly(attempt(1, 1_000, "first"));
	}

	@Test
	void observersGetTheTextOfTheLastFailure() {
		List<String> reasons = new ArrayList<>();
		LowkiqObserver reading = new LowkiqObserver() {

			@Override
			public void buried(String queue, String id, int payloads, String error) {
				reasons.add(error);
			}

		};
		perform(failing("last"), job("a", 2, "x")).forEach((completed) -> completed.report(reading, "orders"));
		assertThat(reasons).hasSize(1);
		assertThat(reasons.get(0)).startsWith("java.lang.IllegalStateException: last")
			.doesNotContain("attempts", "node-a");
	}

	private static Worker<String> failing(String message) {
		return throwing(() -> new IllegalStateException(message));
	}

	private static Failure.Attempt attempt(int number, long at, String message) {
		return new Failure.Attempt(number, at, "node-a", "java.lang.IllegalStateException: " + message);
	}

	private Outcome.Retry retry(Worker<String> worker, FetchedJob job) {
		return only(Outcome.Retry.class, perform(worker, job));
	}

	private static FetchedJob failed(String id, int retryCount, Failure failure, String... payloads) {
		return new FetchedJob(id, 0, retryCount, 0, failure, job(id, payloads).payloads(), 0, 0, Producers.NONE);
	}

	@Test
	void aHugeMessageCostsNoMemory() {
		Throwable huge = new IllegalStateException("x\n".repeat(50_000_000));
		perform(throwing(() -> new IllegalStateException("small")), job("a", 0, "x"));
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long before = threads.getCurrentThreadAllocatedBytes();
		perform(throwing(() -> huge), job("a", -1, "x"));
		perform(throwing(() -> huge), job("a", 0, "x"));
		perform(throwing(() -> huge), job("a", 2, "x"));
		assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(5_000_000);
	}

	@Test
	void neitherIdsNorMessagesForgeALineOfTheLog() {
		String forged = "x\n2026-01-01 INFO all is well\u001B[2K";
		for (int retryCount : List.of(-1, 0, 2)) {
			perform(throwing(() -> new IllegalStateException(forged, new IllegalArgumentException(forged))),
					job(forged, retryCount, "x"));
			perform(throwing(() -> new BuryException(forged)), job(forged, retryCount, "x"));
			perform(failing(), job(forged, retryCount, "unreadable"));
		}
		assertThat(this.log.events()).hasSize(9).allSatisfy((line) -> {
			assertThat(line.getFormattedMessage()).contains("x\\n2026").doesNotContain("\n", "\u001B");
			if (line.getThrowableProxy() != null) {
				assertThat(ThrowableProxyUtil.asString(line.getThrowableProxy())).contains("x\\n2026")
					.doesNotContain("\n2026", "\u001B");
			}
		});
	}

	@Test
	void theWorkerIsCalledWithItsJobInTheLogContext() {
		Map<String, String> seen = new HashMap<>();
		MDC.put("lowkiq.id", "outer");
		perform((Worker<String>) (id, payloads) -> seen.putAll(MDC.getCopyOfContextMap()), job("a\nb", "x"));
		assertThat(seen).containsEntry("lowkiq.queue", "orders").containsEntry("lowkiq.id", "a\\nb");
		assertThat(MDC.get("lowkiq.queue")).isNull();
		assertThat(MDC.get("lowkiq.id")).isEqualTo("outer");
		MDC.clear();
		perform((BatchWorker<String>) (batch) -> seen.keySet().retainAll(MDC.getCopyOfContextMap().keySet()),
				job("a", "x"), job("b", "x"));
		assertThat(seen).containsOnlyKeys("lowkiq.queue");
	}

	@Test
	void theObserverHearsHowLongEachJobWaitedAndHowManyPayloadsItHas() {
		FetchedJob job = job("a", "x", "y", "unreadable");
		List<String> heard = new ArrayList<>();
		this.observer = new LowkiqObserver() {

			@Override
			public void begins(String queue, int payloads, Duration waited) {
				heard.add("%s %d %s".formatted(queue, payloads, waited));
			}

		};
		this.fetchedAt = -Duration.ofMillis(7).toNanos();
		perform(IDLE, new FetchedJob("a", 0, -1, 0, null, job.payloads(), 0, 120, Producers.NONE));
		assertThat(heard).containsExactly("orders 2 PT0.127S");
	}

	@Test
	void interceptorsSeeTheProducersOfAllJobs() {
		TraceParent one = new TraceParent("a".repeat(32), "a".repeat(16), true);
		TraceParent two = new TraceParent("a".repeat(32), "b".repeat(16), true);
		List<Producers> seen = new ArrayList<>();
		this.interceptors.add((call, chain) -> seen.add(call.producers()));
		List<Payload> payloads = job("a", "x").payloads();
		perform((BatchWorker<String>) (batch) -> {
		}, new FetchedJob("a", 0, -1, 0, null, payloads, 0, 0, new Producers(List.of(one, two), 3)),
				new FetchedJob("b", 0, -1, 0, null, payloads, 0, 0, new Producers(List.of(two), 4)));
		assertThat(seen).containsExactly(new Producers(List.of(one, two), 7));
	}

	@Test
	void resultStaysWhateverAnInterceptorDoesAfterThePerform() {
		List<String> concluded = new ArrayList<>();
		for (String behavior : List.of("throw before", "throw after", "forget", "repeat")) {
			this.interceptors.clear();
			this.interceptors.add(new PerformInterceptor() {
				@Override
				public void perform(Call call, Chain chain) throws Exception {
					chain.proceed();
				}

				@Override
				public void conclude(Call call, Runnable conclusion) {
					concluded.add(call.queue() + " " + behavior);
					if (behavior.equals("throw before")) {
						throw new IllegalStateException(behavior);
					}
					if (!behavior.equals("forget")) {
						conclusion.run();
					}
					if (behavior.equals("repeat")) {
						conclusion.run();
					}
					if (behavior.equals("throw after")) {
						throw new IllegalStateException(behavior);
					}
				}
			});
			assertThat(outcomes(perform(IDLE, job("a", "x")))).as(behavior).containsExactly(done());
		}
		assertThat(concluded).hasSize(4);
	}

	@Test
	void whatAnInterceptorThrowsIsAFailure() {
		this.interceptors.add((call, chain) -> {
			throw new NoSuchMethodError("boom");
		});
		only(Outcome.Retry.class, perform(IDLE, job("a", "x")));
	}

	@Test
	void aJobThatIsMarkedFailedWithoutAnErrorHasFailed() {
		only(Outcome.Retry.class,
				perform((BatchWorker<String>) (batch) -> batch.jobs().get(0).fail(null), job("a", "x")));
	}

	private static FetchedJob unreadable(long millis, String... payloads) {
		FetchedJob job = job("a", payloads);
		return new FetchedJob("a", 0, -1, 0, "not readable", job.payloads(), millis);
	}

	@Test
	void whatCanNotBeReadHoldsBackWhatComesAfterItAndIsTriedAgain() {
		List<Completed> completed = perform((Worker<String>) (id, payloads) -> this.seen.addAll(payloads),
				job("a", 7, "1", "2", "unreadable", "3"));
		assertThat(this.seen).containsExactly("1", "2");
		assertOutcomes(completed, part(List.of(0, 1), List.of()), new Outcome.Unreadable("a", 0, ""));
		assertThat(last(Outcome.Unreadable.class, completed).delay()).isEqualTo(1_000L);
		assertThat(last(Outcome.Unreadable.class, completed).failure().text()).contains("not readable");
	}

	@Test
	void nothingIsPerformedIfTheFirstPayloadCanNotBeRead() {
		assertOutcomes(perform(failing(), job("a", "unreadable", "1")), new Outcome.Unreadable("a", 0, ""));
	}

	@Test
	void failureBeforeWhatCanNotBeReadIsRetriedAsAnyOther() {
		assertOutcomes(perform(failing(), job("a", "1", "unreadable")), retry());
	}

	@Test
	void triesOfWhatCanNotBeReadEndWithTheGrace() {
		this.policy = new FailurePolicy(Set.of(), Set.of(), RetriesExhausted.BURY_OLDEST, Duration.ofMinutes(10),
				Duration.ZERO);
		long nearEnd = Duration.ofMinutes(10).toMillis() - 5;
		assertThat(only(Outcome.Unreadable.class, perform(failing(), unreadable(60_000, "unreadable"))).delay())
			.isEqualTo(15_000L);
		assertThat(only(Outcome.Unreadable.class, perform(failing(), unreadable(nearEnd, "unreadable"))).delay())
			.isEqualTo(5L);
		assertOutcomes(perform(failing(), unreadable(nearEnd + 5, "unreadable")), part(List.of(), List.of(0)));
	}

	@Test
	void whatCanNotBeReadForLongGoesToTheMorgueAndTheRestComesAgain() {
		long grace = Duration.ofMinutes(15).toMillis();
		assertOutcomes(perform(failing(), unreadable(grace, "unreadable", "1", "2")), part(List.of(), List.of(0)),
				returned());
		assertOutcomes(perform(failing(), unreadable(grace, "unreadable", "unreadable")), part(List.of(), List.of(0)),
				returned());
	}

	@Test
	void whatCanNotBeReadBehindAPayloadThatCanHasItsOwnGrace() {
		long grace = Duration.ofMinutes(15).toMillis();
		assertOutcomes(
				perform((Worker<String>) (id, payloads) -> this.seen.addAll(payloads),
						unreadable(grace, "1", "unreadable", "3")),
				part(List.of(0), List.of()), new Outcome.Unreadable("a", 0, ""));
		assertThat(this.seen).containsExactly("1");
	}

	@Test
	void withoutGraceWhatCanNotBeReadGoesToTheMorgueAtOnce() {
		this.policy = new FailurePolicy(Set.of(), Set.of(), RetriesExhausted.BURY_OLDEST, Duration.ZERO, Duration.ZERO);
		assertOutcomes(perform((Worker<String>) (id, payloads) -> this.seen.addAll(payloads),
				job("a", "1", "unreadable", "3")), part(List.of(0), List.of(1)), returned());
		assertThat(this.seen).containsExactly("1");
	}

	@Test
	void anErrorOfTheCodecIsAFailureOfItsJobOnly() {
		List<Completed> completed = perform(
				(BatchWorker<String>) (batch) -> batch.jobs().stream().map(Batch.Job::id).forEach(this.seen::add),
				job("a", "unlinkable"), job("b", "x"), job("c", "y"));
		assertThat(this.seen).containsExactly("b", "c");
		assertThat(outcomes(completed)).hasSize(3)
			.filteredOn((outcome) -> outcome.id().equals("a"))
			.singleElement()
			.asInstanceOf(type(Outcome.Retry.class))
			.satisfies((retry) -> assertThat(retry.failure().text()).contains("NoClassDefFoundError: no/such/Class"));
	}

	@Test
	void aJobThatExhaustsTheMemoryComesBackAsASuspect() {
		List<Outcome> outcomes = outcomes(perform((Worker<String>) (id, payloads) -> {
			if (id.equals("b")) {
				throw new OutOfMemoryError("pretended");
			}
		}, job("a", "huge"), job("b", "x"), job("c", "y")));
		assertThat(outcomes).hasSize(3)
			.filteredOn((outcome) -> outcome instanceof Outcome.Retry retry && retry.suspect())
			.extracting(Outcome::id)
			.containsExactlyInAnyOrder("a", "b");
		assertThat(this.exhausted).isEmpty();
	}

	@Test
	void aWorkerThatCanNotBeMadeIsAFailureOfItsJobs() {
		List<Outcome> outcomes = outcomes(perform(() -> {
			throw new ExceptionInInitializerError("boom");
		}, BatchWorker.class, job("a", "x"), job("b", 2, "y")));
		assertThat(outcomes).hasSize(2);
		assertThat(outcomes.get(0)).isInstanceOf(Outcome.Retry.class);
		assertThat(outcomes.get(1)).isInstanceOf(Outcome.PartlyDone.class);
	}

	private static void failAt(String bad, String payload, Supplier<? extends Throwable> thrown) {
		if (payload.equals(bad)) {
			PerformerTests.<RuntimeException>sneak(thrown.get());
		}
	}

	private void buryOn(Class<? extends Throwable> error) {
		this.policy = new FailurePolicy(Set.of(error), Set.of(), RetriesExhausted.BURY_OLDEST);
	}

	/** Fails whatever it gets. */
	private static Worker<String> failing() {
		return throwing(IllegalStateException::new);
	}

	private static Outcome.PartlyDone part(List<Integer> gone, List<Integer> dead) {
		return new Outcome.PartlyDone("a", gone, dead, "", false);
	}

	private void assertOutcomes(List<Completed> completed, Outcome... expected) {
		assertThat(outcomes(completed))
			.usingRecursiveFieldByFieldElementComparatorIgnoringFields("failure", "delay", "failed")
			.containsExactly(expected);
	}

	private static Outcome retry() {
		return new Outcome.Retry("a", 0, "");
	}

	private static Outcome returned() {
		return new Outcome.Returned("a");
	}

	private static Outcome done() {
		return new Outcome.Done("a");
	}

	@Test
	void payloadsThatWerePerformedOneByOneAreNotPerformedAgain() {
		assertOutcomes(perform((PayloadWorker<String>) (id, payload) -> {
			this.seen.add(payload);
			failAt("3", payload, IllegalStateException::new);
		}, job("a", 2, "1", "2", "3", "4")), part(List.of(0, 1), List.of()), retry());
		assertThat(this.seen).containsExactly("1", "2", "3");
	}

	@Test
	void payloadThatIsBuriedOrDiscardedHoldsNothingUp() {
		this.policy = new FailurePolicy(Set.of(ArithmeticException.class), Set.of(RuntimeException.class),
				RetriesExhausted.BURY_OLDEST);
		List<Completed> completed = perform((PayloadWorker<String>) (id, payload) -> {
			this.seen.add(payload);
			failAt("1", payload, ArithmeticException::new);
			failAt("2", payload, IllegalStateException::new);
			failAt("4", payload, () -> new BuryException("no use"));
		}, job("a", "1", "2", "3", "4", "5"));
		assertOutcomes(completed, part(List.of(1, 2, 4), List.of(0, 3)));
		assertThat(only(Outcome.PartlyDone.class, completed).failure().text()).contains("no use");
		assertThat(this.seen).containsExactly("1", "2", "3", "4", "5");
	}

	@Test
	void allPayloadsThatWerePerformedOneByOneAreAJobThatIsDone() {
		assertOutcomes(perform((PayloadWorker<String>) (id, payload) -> {
		}, job("a", "1", "2")), done());
	}

	@Test
	void payloadsAreLeftWhenTheLeaseIsLostBetweenThem() {
		assertOutcomes(perform((PayloadWorker<String>) (id, payload) -> this.leaseValid.set(false), job("a", "1", "2")),
				part(List.of(0), List.of()), returned());
	}

	@Test
	void payloadsThatAListHasCompletedAreNotPerformedAgain() {
		assertOutcomes(perform((Worker<String>) (id, payloads) -> {
			this.context.completed(1);
			this.context.completed(2);
			throw new IllegalStateException();
		}, job("a", "1", "2", "3", "4")), part(List.of(0, 1), List.of()), retry());
	}

	/** Each has completed all its payloads when the failure comes. */
	static List<QueueWorker<String>> workersThatFailAfterTheLastPayload() {
		return List.of(IDLE, (PayloadWorker<String>) (id, payload) -> {
		}, (BatchWorker<String>) (batch) -> batch.jobs().forEach(Batch.Job::done));
	}

	@ParameterizedTest
	@MethodSource("workersThatFailAfterTheLastPayload")
	void aFailureAfterAllPayloadsWereCompletedIsNotLost(QueueWorker<String> worker) {
		this.memory.queues().register("mails", 1);
		List<String> counts = observeCounts();
		this.interceptors.add((call, chain) -> {
			chain.proceed();
			if (worker instanceof Worker<?>) {
				this.context.completed(2);
			}
			this.context.onSuccess().enqueue("mails", "m", 1);
			throw new IllegalStateException("too late");
		});
		List<Completed> completed = perform(worker, job("a", 3, "1", "2"));
		assertThat(outcomes(completed))
			.containsExactly(new Outcome.PartlyDone("a", List.of(0, 1), List.of(), "", true));
		assertThat(followUps(completed)).isEmpty();
		assertThat(counts).containsExactly("0 done, 1 failed");
		assertThat(this.log.events()).singleElement().satisfies((line) -> {
			assertThat(line.getFormattedMessage())
				.isEqualTo("Job 'a' of queue 'orders' failed after its payloads were completed; they are not retried");
			assertThat(line.getThrowableProxy().getMessage()).endsWith("too late");
		});
	}

	@Test
	void aFailureOfABatchThatIsAllDoneCountsForOneJob() {
		List<String> counts = observeCounts();
		List<Completed> completed = perform((BatchWorker<String>) (batch) -> {
			batch.jobs().forEach(Batch.Job::done);
			throw new IllegalStateException("too late");
		}, job("a", "1"), job("b", "2"));
		assertThat(outcomes(completed)).containsExactly(new Outcome.Done("a"),
				new Outcome.PartlyDone("b", List.of(0), List.of(), "", true));
		assertThat(counts).containsExactly("1 done, 1 failed");
	}

	private List<String> observeCounts() {
		List<String> counts = new ArrayList<>();
		this.observer = new LowkiqObserver() {

			@Override
			public void performed(String queue, int done, int failed, Duration took) {
				counts.add("%d done, %d failed".formatted(done, failed));
			}

		};
		return counts;
	}

	private List<String> performed(QueueWorker<String> worker, FetchedJob job) {
		List<String> performed = new ArrayList<>();
		this.observer = new LowkiqObserver() {

			@Override
			public void performed(PerformedJob each) {
				assertThat(each.error() != null).isEqualTo(each.result() != PerformedJob.Result.DONE);
				performed.add("%s %s %s %s".formatted(each.queue(), each.id(), each.payloads(), each.result()));
			}

		};
		perform(worker, job);
		return performed;
	}

	@Test
	void observersLearnWhatBecameOfThePayloadsOfAJob() {
		this.policy = new FailurePolicy(Set.of(ArithmeticException.class), Set.of(IllegalArgumentException.class),
				RetriesExhausted.HOLD);
		PayloadWorker<String> worker = (id, payload) -> {
			failAt("2", payload, ArithmeticException::new);
			failAt("4", payload, IllegalArgumentException::new);
			failAt("5", payload, IllegalStateException::new);
		};
		assertThat(performed(worker, job("a", "0", "1", "2", "3", "4", "5", "6"))).containsExactly(
				"orders a [0, 1] DONE", "orders a [2] BURIED", "orders a [3] DONE", "orders a [4] DISCARDED",
				"orders a [5] RETRIED");
		assertThat(performed(worker, job("a", 2, "5", "6"))).containsExactly("orders a [5] HELD");
		assertThat(performed(IDLE, job("a", "1", "2"))).containsExactly("orders a [1, 2] DONE");
	}

	@Test
	void observersLearnThatOnlyTheOldestPayloadIsBuriedWhenTheRetriesAreUsedUp() {
		assertThat(performed(failing(), job("a", 2, "1", "2", "3"))).containsExactly("orders a [1] BURIED",
				"orders a [2, 3] RETRIED");
	}

	@Test
	void theLogCountsAttempts() {
		for (int retryCount : List.of(-1, 0, 2)) {
			perform(throwing(() -> new RetryAfterException(Duration.ofSeconds(90))), job("a", retryCount, "1"));
		}
		assertThat(this.log.messages()).satisfiesExactly(
				(line) -> assertThat(line)
					.isEqualTo("Job 'a' of queue 'orders' failed (attempt 1 of 4); next attempt in 1 min 30 s"),
				(line) -> assertThat(line)
					.startsWith("Job 'a' of queue 'orders' failed (attempt 2 of 4); next attempt in 1 min 30 s"),
				(line) -> assertThat(line).startsWith(
						"Job 'a' of queue 'orders' failed (attempt 4 of 4) and is not retried; its oldest payload goes"));
	}

	@Test
	void onlyThePayloadAfterTheCompletedOnesIsBuriedAndTheRestGoesOnAtOnce() {
		assertOutcomes(perform((Worker<String>) (id, payloads) -> {
			this.context.completed(1);
			throw new BuryException("no use");
		}, job("a", "1", "2", "3")), part(List.of(0), List.of(1)), returned());
	}

	@Test
	void allPayloadsOfAListAreBuriedTogetherIfNoneIsCompleted() {
		assertOutcomes(perform((Worker<String>) (id, payloads) -> {
			throw new BuryException("no use");
		}, job("a", "1", "2", "3")), part(List.of(), List.of(0, 1, 2)));
	}

	@Test
	void aPerformLearnsThatNewerPayloadsWait() {
		List<Boolean> seen = new ArrayList<>();
		perform((Worker<String>) (id, payloads) -> {
			seen.add(this.context.newerWaiting());
			this.newer.add(id);
			seen.add(this.context.newerWaiting());
		}, job("a", "1"));
		assertThat(seen).containsExactly(false, true);
	}

	@Test
	void moreThanTheListCanNotBeCompleted() {
		List<Completed> completed = perform((Worker<String>) (id, payloads) -> this.context.completed(3),
				job("a", "1", "2"));
		assertThat(only(Outcome.Retry.class, completed).failure().text())
			.contains("3 payloads can't be completed: the job 'a' has 2");
	}

	@Test
	void payloadsOfABatchHaveMarksOfTheirOwn() {
		buryOn(ArithmeticException.class);
		assertOutcomes(perform((BatchWorker<String>) (batch) -> {
			Batch.Job<String> job = batch.jobs().get(0);
			job.done(0);
			job.fail(1, new ArithmeticException());
			job.fail(2, new IllegalStateException());
			job.fail(3, new IllegalStateException());
			job.done(3);
			job.fail(new IllegalStateException());
		}, job("a", "1", "2", "3", "4", "5")), part(List.of(0, 3), List.of(1)), retry());
	}

	@Test
	void retriesAreCountedAnewForThePayloadThatHasBecomeTheOldest() {
		List<Integer> counts = new ArrayList<>();
		PayloadWorker<String> worker = new PayloadWorker<>() {

			@Override
			public void perform(String id, String payload) {
				failAt("2", payload, IllegalStateException::new);
			}

			@Override
			public Duration retryIn(int retryCount, Throwable error) {
				assertThat(error).isInstanceOf(IllegalStateException.class);
				counts.add(retryCount);
				return Duration.ZERO;
			}

		};
		perform(worker, job("a", 1, "1", "2"));
		perform(worker, job("a", 1, "2", "3"));
		assertThat(counts).containsExactly(0, 2);
	}

	@Test
	void anExceptionSaysWhenToRetry() {
		buryOn(LowkiqException.class);
		assertThat(retry(throwing(() -> new RetryAfterException(Duration.ofHours(2))), job("a", 1, "x")).delay())
			.isEqualTo(Duration.ofHours(2).toMillis());
	}

	@Test
	void errorHandlersSeeWhatFailedAndTheFirstOneThatDecidesWins() {
		List<JobErrorHandler.Failure> seen = new ArrayList<>();
		this.errorHandlers.add((failure) -> {
			seen.add(failure);
			return null;
		});
		this.errorHandlers.add((failure) -> Decision.discard());
		this.errorHandlers.add((failure) -> Decision.bury());
		IllegalStateException error = new IllegalStateException("down");
		assertOutcomes(perform(throwing(() -> error), job("a", 1, "1", "2")), part(List.of(0, 1), List.of()));
		assertThat(seen).containsExactly(new JobErrorHandler.Failure("orders", "a", List.of("1", "2"), 3, error));
	}

	@Test
	void errorHandlersComeBeforeThePolicyOfTheQueueWhichDecidesIfTheyDoNot() {
		buryOn(ArithmeticException.class);
		this.errorHandlers.add((failure) -> (failure.attempt() < 3) ? Decision.retryIn(Duration.ofSeconds(7)) : null);
		assertThat(retry(withFailure(new ArithmeticException()), job("a", -1, "x")).delay()).isEqualTo(7_000);
		assertOutcomes(perform(throwing(ArithmeticException::new), job("a", 1, "x")), part(List.of(), List.of(0)));
	}

	private static Worker<String> withFailure(RuntimeException error) {
		return (id, payloads) -> {
			throw error;
		};
	}

	@Test
	void anErrorHandlerRetriesAfterTheUsualTimeAndAsOftenAsUsual() {
		this.errorHandlers.add((failure) -> Decision.retry());
		assertThat(retry(withFailure(new BuryException("no use")), job("a", -1, "x")).delay()).isBetween(15_000L,
				44_000L);
		assertOutcomes(perform(throwing(() -> new BuryException("no use")), job("a", 2, "x")),
				part(List.of(), List.of(0)));
	}

	@Test
	void anErrorHandlerPutsAJobOnHold() {
		this.errorHandlers.add((failure) -> Decision.hold());
		List<Completed> completed = perform(failing("down"), job("a", -1, "1", "2"));
		assertThat(only(Outcome.Hold.class, completed).failure().text()).contains("down");
		assertThat(this.log.messages())
			.containsExactly("Job 'a' of queue 'orders' failed (attempt 1 of 4) and is not retried; it is on hold");
	}

	@Test
	void aJobIsHeldIfOneOfItsPayloadsIs() {
		this.errorHandlers.add((failure) -> (failure.error() instanceof ArithmeticException) ? Decision.hold() : null);
		List<List<Object>> payloads = new ArrayList<>();
		this.errorHandlers.add((failure) -> {
			payloads.add(failure.payloads());
			return null;
		});
		IllegalStateException error = new IllegalStateException();
		List<Completed> completed = perform((BatchWorker<String>) (batch) -> {
			Batch.Job<String> job = batch.jobs().get(0);
			job.done(0);
			job.fail(1, error);
			job.fail(2, new ArithmeticException("by zero"));
			job.fail(3, error);
			job.done();
		}, job("a", "1", "2", "3", "4"));
		assertThat(outcomes(completed)).hasSize(2);
		assertThat(last(Outcome.Hold.class, completed).failure().text()).contains("by zero");
		assertThat(payloads).containsExactly(List.of("2", "4"));
	}

	@Test
	void payloadsAfterOneThatAnErrorHandlerRetriesAreNotPerformed() {
		buryOn(ArithmeticException.class);
		this.errorHandlers.add((failure) -> switch ((String) failure.payloads().get(0)) {
			case "1" -> Decision.discard();
			case "2" -> Decision.retry();
			default -> throw new AssertionError(failure);
		});
		assertOutcomes(perform((PayloadWorker<String>) (id, payload) -> {
			this.seen.add(payload);
			throw new ArithmeticException();
		}, job("a", "1", "2", "3")), part(List.of(0), List.of()), retry());
		assertThat(this.seen).containsExactly("1", "2");
	}

	@Test
	void whatAnErrorHandlerThrowsIsInTheLogAndThePolicyOfTheQueueDecides() {
		buryOn(ArithmeticException.class);
		this.errorHandlers.add((failure) -> {
			throw new StackOverflowError();
		});
		this.errorHandlers.add((failure) -> Decision.discard());
		assertOutcomes(perform(throwing(ArithmeticException::new), job("a", "x")), part(List.of(), List.of(0)));
		assertThat(this.log.messages())
			.contains("A JobErrorHandler threw for job 'a' of queue 'orders'; its failure is treated as usual");
	}

	@Test
	void errorHandlersAreNotAskedAboutWhatWasNotPerformed() {
		List<JobErrorHandler.Failure> seen = new ArrayList<>();
		this.errorHandlers.add((failure) -> {
			seen.add(failure);
			return Decision.bury();
		});
		assertOutcomes(perform(() -> {
			throw new IllegalStateException("no bean");
		}, Worker.class, job("a", "x")), retry());
		assertOutcomes(perform((PayloadWorker<String>) (id, payload) -> {
			this.activity.interrupt();
			throw new InterruptedException();
		}, job("a", "x", "y")), returned());
		assertThat(seen).isEmpty();
	}

	@Test
	void errorHandlersDecideAboutRunsThatLastTooLong() {
		this.policy = limited(Set.of());
		this.errorHandlers
			.add((failure) -> (failure.error() instanceof PerformTimeoutException) ? Decision.bury() : null);
		assertOutcomes(perform((PayloadWorker<String>) (id, payload) -> {
			timeOutAfter(LIMIT);
			throw new InterruptedException("at work");
		}, job("a", "1", "2")), part(List.of(), List.of(0)), returned());
	}

	private static Worker<String> retriedIn(@Nullable Duration delay) {
		return new Worker<>() {

			@Override
			public void perform(String id, List<String> payloads) {
				throw new IllegalStateException();
			}

			@Override
			public @Nullable Duration retryIn(int retryCount, Throwable error) {
				return delay;
			}

		};
	}

	private void backOff(RetryPolicy retryPolicy) {
		this.policy = new FailurePolicy(Set.of(), Set.of(), RetriesExhausted.BURY_OLDEST, Duration.ZERO, Duration.ZERO,
				retryPolicy);
	}

	@Test
	void theRetryPolicyOfTheQueueDecidesWhatTheWorkerLeavesToIt() {
		backOff((retryCount) -> Duration.ofSeconds(10 + retryCount));
		assertThat(retry(retriedIn(null), job("a", 1, "x")).delay()).isEqualTo(12_000);
		assertThat(retry(retriedIn(Duration.ofSeconds(5)), job("a", 1, "x")).delay()).isEqualTo(5_000);
		assertThat(retry(failing("down"), job("a", -1, "x")).delay()).isEqualTo(10_000);
	}

	@SuppressWarnings("NullAway")
	static Stream<RetryPolicy> policiesWithoutADelay() {
		return Stream.of((retryCount) -> null, (retryCount) -> Duration.ofSeconds(-1), (retryCount) -> {
			throw new UnsupportedOperationException();
		});
	}

	@ParameterizedTest
	@MethodSource("policiesWithoutADelay")
	void aRetryPolicyThatGivesNoDelayIsInTheLogAndTheStandardOneDecides(RetryPolicy bad) {
		backOff(bad);
		assertThat(retry(failing("down"), job("a", -1, "x")).delay()).isBetween(15_000L, 44_000L);
		assertThat(this.log.messages())
			.contains("retryIn of queue 'orders' gave no delay for job 'a'; using the default delay");
	}

	@Test
	void aNegativeDelayOfAWorkerLeavesItToTheRetryPolicy() {
		backOff((retryCount) -> Duration.ofSeconds(10));
		assertThat(retry(retriedIn(Duration.ofSeconds(-1)), job("a", 1, "x")).delay()).isEqualTo(10_000);
	}

	@Test
	void allPayloadsMayBeBuriedWhenTheRetriesAreUsedUp() {
		this.policy = new FailurePolicy(Set.of(), Set.of(), RetriesExhausted.BURY_ALL);
		assertOutcomes(perform(failing(), job("a", 2, "1", "2")), part(List.of(), List.of(0, 1)));
	}

	@Test
	void theOldestPayloadIsBuriedWhenTheRetriesAreUsedUpAndTheRestBeginsAfresh() {
		assertOutcomes(perform(failing(), job("a", 2, "1", "2")), part(List.of(), List.of(0)), returned());
	}

	@Test
	void theJobMayWaitForAPersonWhenTheRetriesAreUsedUp() {
		this.policy = new FailurePolicy(Set.of(), Set.of(), RetriesExhausted.HOLD);
		List<String> exhaustedIds = new ArrayList<>();
		assertOutcomes(perform(new Worker<String>() {

			@Override
			public void perform(String id, List<String> payloads) {
				throw new IllegalStateException();
			}

			@Override
			public void retriesExhausted(String id, String payload, Throwable error) {
				exhaustedIds.add(id + "=" + payload);
			}

		}, job("a", 2, "1", "2")), new Outcome.Hold("a", ""));
		assertThat(exhaustedIds).containsExactly("a=1");
	}

	@Test
	void nothingIsBegunOnceTheLeaseIsLost() {
		List<Completed> completed = perform((Worker<String>) (id, payloads) -> {
			this.seen.add(id);
			this.leaseValid.set(false);
		}, job("a", "x"), job("b", "y"));
		assertThat(this.seen).containsExactly("a");
		assertThat(completed).extracting(Completed::id).containsExactly("a");
	}

	private static FailurePolicy limited(Set<Class<? extends Throwable>> buryOn) {
		return new FailurePolicy(buryOn, Set.of(), RetriesExhausted.BURY_OLDEST, Duration.ZERO, LIMIT);
	}

	/** The timer looks at the present perform after a time. */
	private void timeOutAfter(Duration duration) {
		this.nanos.addAndGet(duration.toNanos());
		this.activity.timeOut(Objects.requireNonNull(this.task), LIMIT.toNanos(), this.nanos.get());
	}

	private void assertTimedOut(List<Completed> completed) {
		assertThat(last(Outcome.Retry.class, completed).failure().text())
			.contains("The perform lasted longer than perform-timeout (30s)");
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void performThatLastsTooLongIsInterruptedAndHasFailedWhateverTheWorkerThrows() {
		this.policy = limited(Set.of(InterruptedException.class));
		assertTimedOut(perform((Worker<String>) (id, payloads) -> {
			timeOutAfter(LIMIT);
			throw new InterruptedException("at work");
		}, job("a", "x")));
	}

	@Test
	void performThatLastsTooLongHasFailedEvenIfItReturns() {
		this.policy = limited(Set.of());
		assertTimedOut(perform((Worker<String>) (id, payloads) -> {
			timeOutAfter(LIMIT);
			assertThat(Thread.interrupted()).isTrue();
		}, job("a", "x")));
	}

	@Test
	void payloadsThatAreCompletedBeforeTheTimeIsUpAreNotPerformedAgain() {
		this.policy = limited(Set.of());
		List<Completed> completed = perform((Worker<String>) (id, payloads) -> {
			this.context.completed(1);
			timeOutAfter(LIMIT);
		}, job("a", "1", "2", "3"));
		assertOutcomes(completed, part(List.of(0), List.of()), retry());
		assertTimedOut(completed);
	}

	@Test
	void performThatEndsInTimeIsNotInterrupted() {
		this.policy = limited(Set.of());
		assertOutcomes(perform((Worker<String>) (id, payloads) -> {
			timeOutAfter(LIMIT.minusNanos(1));
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}, job("a", "x")), done());
	}

	@Test
	void theTimeOfATaskThatHasEndedInterruptsNeitherTheThreadNorItsNextPerform() {
		this.policy = limited(Set.of());
		perform(IDLE, job("a", "x"));
		Task ended = Objects.requireNonNull(this.task);
		timeOutAfter(LIMIT);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertOutcomes(perform((Worker<String>) (id, payloads) -> {
			this.activity.timeOut(ended, LIMIT.toNanos(), this.nanos.addAndGet(LIMIT.toNanos()));
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}, job("a", "x")), done());
	}

	@Test
	void aTimerThatIsLateNeverInterruptsWhatComesAfterThePerform() throws Exception {
		this.policy = limited(Set.of());
		perform(IDLE, job("a", "x"));
		Task ofBoth = Objects.requireNonNull(this.task);
		AtomicBoolean over = new AtomicBoolean();
		Thread timer = new Thread(() -> {
			while (!over.get()) {
				this.activity.timeOut(ofBoth, 0, 0);
			}
		});
		timer.start();
		int leaked = 0;
		int timedOut = 0;
		for (int i = 0; i < 100_000 || timedOut == 0; i++) {
			this.activity.begin(ofBoth, List.of("a"), 0);
			timedOut += (this.activity.end() == ThreadActivity.End.TIMED_OUT) ? 1 : 0;
			leaked += Thread.interrupted() ? 1 : 0;
		}
		over.set(true);
		timer.join();
		assertThat(leaked).isZero();
	}

	@Test
	void payloadThatLastsTooLongIsTheLastOne() {
		this.policy = limited(Set.of());
		List<Completed> completed = perform((PayloadWorker<String>) (id, payload) -> {
			this.seen.add(payload);
			timeOutAfter(payload.equals("3") ? LIMIT : LIMIT.minusNanos(1));
		}, job("a", "1", "2", "3", "4"));
		assertOutcomes(completed, part(List.of(0, 1), List.of()), retry());
		assertTimedOut(completed);
		assertThat(this.seen).containsExactly("1", "2", "3");
	}

	@Test
	void payloadAfterOneThatIsBuriedHasTheWholeTime() {
		this.policy = limited(Set.of(ArithmeticException.class));
		assertOutcomes(perform((PayloadWorker<String>) (id, payload) -> {
			timeOutAfter(LIMIT.minusNanos(1));
			failAt("1", payload, ArithmeticException::new);
		}, job("a", "1", "2")), part(List.of(1), List.of(0)));
	}

	@Test
	void payloadThatLastsTooLongIsTheLastOneThoughItIsBuried() {
		this.policy = limited(Set.of(PerformTimeoutException.class, InterruptedException.class));
		assertOutcomes(perform((PayloadWorker<String>) (id, payload) -> {
			this.seen.add(payload);
			timeOutAfter(LIMIT);
			throw new InterruptedException();
		}, job("a", "1", "2")), part(List.of(), List.of(0)), returned());
		assertThat(this.seen).containsExactly("1");
	}

	@Test
	void jobsOfABatchThatLastsTooLongKeepTheirMarks() {
		this.policy = limited(Set.of(ArithmeticException.class));
		List<Completed> completed = perform((BatchWorker<String>) (batch) -> {
			batch.jobs().get(0).done();
			batch.jobs().get(1).fail(new ArithmeticException());
			timeOutAfter(LIMIT);
		}, job("a", "1"), job("b", "2"), job("c", "3"));
		assertThat(outcomes(completed)).extracting(Outcome::id).containsExactly("a", "b", "c");
		assertThat(outcomes(completed).get(0)).isInstanceOf(Outcome.Done.class);
		assertThat(outcomes(completed).get(1)).isInstanceOf(Outcome.PartlyDone.class);
		assertTimedOut(completed);
	}

	@Test
	void outOfMemoryErrorStaysOneThoughTheTimeIsUp() {
		this.policy = limited(Set.of());
		assertThat(retry((id, payloads) -> {
			timeOutAfter(LIMIT);
			throw new OutOfMemoryError("pretended");
		}, job("a", "x")).suspect()).isTrue();
	}

	@Test
	void performThatTheServerBrokeOffBeforeItsTimeWasUpHasNotFailed() {
		this.policy = limited(Set.of());
		assertOutcomes(perform((Worker<String>) (id, payloads) -> {
			this.activity.interrupt();
			timeOutAfter(LIMIT);
			throw new InterruptedException();
		}, job("a", "x")), returned());
	}

	@Test
	void performWhoseTimeWasUpBeforeTheServerBrokeItOffHasFailed() {
		this.policy = limited(Set.of());
		assertTimedOut(perform((Worker<String>) (id, payloads) -> {
			timeOutAfter(LIMIT);
			this.activity.interrupt();
			throw new InterruptedException();
		}, job("a", "x")));
	}

	private static List<Outcome> outcomes(List<Completed> completed) {
		return completed.stream().flatMap((job) -> job.outcomes().stream()).toList();
	}

	/** The outcome, of which there is only one. */
	private static <T extends Outcome> T only(Class<T> type, List<Completed> completed) {
		assertThat(outcomes(completed)).hasSize(1);
		return last(type, completed);
	}

	private static <T extends Outcome> T last(Class<T> type, List<Completed> completed) {
		assertThat(outcomes(completed)).last().isInstanceOf(type);
		return type.cast(outcomes(completed).get(outcomes(completed).size() - 1));
	}

	private static List<String> followUps(List<Completed> completed) {
		return completed.stream()
			.flatMap((job) -> job.followUps().stream())
			.map((next) -> next.queue() + " " + next.payload().id() + " "
					+ new String(next.payload().payload(), StandardCharsets.UTF_8))
			.toList();
	}

	private void follow(Object payload) {
		this.memory.queues().register("mails", 3);
		this.context.onSuccess().enqueue("mails", "m", payload);
	}

	@Test
	void whatIsEnqueuedOnSuccessFollowsTheJob() {
		List<Completed> completed = perform((Worker<String>) (id, payloads) -> {
			follow(1);
			follow(2);
		}, job("a", "x"));
		assertThat(followUps(completed)).containsExactly("mails m 1", "mails m 2");
		assertThat(completed.get(0).allOutcomes(7)).extracting((outcome) -> outcome.getClass().getSimpleName())
			.containsExactly("FollowUp", "FollowUp", "Done");
		assertThat(completed.get(0).allOutcomes(7)).filteredOn(Outcome.FollowUp.class::isInstance)
			.extracting((outcome) -> ((Outcome.FollowUp) outcome).number())
			.containsExactly(7L, 8L);
	}

	@Test
	void nothingFollowsAJobThatFails() {
		assertThat(followUps(perform((Worker<String>) (id, payloads) -> {
			follow(1);
			throw new IllegalStateException();
		}, job("a", "x")))).isEmpty();
	}

	@Test
	void nothingFollowsAJobThatIsDiscardedOrBuried() {
		this.policy = new FailurePolicy(Set.of(IllegalStateException.class), Set.of(IllegalArgumentException.class),
				RetriesExhausted.BURY_OLDEST);
		for (RuntimeException error : List.of(new IllegalStateException(), new IllegalArgumentException())) {
			assertThat(followUps(perform((Worker<String>) (id, payloads) -> {
				follow(1);
				throw error;
			}, job("a", "x")))).isEmpty();
		}
	}

	@Test
	void whatWasEnqueuedBeforePayloadsWereDoneFollowsThem() {
		assertThat(followUps(perform((Worker<String>) (id, payloads) -> {
			follow(1);
			this.context.completed(1);
			follow(2);
			throw new IllegalStateException();
		}, job("a", "x", "y")))).containsExactly("mails m 1");
	}

	@Test
	void eachPayloadOfAPayloadWorkerIsFollowedByItsOwn() {
		assertThat(followUps(perform((PayloadWorker<String>) (id, payload) -> {
			follow(payload);
			if (payload.equals("y")) {
				throw new BuryException("y");
			}
		}, job("a", "x", "y", "z")))).containsExactly("mails m \"x\"", "mails m \"z\"");
	}

	@Test
	void inABatchTheJobIsNamedThatSomethingFollows() {
		List<Completed> completed = perform((BatchWorker<String>) (batch) -> {
			this.memory.queues().register("mails", 3);
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this.context::onSuccess);
			for (Batch.Job<String> job : batch) {
				this.context.onSuccess(job).enqueue("mails", job.id(), job.id());
			}
			batch.jobs().get(1).fail(new IllegalStateException());
		}, job("a", "x"), job("b", "y"));
		assertThat(followUps(completed)).containsExactly("mails a \"a\"");
	}

	@Test
	void nothingFollowsAfterThePerformHasEnded() {
		List<LowkiqClient> kept = new ArrayList<>();
		perform((Worker<String>) (id, payloads) -> {
			follow(1);
			kept.add(this.context.onSuccess());
		}, job("a", "x"));
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> kept.get(0).enqueue("mails", "m", "late"))
			.withMessageContaining("'a'");
	}

	@Test
	void whatFollowsIntoAQueueThatIsNotRecordedIsKept() {
		List<Completed> completed = perform(
				(Worker<String>) (id, payloads) -> this.context.onSuccess().enqueue("later", "m", "x"), job("a", "x"));
		assertThat(followUps(completed)).containsExactly("later m \"x\"");
		assertThat(completed.get(0).outcomes()).containsExactly(done());
		assertThat(this.memory.queues().find("later")).isEmpty();
	}

	@Test
	void badInputIsRefusedAtOnceAndTheNumberIsLimited() {
		List<Completed> completed = perform((Worker<String>) (id, payloads) -> {
			follow(0);
			LowkiqClient client = this.context.onSuccess();
			assertThatExceptionOfType(InvalidQueueException.class)
				.isThrownBy(() -> client.enqueue("no name", "m", "x"));
			assertThatExceptionOfType(InvalidQueueException.class).isThrownBy(
					() -> client.enqueue("mails", JobRequest.of("m", "x").then("no name", JobRequest.of("m", "x"))));
			assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> client.enqueueAll("mails",
					java.util.stream.IntStream.range(0, 1_000).mapToObj((i) -> JobRequest.of("m", i)).toList()));
			assertThatExceptionOfType(InvalidJobException.class)
				.isThrownBy(() -> client.enqueue("mails", "m", "x".repeat(1 << 20)));
			assertThatExceptionOfType(IllegalArgumentException.class)
				.isThrownBy(() -> client.transactional(TransactionMode.OFF));
		}, job("a", "x"));
		assertThat(followUps(completed)).containsExactly("mails m 0");
	}

	@Test
	void thePayloadsThatAreDoneAreFollowedByTheirNextSteps() {
		FollowUp next = new FollowUp("mails", NewPayload.of("m", "\"x\"".getBytes(StandardCharsets.UTF_8)));
		FollowUp other = new FollowUp("prints", NewPayload.of("m", "\"y\"".getBytes(StandardCharsets.UTF_8)));
		List<Payload> payloads = List.of(new Payload("x".getBytes(StandardCharsets.UTF_8), 1, next.toBytes()),
				new Payload("y".getBytes(StandardCharsets.UTF_8), 2, other.toBytes()));
		FetchedJob job = new FetchedJob("a", 0, -1, 0, null, payloads);
		assertThat(followUps(perform((Worker<String>) (id, texts) -> assertThat(texts).containsExactly("x", "y"), job)))
			.containsExactly("mails m \"x\"", "prints m \"y\"");
		assertThat(followUps(perform((Worker<String>) (id, texts) -> {
			this.context.completed(1);
			throw new IllegalStateException();
		}, job))).containsExactly("mails m \"x\"");
	}

}
