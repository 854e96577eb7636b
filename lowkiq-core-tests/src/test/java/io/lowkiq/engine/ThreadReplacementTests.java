package io.lowkiq.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import io.lowkiq.LowkiqClient;
import io.lowkiq.Worker;
import io.lowkiq.engine.perform.ThreadState;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A thread that a run has left unclean, or that belongs to one run, ends, and another one
 * goes on in its place.
 */
class ThreadReplacementTests {

	@AutoClose
	private final ServerFixture fixture = new ServerFixture();

	private final List<Thread> threads = new CopyOnWriteArrayList<>();

	private final Set<String> leaks = ConcurrentHashMap.newKeySet();

	private final ThreadLocal<Boolean> local = new ThreadLocal<>();

	private final InheritableThreadLocal<Boolean> inheritable = new InheritableThreadLocal<>();

	/** Whether a run has left something open on the thread. */
	private final ThreadLocal<Boolean> open = ThreadLocal.withInitial(() -> false);

	private final Worker<Integer> worker = (id, payloads) -> {
		this.threads.add(Thread.currentThread());
		if (this.local.get() != null || this.inheritable.get() != null) {
			this.leaks.add(id);
		}
		this.local.set(true);
		this.inheritable.set(true);
		if (id.startsWith("open")) {
			this.open.set(true);
		}
	};

	private LowkiqServer started(UnaryOperator<ServerOptions> customizer) {
		this.fixture.worker("orders", settings(1, 1, 5), this.worker);
		return this.fixture.started((builder) -> customizer
			.apply(builder.settings(settings(1, Duration.ofSeconds(15))).threadStates(List.of(this::watch))));
	}

	private ThreadState watch() {
		return () -> {
			boolean left = this.open.get();
			this.open.set(false);
			return left ? new IllegalStateException("left open") : null;
		};
	}

	private void perform(String... ids) {
		LowkiqClient client = this.fixture.client();
		for (String id : ids) {
			int before = this.threads.size();
			client.enqueue("orders", id, 1);
			await().atMost(PATIENCE).until(() -> this.threads.size() == before + 1);
		}
	}

	@Test
	void aCleanThreadIsUsedAgain() {
		started((builder) -> builder);
		perform("a", "b", "c");
		assertThat(Set.copyOf(this.threads)).hasSize(1);
	}

	@Test
	void aThreadThatIsNotCleanEndsAndAnotherOneGoesOnInItsPlace() {
		LowkiqServer server = started((builder) -> builder);
		perform("open1", "a", "b", "open2", "c");
		assertThat(this.threads.get(1)).isNotSameAs(this.threads.get(0))
			.isSameAs(this.threads.get(2))
			.isSameAs(this.threads.get(3));
		assertThat(this.threads.get(4)).isNotSameAs(this.threads.get(3));
		assertThat(this.leaks).containsExactlyInAnyOrder("b", "open2");
		assertThat(this.threads).extracting(Thread::getName).containsOnly("lowkiq-perform-1");
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.threads.get(0).isAlive()).isFalse());
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 3);
		assertThat(server.stop(PATIENCE)).isTrue();
	}

	@Test
	void eachRunCanHaveAThreadOfItsOwn() {
		LowkiqServer server = started((builder) -> builder.threadPerRun(true));
		perform("a", "b", "c", "d");
		assertThat(Set.copyOf(this.threads)).hasSize(4);
		assertThat(this.leaks).isEmpty();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 4);
		assertThat(server.status().threads()).hasSize(1);
		assertThat(server.stop(PATIENCE)).isTrue();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.threads).noneMatch(Thread::isAlive));
	}

	@Test
	void aThreadGoesOnIfNoOtherOneCanBeStarted() {
		AtomicBoolean exhausted = new AtomicBoolean();
		LowkiqServer server = started((builder) -> builder.threadPerRun(true).threadFactory((loop) -> new Thread(loop) {

			@Override
			public synchronized void start() {
				if (exhausted.get()) {
					throw new OutOfMemoryError("unable to create native thread");
				}
				super.start();
			}

		}));
		exhausted.set(true);
		perform("a", "b");
		assertThat(this.threads.get(1)).isSameAs(this.threads.get(0));
		exhausted.set(false);
		perform("c", "d");
		assertThat(this.threads.get(3)).isNotSameAs(this.threads.get(0));
		assertThat(server.stop(PATIENCE)).isTrue();
	}

	@Test
	void aStopWaitsForRunsOfThreadsThatAreReplacedMeanwhile() {
		CountDownLatch gate = new CountDownLatch(1);
		AtomicInteger ended = new AtomicInteger();
		this.fixture.worker("mails", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> {
			this.threads.add(Thread.currentThread());
			gate.await();
			ended.incrementAndGet();
		});
		LowkiqServer server = started((builder) -> builder.threadPerRun(true));
		this.fixture.client().enqueue("mails", "a", 1);
		await().atMost(PATIENCE).until(() -> this.threads.size() == 1);
		server.quiet();
		gate.countDown();
		assertThat(server.stop(PATIENCE)).isTrue();
		assertThat(ended).hasValue(1);
		assertThat(this.fixture.processed("mails")).isEqualTo(1);
	}

}
