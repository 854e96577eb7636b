package io.lowkiq.engine.perform;

import java.io.IOError;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.StackTraceErrorFormatter;
import io.lowkiq.Worker;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Payload;
import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/**
 * Whatever a worker, an interceptor or a codec throws is a failure of its jobs (I8).
 */
class PerformerTests {

	private static final Lease LEASE = new Lease(new Shard("orders", 1, 0), "session", 42);

	private final AtomicBoolean leaseValid = new AtomicBoolean(true);

	private final AtomicLong nanos = new AtomicLong();

	private final List<String> exhausted = new ArrayList<>();

	private final List<PerformInterceptor> interceptors = new ArrayList<>();

	private final ThreadActivity activity = new ThreadActivity("thread", InstantSource.system());

	/** Reads text; some texts can't be read. */
	private static final class TextCodec implements PayloadCodec {

		@Override
		public byte[] encode(Object payload) {
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

	private List<Completed> perform(QueueWorker<String> worker, FetchedJob... jobs) {
		return perform(() -> worker, worker instanceof BatchWorker ? BatchWorker.class : Worker.class, jobs);
	}

	private List<Completed> perform(Supplier<QueueWorker<?>> worker, Class<?> workerClass, FetchedJob... jobs) {
		RegisteredWorker registered = new RegisteredWorker("orders", workerClass, String.class,
				new RegisteredWorker.Settings(1, 10, 3, 1_000, 1, 0), worker);
		Performer performer = new Performer(new TextCodec(), new StackTraceErrorFormatter(), this.interceptors,
				LowkiqObserver.NONE, new ThreadPerformContext(),
				new OutOfMemoryWatch(this.nanos::get, this.exhausted::add), this.nanos::get);
		return performer.perform(
				new Task(new ServedQueue(registered, 100), LEASE, this.leaseValid::get, "session", List.of(jobs)),
				this.activity);
	}

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
		List<Completed> completed = perform(throwing(() -> thrown), job("a", 1, "x"));
		assertThat(completed).singleElement()
			.satisfies((job) -> assertThat(job.outcomes()).singleElement()
				.asInstanceOf(type(Outcome.Retry.class))
				.satisfies((retry) -> {
					assertThat(retry.id()).isEqualTo("a");
					assertThat(retry.suspect()).isFalse();
					assertThat(retry.delay()).isPositive();
					assertThat(retry.error()).contains(thrown.getClass().getName())
						.hasSizeLessThanOrEqualTo(StackTraceErrorFormatter.DEFAULT_MAX_LENGTH);
				}));
	}

	@ParameterizedTest
	@MethodSource("thrown")
	void whateverAWorkerThrowsIsCountedUntilItsRetriesAreUsedUp(Throwable thrown) {
		assertThat(perform(throwing(() -> thrown), job("a", 2, "x"))).singleElement()
			.satisfies((job) -> assertThat(job.outcomes()).singleElement().isInstanceOf(Outcome.Bury.class));
	}

	@Test
	void whatAnInterceptorThrowsIsAFailure() {
		this.interceptors.add((call, chain) -> {
			throw new NoSuchMethodError("boom");
		});
		assertThat(outcomes(perform((Worker<String>) (id, payloads) -> {
		}, job("a", "x")))).singleElement().isInstanceOf(Outcome.Retry.class);
	}

	@Test
	void aJobThatIsMarkedFailedWithoutAnErrorHasFailed() {
		assertThat(outcomes(perform((BatchWorker<String>) (batch) -> batch.jobs().get(0).fail(null), job("a", "x"))))
			.singleElement()
			.isInstanceOf(Outcome.Retry.class);
	}

	@Test
	void whatCanNotBeReadGoesToTheMorgueAndTheRestIsPerformed() {
		List<String> seen = new ArrayList<>();
		assertThat(perform((Worker<String>) (id, payloads) -> seen.addAll(payloads), job("a", "1", "unreadable", "3"),
				job("b", "unreadable")))
			.hasSize(2);
		assertThat(seen).containsExactly("1", "3");
	}

	@Test
	void anErrorOfTheCodecIsAFailureOfItsJobOnly() {
		List<String> seen = new ArrayList<>();
		List<Completed> completed = perform(
				(BatchWorker<String>) (batch) -> batch.jobs().stream().map(Batch.Job::id).forEach(seen::add),
				job("a", "unlinkable"), job("b", "x"), job("c", "y"));
		assertThat(seen).containsExactly("b", "c");
		assertThat(outcomes(completed)).hasSize(3)
			.filteredOn((outcome) -> outcome.id().equals("a"))
			.singleElement()
			.asInstanceOf(type(Outcome.Retry.class))
			.satisfies((retry) -> assertThat(retry.error()).contains("NoClassDefFoundError: no/such/Class"));
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
		assertThat(outcomes.get(1)).isInstanceOf(Outcome.Bury.class);
	}

	@Test
	void nothingIsBegunOnceTheLeaseIsLost() {
		List<String> seen = new ArrayList<>();
		List<Completed> completed = perform((Worker<String>) (id, payloads) -> {
			seen.add(id);
			this.leaseValid.set(false);
		}, job("a", "x"), job("b", "y"));
		assertThat(seen).containsExactly("a");
		assertThat(completed).extracting(Completed::id).containsExactly("a");
	}

	private static List<Outcome> outcomes(List<Completed> completed) {
		return completed.stream().flatMap((job) -> job.outcomes().stream()).toList();
	}

}
