package io.lowkiq.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
	void oneOfSeveralLoopsThatFailForOneReasonWarnsOfIt(CapturedOutput output) {
		List<BackgroundLoop> loops = Stream.generate(() -> loop(() -> {
			throw new IllegalStateException("Redis is away");
		})).limit(5).toList();
		BackgroundLoop.warnOnce(loops);
		loops.forEach(BackgroundLoop::runOnce);
		assertThat(output).containsOnlyOnce(" WARN ");
		assertThat(loops).allMatch((loop) -> loop.status().problem() != null);
	}

	@Test
	void theStepThatIsRunningEndsBeforeALastOne() throws InterruptedException {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		AtomicInteger steps = new AtomicInteger();
		BackgroundLoop loop = new BackgroundLoop("test", "Nothing is tested", Duration.ofHours(1), () -> {
			running.countDown();
			goOn.await();
			steps.incrementAndGet();
		}, () -> this.now);
		loop.start();
		running.await();
		Thread stopping = new Thread(() -> loop.stop(Duration.ofMinutes(1)));
		stopping.start();
		await().until(() -> !loop.isRunning());
		goOn.countDown();
		stopping.join();
		assertThat(steps).hasValue(2);
		assertThat(loop.isRunning()).isFalse();
		loop.start();
		loop.close();
	}

	@Test
	void aTaskThatFailsMakesNoLastStep(CapturedOutput output) throws InterruptedException {
		CountDownLatch failed = new CountDownLatch(1);
		AtomicInteger steps = new AtomicInteger();
		BackgroundLoop loop = new BackgroundLoop("test", "Nothing is tested", Duration.ofHours(1), () -> {
			steps.incrementAndGet();
			failed.countDown();
			throw new IllegalStateException("Redis is away");
		}, () -> this.now);
		loop.start();
		failed.await();
		await().until(() -> loop.status().problem() != null);
		loop.stop(Duration.ofMinutes(1));
		assertThat(steps).hasValue(1);
		assertThat(output).contains("tried again every 3600 s. Nothing is tested");
	}

	@Test
	void aFailureThatCanNotBeLoggedDoesNotEndTheLoop() throws InterruptedException {
		CountDownLatch rounds = new CountDownLatch(3);
		try (BackgroundLoop loop = loop(() -> {
			rounds.countDown();
			throw new IllegalStateException("unloggable") {

				private static final long serialVersionUID = 1L;

				@Override
				public StackTraceElement[] getStackTrace() {
					throw new UnsupportedOperationException("no stack");
				}

			};
		})) {
			loop.start();
			assertThat(rounds.await(10, TimeUnit.SECONDS)).isTrue();
		}
	}

	@Test
	void stepsHaveTheClassLoaderOfWhoStartedTheLoopAndNoneOfItsThreadLocals() throws InterruptedException {
		InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
		ClassLoader before = Thread.currentThread().getContextClassLoader();
		ClassLoader loader = new ClassLoader(before) {
		};
		for (Duration delay : List.of(Duration.ZERO, Duration.ofMillis(1))) {
			BlockingQueue<Object> seen = new LinkedBlockingQueue<>();
			user.set("anna");
			Thread.currentThread().setContextClassLoader(loader);
			try (BackgroundLoop loop = new BackgroundLoop("test", "Nothing is tested", Duration.ofHours(1), () -> {
				seen.add(String.valueOf(user.get()));
				seen.add(Thread.currentThread().getContextClassLoader());
			}, () -> this.now)) {
				loop.start(delay);
				assertThat(seen.take()).isEqualTo("null");
				assertThat(seen.take()).isSameAs(loader);
			}
			finally {
				Thread.currentThread().setContextClassLoader(before);
				user.remove();
			}
		}
	}

	@Test
	void anInterruptIsNoFailure(CapturedOutput output) throws InterruptedException {
		CountDownLatch running = new CountDownLatch(1);
		BackgroundLoop loop = loop(() -> {
			running.countDown();
			Thread.sleep(Duration.ofHours(1).toMillis());
		});
		loop.start();
		running.await();
		loop.close();
		assertThat(output).doesNotContain("WARN");
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
