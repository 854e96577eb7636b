package io.lowkiq.samples.orders;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import redis.embedded.core.ExecutableProvider;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/**
 * PostgreSQL, Kafka and Redis, which begin and end with the application. Who uses them
 * takes them as a parameter, so that they end later. A real application has none of this,
 * but properties that say where its servers are.
 */
@Configuration(proxyBeanMethods = false)
class Servers {

	@Bean(destroyMethod = "close")
	EmbeddedPostgres postgres() throws IOException {
		return EmbeddedPostgres.start();
	}

	@Bean
	JdbcConnectionDetails postgresDetails(EmbeddedPostgres postgres) {
		String url = postgres.getJdbcUrl("postgres", "postgres");
		return new JdbcConnectionDetails() {

			@Override
			public String getUsername() {
				return "postgres";
			}

			@Override
			public String getPassword() {
				return "postgres";
			}

			@Override
			public String getJdbcUrl() {
				return url;
			}

		};
	}

	@Bean
	EmbeddedKafkaKraftBroker kafka() {
		return new EmbeddedKafkaKraftBroker(1, 3, "shipments");
	}

	@Bean
	KafkaConnectionDetails kafkaDetails(EmbeddedKafkaKraftBroker kafka) {
		return () -> List.of(kafka.getBrokersAsString().split(","));
	}

	@Bean
	RedisServer redis() throws IOException {
		return RedisServer.start();
	}

	@Bean
	DataRedisConnectionDetails redisDetails(RedisServer redis) {
		return new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of("127.0.0.1", redis.port());
			}

		};
	}

	/** A process of Redis. */
	record RedisServer(Process process, int port) implements AutoCloseable {

		static RedisServer start() throws IOException {
			int port;
			try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
				port = socket.getLocalPort();
			}
			String program = ExecutableProvider.newJarResourceProvider().get().getAbsolutePath();
			Process process = new ProcessBuilder(program, "--port", Integer.toString(port), "--bind", "127.0.0.1",
					"--save", "", "--maxmemory-policy", "noeviction")
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start();
			return new RedisServer(process, port);
		}

		@Override
		public void close() {
			this.process.destroy();
		}

	}

}
