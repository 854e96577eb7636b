package io.lowkiq.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.lowkiq.StoreException;
import io.lowkiq.store.job.NewPayload;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Tests of {@link AsyncEnqueuer}. */
@SuppressWarnings("FutureReturnValueIgnored")
class AsyncEnqueuerTests {

	private static final int HALF = AsyncEnqueuer.MAX_BUFFERED_BYTES / 2;

	/** Calls that may be made. */
	private final Semaphore gate = new Semaphore(0);

	private final List<String> stored = new CopyOnWriteArrayList<>();

	private final List<Integer> calls = new CopyOnWriteArrayList<>();

	private final AtomicInteger running = new AtomicInteger();

	private final AtomicInteger mostAtATime = new AtomicInteger();

	private final AsyncEnqueuer lane = new AsyncEnqueuer(this::store);

	private void store(String queue, List<NewPayload> payloads) {
		this.mostAtATime.accumulateAndGet(this.running.incrementAndGet(), Math::max);
		this.gate.acquireUninterruptibly();
		this.running.decrementAndGet();
		this.calls.add(payloads.size());
		if (payloads.get(0).id().equals("bad")) {
			throw new StoreException("refused", null);
		}
		payloads.forEach((payload) -> this.stored.add(queue + "/" + payload.id()));
	}

	private CompletableFuture<Void> enqueue(String queue, String id, int bytes) {
		return this.lane.enqueue(queue, List.of(NewPayload.of(id, new byte[bytes])));
	}

	@Test
	void keepsTheOrderOfTheCallsAndGathersWhatWaits() {
		List<String> expected = new ArrayList<>();
		List<CompletableFuture<Void>> ends = new ArrayList<>();
		for (int i = 0; i < 3_000; i++) {
			String queue = (i % 1_000 < 900) ? "orders" : "mails";
			ends.add(enqueue(queue, "id" + i, 1));
			expected.add(queue + "/id" + i);
		}
		assertThat(ends).noneMatch(CompletableFuture::isDone);
		this.gate.release(3_000);
		CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new)).join();
		assertThat(this.stored).isEqualTo(expected);
		assertThat(this.mostAtATime).hasValue(1);
		assertThat(this.calls).hasSizeLessThan(100);
	}

	@Test
	void whatFailsFailsByItselfAndStopsNothing() {
		CompletableFuture<Void> bad = enqueue("orders", "bad", 1);
		CompletableFuture<Void> good = enqueue("mails", "good", 1);
		this.gate.release(2);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(bad::join)
			.withCauseInstanceOf(StoreException.class);
		good.join();
		assertThat(this.stored).containsExactly("mails/good");
	}

	@Test
	void whoFindsNoRoomWaits() {
		CompletableFuture<Void> first = enqueue("orders", "1", HALF);
		CompletableFuture<Void> second = enqueue("mails", "2", HALF / 2);
		AtomicReference<CompletableFuture<Void>> third = new AtomicReference<>();
		Thread caller = new Thread(() -> third.set(enqueue("orders", "3", HALF)));
		caller.start();
		await().until(() -> caller.getState() == Thread.State.WAITING);
		assertThat(third).hasNullValue();
		this.gate.release();
		first.join();
		await().until(() -> third.get() != null);
		this.gate.release(2);
		second.join();
		third.get().join();
		assertThat(this.stored).containsExactly("orders/1", "mails/2", "orders/3");
	}

	@Test
	void whatIsLargerThanAllRoomIsEnqueuedAlone() {
		this.gate.release();
		enqueue("orders", "1", AsyncEnqueuer.MAX_BUFFERED_BYTES + 1).join();
		assertThat(this.stored).containsExactly("orders/1");
	}

	@Test
	void aCallerWhoIsInterruptedHasEnqueuedNothing() {
		enqueue("orders", "1", HALF);
		Thread.currentThread().interrupt();
		CompletableFuture<Void> end = enqueue("orders", "2", HALF);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(end).isCompletedExceptionally();
		this.gate.release(2);
		assertThat(this.lane.flush(Duration.ofSeconds(20))).isTrue();
		assertThat(this.stored).containsExactly("orders/1");
	}

	@Test
	void whatACallerDoesAtTheEndDoesNotHoldTheLaneUp() {
		CompletableFuture<Void> more = enqueue("orders", "1", HALF).thenCompose((end) -> {
			CompletableFuture<Void> third = enqueue("orders", "3", HALF);
			return enqueue("orders", "4", HALF).thenCombine(third, (one, other) -> null);
		});
		enqueue("mails", "2", HALF / 2);
		this.gate.release(4);
		assertThat(more).succeedsWithin(Duration.ofSeconds(20));
		assertThat(this.stored).containsExactly("orders/1", "mails/2", "orders/3", "orders/4");
	}

	@Test
	void flushWaitsForAllThatWasGiven() {
		enqueue("orders", "1", 1);
		assertThat(this.lane.flush(Duration.ofMillis(1))).isFalse();
		this.gate.release();
		assertThat(this.lane.flush(Duration.ofSeconds(20))).isTrue();
		assertThat(this.stored).containsExactly("orders/1");
	}

}
