package io.lowkiq.reliability.health;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.autoconfigure.health.LowkiqHealthContributorAutoConfiguration;

/**
 * A node that writes down its health, as a probe sees it: a line for each look, with the
 * status and the details. Prints {@code READY} when it is up; ends when it is stopped or
 * killed.
 */
final class HealthProgram {

	static final String QUEUE = "orders";

	private static final long INTERVAL = 100_000_000L;

	private HealthProgram() {
	}

	/**
	 * Runs until it is ended.
	 * @param arguments the URL of Redis, the prefix of the keys, the number of shards,
	 * the lease duration, and the file of the health
	 * @throws IOException if the health can't be written down
	 */
	public static void main(String[] arguments) throws IOException {
		SpringApplication application = new SpringApplication(Settings.class);
		application.setDefaultProperties(Map.of("spring.data.redis.url", arguments[0], "spring.data.redis.timeout",
				"10s", "lowkiq.key-prefix", arguments[1], "lowkiq.workers." + QUEUE + ".shards", arguments[2],
				"lowkiq.server.lease-duration", arguments[3], "lowkiq.metrics.cache", "1s"));
		AtomicBoolean ending = new AtomicBoolean();
		application.addListeners((ApplicationListener<ContextClosedEvent>) (event) -> ending.set(true));
		ConfigurableApplicationContext context = application.run();
		HealthIndicator indicator = context.getBean(HealthIndicator.class);
		Path file = Path.of(arguments[4]);
		boolean ready = false;
		while (true) {
			Health health = indicator.health();
			if (ending.get()) {
				return;
			}
			boolean isUp = health.getStatus().equals(Status.UP);
			if (isUp && !ready) {
				ready = true;
				System.out.println("READY");
			}
			if (ready) {
				Files.write(file, List.of(health.getStatus() + " " + health.getDetails()), StandardCharsets.UTF_8,
						StandardOpenOption.CREATE, StandardOpenOption.APPEND);
			}
			LockSupport.parkNanos(INTERVAL);
		}
	}

	/**
	 * The beans of the node.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LowkiqRedisAutoConfiguration.class,
			LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class,
			LowkiqHealthContributorAutoConfiguration.class })
	static class Settings {

		@Bean
		OrderWorker orderWorker() {
			return new OrderWorker();
		}

	}

	/**
	 * Performs nothing: only its shards matter.
	 */
	@LowkiqWorker(QUEUE)
	static class OrderWorker implements Worker<Integer> {

		@Override
		public void perform(String id, List<Integer> payloads) {
		}

	}

}
