package io.lowkiq.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.lowkiq.LowkiqClient;
import io.lowkiq.StoreException;
import io.lowkiq.Worker;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Enqueues numbers for some ids, notes which are performed, and judges. A producer of
 * this kind repeats what was refused until it is taken, as one should.
 */
final class NumberedWork implements Worker<Integer> {

	static final String QUEUE = "orders";

	private static final int IDS = 24;

	/** So that there is work all the time, and not more than that. */
	private static final Duration PACE = Duration.ofMillis(2);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/** Written by the threads of the server; the list of an id by one at a time. */
	private final Map<String, List<Integer>> performed = new ConcurrentHashMap<>();

	/** Written by the producer. */
	private final AtomicInteger enqueued = new AtomicInteger();

	/** Written by the producer. */
	private final AtomicInteger refused = new AtomicInteger();

	private final LowkiqClient client;

	/** Written by the producer. */
	private volatile @Nullable StoreException lastRefusal;

	private volatile boolean stopped;

	NumberedWork(LowkiqClient client) {
		this.client = client;
	}

	@Override
	public void perform(String id, List<Integer> numbers) {
		List<Integer> list = this.performed.computeIfAbsent(id, (key) -> new ArrayList<>());
		synchronized (list) {
			list.addAll(numbers);
		}
	}

	/** Enqueues the next number of the next id. */
	private void enqueueOne() {
		int number = this.enqueued.get();
		await().atMost(PATIENCE).pollInSameThread().pollDelay(PACE).pollInterval(Duration.ofMillis(20)).until(() -> {
			try {
				this.client.enqueue(QUEUE, "id" + number % IDS, number / IDS);
				return true;
			}
			catch (StoreException ex) {
				this.lastRefusal = ex;
				this.refused.incrementAndGet();
				return false;
			}
		});
		this.enqueued.incrementAndGet();
	}

	/** Enqueues while something happens, and waits until all of it is performed. */
	void during(Runnable happening) {
		this.stopped = false;
		CompletableFuture<Void> producer = CompletableFuture.runAsync(() -> {
			while (!this.stopped) {
				enqueueOne();
			}
		});
		try {
			happening.run();
		}
		finally {
			this.stopped = true;
		}
		assertThat(producer).as(this::state).succeedsWithin(PATIENCE);
		awaitPerformed();
	}

	/** Enqueues some, and expects that each is performed once. */
	void inPeace(int rounds) {
		Map<String, Integer> before = new ConcurrentHashMap<>();
		for (int id = 0; id < IDS; id++) {
			before.put("id" + id, numbers("id" + id).size());
		}
		int first = this.enqueued.get();
		int refusedBefore = this.refused.get();
		for (int i = 0; i < rounds * IDS; i++) {
			enqueueOne();
		}
		awaitPerformed();
		assertThat(this.refused).as(this::state).hasValue(refusedBefore);
		int performedNow = before.entrySet()
			.stream()
			.mapToInt((entry) -> numbers(entry.getKey()).size() - entry.getValue())
			.sum();
		assertThat(performedNow).as(this::state).isEqualTo(this.enqueued.get() - first);
	}

	/** Waits for another number of enqueued jobs. */
	void awaitProgress() {
		int goal = this.enqueued.get() + 2 * IDS;
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(Math.min(this.enqueued.get(), distinct())).as(this::state)
				.isGreaterThanOrEqualTo(goal));
	}

	private void awaitPerformed() {
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(distinct()).as(this::state).isEqualTo(this.enqueued.get()));
	}

	/** What there is to say when something is not as it should be. */
	private String state() {
		return "%d enqueued, %d performed; %d refused, the last time by %s".formatted(this.enqueued.get(), distinct(),
				this.refused.get(), this.lastRefusal);
	}

	private int distinct() {
		return this.performed.keySet().stream().mapToInt((id) -> new LinkedHashSet<>(numbers(id)).size()).sum();
	}

	private List<Integer> numbers(String id) {
		List<Integer> list = this.performed.getOrDefault(id, List.of());
		synchronized (list) {
			return List.copyOf(list);
		}
	}

	/** Each number of each id came, and first in the order in which it was enqueued. */
	void expectAllInOrder() {
		assertThat(this.performed).hasSize(IDS);
		this.performed.keySet()
			.forEach((id) -> assertThat(new LinkedHashSet<>(numbers(id)).stream().toList()).as(id)
				.isSorted()
				.startsWith(0));
		assertThat(distinct()).as(this::state).isEqualTo(this.enqueued.get());
	}

}
