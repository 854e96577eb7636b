package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.Worker;
import io.lowkiq.memory.InMemoryStore;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Claim;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.HandOver;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.WakeUps;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A server is handed jobs over with the wake-up: it takes each once, whatever becomes of
 * the message.
 */
class HandOverTests {

	private final InMemoryStore memory = new InMemoryStore(InstantSource.system());

	private final List<List<Outcome>> turns = new CopyOnWriteArrayList<>();

	private final Map<String, AtomicInteger> performs = new ConcurrentHashMap<>();

	private final AtomicInteger restored = new AtomicInteger();

	private volatile WakeUps.Listener listener;

	private ServerFixture fixture;

	@AfterEach
	void close() {
		this.fixture.close();
	}

	/**
	 * Starts a server with one shard, and waits until its owner waits.
	 * @param delivery what becomes of a message to its listener
	 * @return the server
	 */
	private LowkiqServer start(BiConsumer<WakeUps.Listener, HandOver> delivery) {
		WakeUps wakeUps = (session, real) -> {
			this.listener = real;
			return this.memory.wakeUps().subscribe(session, new Postman(real, delivery));
		};
		this.fixture = new ServerFixture(new Recording(this.memory.shardStore(), this.turns), this.memory.queues(),
				this.memory.nodes(), wakeUps, this.memory.inspection());
		this.fixture.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id,
				payloads) -> this.performs.computeIfAbsent(id, (key) -> new AtomicInteger()).incrementAndGet());
		LowkiqServer server = this.fixture.server((builder) -> builder.observer(new LowkiqObserver() {
			@Override
			public void restored(String queue, int jobs) {
				HandOverTests.this.restored.addAndGet(jobs);
			}
		}));
		server.start();
		awaitWaiting(server, 1);
		return server;
	}

	/** Waits until so many calls of the owner were answered and it waits. */
	private void awaitWaiting(LowkiqServer server, int calls) {
		await().atMost(PATIENCE)
			.until(() -> this.turns.size() >= calls
					&& server.status().threads().stream().allMatch((thread) -> thread.shard() == null));
	}

	private LowkiqClient client() {
		return this.fixture.client();
	}

	private void awaitPerformed(String id, int times) {
		await().atMost(PATIENCE).until(() -> this.performs.containsKey(id) && this.performs.get(id).get() >= times);
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders"));
		assertThat(this.performs.get(id)).hasValue(times);
	}

	private static BiConsumer<WakeUps.Listener, HandOver> altered(long epochs, long calls) {
		return (real, given) -> real.handOver(new Shard("orders", 1, 0), new HandOver(given.epoch() + epochs,
				given.after() + calls, given.sequence(), given.job(), given.next(), given.now()));
	}

	@Test
	void aJobForAnIdleShardCostsItsOwnerOneCall() {
		LowkiqServer server = start(altered(0, 0));
		int before = this.turns.size();
		for (int i = 1; i <= 20; i++) {
			client().enqueue("orders", "a", i);
			awaitPerformed("a", i);
			awaitWaiting(server, before + i);
		}
		assertThat(this.turns.subList(before, this.turns.size())).hasSize(20)
			.containsOnly(List.of(new Outcome.Done("a")));
	}

	@Test
	void aJobOfWhichTheMessageIsLostIsFoundByTheNextCall() {
		start((real, given) -> {
		});
		client().enqueue("orders", "a", 1);
		assertThat(this.fixture.counts("orders", 0).busy()).isOne();
		this.listener.connected();
		awaitPerformed("a", 1);
		assertThat(this.restored).hasValue(0);
	}

	@Test
	void aMessageThatComesTwiceIsTakenOnce() {
		start(altered(0, 0).andThen(altered(0, 0)));
		for (int i = 1; i <= 20; i++) {
			client().enqueue("orders", "a", i);
			awaitPerformed("a", i);
		}
		assertThat(this.restored).hasValue(0);
	}

	@Test
	void aMessageOfAnotherLeaseIsDropped() {
		start(altered(-1, 0));
		client().enqueue("orders", "a", 1);
		awaitPerformed("a", 1);
		assertThat(this.turns).contains(List.of());
	}

	@Test
	void aMessageThatDoesNotFollowTheLastCallIsDropped() {
		start(altered(0, -1));
		client().enqueue("orders", "a", 1);
		awaitPerformed("a", 1);
		assertThat(this.restored).hasValue(0);
	}

	@Test
	void aServerThatStopsPutsBackWhatItWasNotTold() {
		LowkiqServer server = start((real, given) -> {
		});
		client().enqueue("orders", "a", 1);
		server.stop(Duration.ofSeconds(10));
		ShardCounts counts = this.fixture.counts("orders", 0);
		assertThat(List.of(counts.queued(), counts.busy())).containsExactly(1L, 0L);
		assertThat(counts.session()).isNull();
		assertThat(this.performs).isEmpty();
	}

	/**
	 * Delivers what was handed over in its own way.
	 */
	private static final class Postman extends ForwardingListener {

		private final WakeUps.Listener real;

		private final BiConsumer<WakeUps.Listener, HandOver> delivery;

		Postman(WakeUps.Listener real, BiConsumer<WakeUps.Listener, HandOver> delivery) {
			super(real);
			this.real = real;
			this.delivery = delivery;
		}

		@Override
		public void handOver(Shard shard, HandOver handOver) {
			this.delivery.accept(this.real, handOver);
		}

	}

	/**
	 * Writes down the outcomes of each turn after its answer.
	 *
	 * @param store the store
	 * @param turns where to
	 */
	private record Recording(ShardStore store, List<List<Outcome>> turns) implements ShardStore {

		@Override
		public EnqueueResult push(Shard shard, List<NewPayload> pushes) {
			return this.store.push(shard, pushes);
		}

		@Override
		public Acquisition acquire(Shard shard, Claim claim) {
			return this.store.acquire(shard, claim);
		}

		@Override
		public FetchResult turn(Lease lease, long sequence, List<Outcome> outcomes, Fetch fetch) {
			FetchResult answer = this.store.turn(lease, sequence, outcomes, fetch);
			this.turns.add(outcomes);
			return answer;
		}

		@Override
		public boolean release(Lease lease, long sequence, List<Outcome> outcomes) {
			return this.store.release(lease, sequence, outcomes);
		}

	}

}
