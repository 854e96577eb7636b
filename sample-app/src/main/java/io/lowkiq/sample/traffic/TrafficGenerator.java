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
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import org.springframework.stereotype.Component;

/**
 * Sends changes to the sample's own door, as a side system would: over HTTP, several at a
 * time. The scheduler starts after the web server and stops before it.
 */
@Component
@ConditionalOnBooleanProperty(name = "sample.traffic.enabled", matchIfMissing = true)
class TrafficGenerator implements SchedulingConfigurer {

	private static final Logger logger = LoggerFactory.getLogger(TrafficGenerator.class);

	private static final int CONCURRENCY = 8;

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final int ACCEPTED = 202;

	private final Environment environment;

	private final TrafficSettings settings;

	private final SideSystem sideSystem;

	private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

	/** Bounds the requests under way: while there are so many, nothing is sent. */
	private final Semaphore slots = new Semaphore(CONCURRENCY);

	/** Counted up by the threads of the client. */
	private final AtomicLong refused = new AtomicLong();

	TrafficGenerator(Environment environment, TrafficSettings settings) {
		this.environment = environment;
		this.settings = settings;
		this.sideSystem = new SideSystem(new Random(), settings.orders(), System.currentTimeMillis());
	}

	@Override
	public void configureTasks(ScheduledTaskRegistrar tasks) {
		tasks.addFixedRateTask(this::send, Duration.ofSeconds(1).dividedBy(this.settings.rate()));
	}

	private void send() {
		String port = this.environment.getProperty("local.server.port");
		if (port != null && this.slots.tryAcquire()) {
			SideSystem.Change change = this.sideSystem.next();
			HttpRequest request = HttpRequest
				.newBuilder(URI.create("http://localhost:" + port
						+ this.environment.getProperty("server.servlet.context-path", "") + "/orders/" + change.id()))
				.header("Content-Type", "application/json")
				.timeout(TIMEOUT)
				.POST(BodyPublishers.ofString(change.toJson()))
				.build();
			CompletableFuture<HttpResponse<Void>> answer = this.http.sendAsync(request, BodyHandlers.discarding());
			var unused = answer.whenComplete(this::sent);
		}
	}

	private void sent(@Nullable HttpResponse<Void> response, @Nullable Throwable problem) {
		this.slots.release();
		if (problem != null || response == null || response.statusCode() != ACCEPTED) {
			long count = this.refused.incrementAndGet();
			if (Long.bitCount(count) == 1) {
				logger.warn("{} changes were not accepted, the last with {}", count,
						(response != null) ? response.statusCode() : problem);
			}
		}
	}

}
