package io.lowkiq.reliability.kafka;

import java.util.Map;
import java.util.concurrent.CountDownLatch;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Bean;

import io.lowkiq.autoconfigure.kafka.KafkaSource;

/**
 * An application that enqueues the records of a topic, and serves no queue. Prints
 * {@code READY} when it begins; ends only by being killed.
 */
public final class ConsumerProgram {

	static final String QUEUE = "keys";

	static final String TOPIC = "changes";

	private static final int BATCH = 200;

	private ConsumerProgram() {
	}

	/**
	 * Runs until it is killed.
	 * @param arguments the broker's address, the URL of Redis, and the prefix of the keys
	 */
	public static void main(String[] arguments) throws InterruptedException {
		SpringApplication application = new SpringApplication(Settings.class);
		application.setDefaultProperties(Map.of("spring.kafka.bootstrap-servers", arguments[0], "spring.data.redis.url",
				arguments[1], "spring.data.redis.timeout", "2s", "lowkiq.key-prefix", arguments[2],
				"spring.kafka.consumer.max-poll-records", BATCH, "spring.kafka.consumer.properties.session.timeout.ms",
				3_000, "spring.kafka.consumer.heartbeat-interval", "500ms"));
		application.run();
		System.out.println("READY");
		new CountDownLatch(1).await();
	}

	/** An application without workers. */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
	static class Settings {

		@Bean
		KafkaSource changes() {
			return KafkaSource.of(QUEUE, TOPIC).payloadType(KeyChange.class);
		}

	}

}
