package io.lowkiq.reliability.schedule;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;

/**
 * A node whose worker has many schedules, and writes down every time that it performs.
 */
final class ScheduleProgram {

	/** How many schedules there are. */
	static final int SCHEDULES = 100;

	/** How many seconds lie between two times of a schedule. */
	static final int PERIOD = 10;

	private ScheduleProgram() {
	}

	/**
	 * Runs until it is ended.
	 * @param arguments the URL of Redis, the prefix of the keys, and the file of the
	 * performs
	 */
	public static void main(String[] arguments) throws InterruptedException {
		Map<String, Object> properties = new HashMap<>(
				Map.of("spring.data.redis.url", arguments[0], "spring.data.redis.timeout", "2s", "lowkiq.key-prefix",
						arguments[1], "performs", arguments[2], "lowkiq.server.lease-duration", "2s"));
		for (int i = 0; i < SCHEDULES; i++) {
			properties.put("lowkiq.workers.ticks.schedules.s%d.cron".formatted(i),
					"%d/%d * * * * *".formatted(i % PERIOD, PERIOD));
			properties.put("lowkiq.workers.ticks.schedules.s%d.zone".formatted(i), "UTC");
		}
		SpringApplication application = new SpringApplication(Settings.class);
		application.setDefaultProperties(properties);
		application.run();
		System.out.println("READY");
		new CountDownLatch(1).await();
	}

	/** The beans of the node. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LowkiqRedisAutoConfiguration.class,
			LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class })
	static class Settings {

		@Bean
		TickWorker tickWorker(@Value("${performs}") Path performs) {
			return new TickWorker(performs);
		}

	}

	/** Performs the times of the schedules. */
	@LowkiqWorker("ticks")
	static class TickWorker implements Worker<Long> {

		private final Path performs;

		TickWorker(Path performs) {
			this.performs = performs;
		}

		@Override
		public Long payloadAt(String schedule, Instant time) {
			return time.getEpochSecond();
		}

		/** What is appended to a file outlives the process. */
		@Override
		public void perform(String id, List<Long> seconds) {
			StringBuilder lines = new StringBuilder();
			seconds.forEach((second) -> lines
				.append("%s %d %d %d%n".formatted(id, second, System.nanoTime(), Instant.now().getEpochSecond())));
			try {
				Files.write(this.performs, lines.toString().getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE,
						StandardOpenOption.APPEND);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
