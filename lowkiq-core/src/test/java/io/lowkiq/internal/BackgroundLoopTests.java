package io.lowkiq.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class BackgroundLoopTests {

	private Instant now = Instant.parse("2030-01-01T00:00:00Z");

	private boolean fails;

	private BackgroundLoop loop(BackgroundLoop.Step step) {
		return new BackgroundLoop("test", "Nothing is tested", Duration.ofMillis(1), step, () -> this.now);
	}

	@Test
	void aChangeOfStateIsLoggedOnce(CapturedOutput output) {
		BackgroundLoop loop = loop(() -> {
			if (this.fails) {
				throw new IllegalStateException("Redis is full");
			}
		});
		loop.runOnce();
		this.fails = true;
		this.now = this.now.plusSeconds(60);
		loop.runOnce();
		loop.runOnce();
		assertThat(output).containsOnlyOnce("WARN").contains("Background task 'test' fails", "Nothing is tested");
		assertThat(loop.status().problem()).isEqualTo("java.lang.IllegalStateException: Redis is full");
		assertThat(loop.status().lastSuccess()).isEqualTo(this.now.minusSeconds(60));
		this.fails = false;
		loop.runOnce();
		loop.runOnce();
		assertThat(output).containsOnlyOnce("Background task 'test' works again");
		assertThat(loop.status().problem()).isNull();
		assertThat(loop.status().lastSuccess()).isEqualTo(this.now);
	}

	@Test
	void anErrorDoesNotEndTheLoopAndItCanBeStartedAgain() throws InterruptedException {
		for (int i = 0; i < 2; i++) {
			CountDownLatch rounds = new CountDownLatch(3);
			AtomicInteger threads = new AtomicInteger();
			try (BackgroundLoop loop = loop(() -> {
				threads.addAndGet(Thread.currentThread().getName().equals("lowkiq-test") ? 1 : 0);
				rounds.countDown();
				throw new StackOverflowError();
			})) {
				loop.start();
				rounds.await();
				assertThat(loop.isRunning()).isTrue();
				assertThat(loop.status().running()).isTrue();
			}
			assertThat(threads).hasValueGreaterThanOrEqualTo(3);
		}
	}

}
