package io.lowkiq.sample.traffic;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Sends changes to the sample's own door, as a side system would: over HTTP, several at a
 * time. Starts after the web server and stops before it.
 */
@Component
@ConditionalOnBooleanProperty(name = "sample.traffic.enabled", matchIfMissing = true)
class TrafficGenerator implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(TrafficGenerator.class);

	private static final int CONCURRENCY = 8;

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final int ACCEPTED = 202;

	private final ApplicationContext context;

	private final TrafficSettings settings;

	/** Counted up by the threads of the client, read by the generator's thread. */
	private final AtomicLong refused = new AtomicLong();

	/** Written by start and stop, which Spring calls one after the other. */
	private volatile @Nullable Run run;

	TrafficGenerator(ApplicationContext context, TrafficSettings settings) {
		this.context = context;
		this.settings = settings;
	}

	@Override
	public void start() {
		if (this.run == null && this.context instanceof WebServerApplicationContext web && web.getWebServer() != null) {
			String base = "http://localhost:" + web.getWebServer().getPort()
					+ this.context.getEnvironment().getProperty("server.servlet.context-path", "");
			Run started = new Run(base, this.settings);
			this.run = started;
			Thread thread = new Thread(started, "traffic");
			thread.setDaemon(true);
			thread.start();
		}
	}

	@Override
	public void stop() {
		Run running = this.run;
		if (running != null) {
			running.stop();
			this.run = null;
		}
	}

	@Override
	public boolean isRunning() {
		return this.run != null;
	}

	/** From one start to one stop. */
	private final class Run implements Runnable {

		private final String base;

		private final long pauseNanos;

		private final SideSystem sideSystem;

		private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

		/** Bounds the requests under way; all permits are back when none is. */
		private final Semaphore slots = new Semaphore(CONCURRENCY);

		private final CountDownLatch stopped = new CountDownLatch(1);

		private final CountDownLatch ended = new CountDownLatch(1);

		Run(String base, TrafficSettings settings) {
			this.base = base;
			this.pauseNanos = TimeUnit.SECONDS.toNanos(1) / settings.rate();
			this.sideSystem = new SideSystem(new Random(), settings.orders(), System.currentTimeMillis());
		}

		@Override
		public void run() {
			try {
				long next = System.nanoTime();
				while (!this.stopped.await(Math.max(0, next - System.nanoTime()), TimeUnit.NANOSECONDS)) {
					send(this.sideSystem.next());
					next = Math.max(next, System.nanoTime() - TimeUnit.SECONDS.toNanos(1)) + this.pauseNanos;
				}
				this.slots.tryAcquire(CONCURRENCY, TIMEOUT.toSeconds(), TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			finally {
				this.ended.countDown();
			}
		}

		void stop() {
			this.stopped.countDown();
			try {
				this.ended.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		private void send(SideSystem.Change change) throws InterruptedException {
			this.slots.acquire();
			HttpRequest request = HttpRequest.newBuilder(URI.create(this.base + "/orders/" + change.id()))
				.header("Content-Type", "application/json")
				.timeout(TIMEOUT)
				.POST(BodyPublishers.ofString(change.toJson()))
				.build();
			CompletableFuture<HttpResponse<Void>> answer = this.http.sendAsync(request, BodyHandlers.discarding());
			var unused = answer.whenComplete(this::sent);
		}

		private void sent(@Nullable HttpResponse<Void> response, @Nullable Throwable problem) {
			this.slots.release();
			if (problem != null || response == null || response.statusCode() != ACCEPTED) {
				long count = TrafficGenerator.this.refused.incrementAndGet();
				if (Long.bitCount(count) == 1) {
					logger.warn("{} changes were not accepted, the last with {}", count,
							(response != null) ? response.statusCode() : problem);
				}
			}
		}

	}

}
