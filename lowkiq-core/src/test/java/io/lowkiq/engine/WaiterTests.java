package io.lowkiq.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@Timeout(30)
class WaiterTests {

	private static final long LONG = Duration.ofHours(1).toNanos();

	private final Waiter waiter = new Waiter();

	@Test
	void aSignalBeforeTheWaitEndsItAtOnceAndOnlyOne() throws Exception {
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
			try {
				return this.waiter.await(LONG);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		});
		await().until(() -> waiting.get() != null && waiting.get().getState() == Thread.State.TIMED_WAITING);
		this.waiter.signal();
		assertThat(result.join()).isTrue();
	}

	@Test
	void anInterruptionEndsTheWait() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> this.waiter.await(LONG));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void noTimeLeftIsNoWait() throws Exception {
		assertThat(this.waiter.await(-1)).isFalse();
	}

}
