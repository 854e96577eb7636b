package io.lowkiq.engine.runtime;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(30)
class WaiterTests {

	private static final long LONG = Duration.ofHours(1).toNanos();

	private final Waiter waiter = new SystemRuntime(System::nanoTime).newWaiter();

	@Test
	void aSignalBeforeTheWaitEndsItAtOnceAndOnlyOne() {
		this.waiter.signal();
		this.waiter.signal();
		assertThat(this.waiter.await(LONG)).isTrue();
		assertThat(this.waiter.await(1)).isFalse();
	}

	@Test
	void aSignalEndsAWaitUnderWay() {
		AtomicReference<Thread> waiting = new AtomicReference<>();
		CompletableFuture<Boolean> result = CompletableFuture.supplyAsync(() -> {
			waiting.set(Thread.currentThread());
			return this.waiter.await(LONG);
		});
		await().until(() -> waiting.get() != null && waiting.get().getState() == Thread.State.TIMED_WAITING);
		this.waiter.signal();
		assertThat(result.join()).isTrue();
	}

	@Test
	void anInterruptionEndsTheWait() {
		Thread.currentThread().interrupt();
		assertThat(this.waiter.await(LONG)).isFalse();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void anInterruptionDoesNotEndAnUninterruptibleWait() {
		AtomicReference<Thread> waiting = new AtomicReference<>();
		CompletableFuture<Boolean> interrupted = CompletableFuture.supplyAsync(() -> {
			waiting.set(Thread.currentThread());
			Thread.currentThread().interrupt();
			boolean signalled = this.waiter.awaitUninterruptibly(LONG);
			return signalled && Thread.interrupted();
		});
		await().until(() -> waiting.get() != null && waiting.get().getState() == Thread.State.TIMED_WAITING);
		waiting.get().interrupt();
		assertThat(interrupted).isNotDone();
		this.waiter.signal();
		assertThat(interrupted.join()).isTrue();
	}

	@Test
	void anInterruptionDoesNotEndAWaitWithoutALimit() {
		AtomicReference<Thread> waiting = new AtomicReference<>();
		CompletableFuture<Boolean> interrupted = CompletableFuture.supplyAsync(() -> {
			waiting.set(Thread.currentThread());
			Thread.currentThread().interrupt();
			this.waiter.awaitUninterruptibly();
			return Thread.interrupted();
		});
		await().until(() -> waiting.get() != null && waiting.get().getState() == Thread.State.WAITING);
		assertThat(interrupted).isNotDone();
		this.waiter.signal();
		assertThat(interrupted.join()).isTrue();
		assertThat(this.waiter.await(1)).isFalse();
	}

	@Test
	void noTimeLeftIsNoWait() {
		assertThat(this.waiter.await(-1)).isFalse();
	}

}
