package io.lowkiq.reliability.program;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The arguments of a program, each as {@code name=value}.
 */
final class ProgramSettings {

	private final Map<String, String> values;

	ProgramSettings(String[] arguments) {
		this.values = Arrays.stream(arguments)
			.map((argument) -> argument.split("=", 2))
			.collect(Collectors.toMap((pair) -> pair[0], (pair) -> pair[1]));
	}

	String text(String name) {
		String value = this.values.get(name);
		if (value == null) {
			throw new IllegalArgumentException("Argument '%s' is missing".formatted(name));
		}
		return value;
	}

	int number(String name) {
		return Integer.parseInt(text(name));
	}

	Path historyDirectory() {
		return Path.of(text("history"));
	}

	/**
	 * Connects to Redis as an application would that wants to know early when Redis is
	 * away.
	 */
	RedisConnectionFactory connect() {
		Duration timeout = Duration.ofMillis(number("timeout"));
		return switch (text("client")) {
			case "lettuce" -> lettuce(timeout);
			case "jedis" -> jedis(timeout);
			default -> throw new IllegalArgumentException(
					"Client '%s' is unknown; known are lettuce, jedis".formatted(text("client")));
		};
	}

	private JedisConnectionFactory jedis(Duration timeout) {
		JedisClientConfiguration client = JedisClientConfiguration.builder()
			.connectTimeout(timeout)
			.readTimeout(timeout)
			.usePooling()
			.build();
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(uri().getHost(), uri().getPort());
		JedisConnectionFactory factory = new JedisConnectionFactory(server, client);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private URI uri() {
		return URI.create(text("url"));
	}

	private LettuceConnectionFactory lettuce(Duration timeout) {
		LettuceClientConfiguration client = LettuceClientConfiguration.builder()
			.commandTimeout(timeout)
			.shutdownTimeout(Duration.ZERO)
			.shutdownQuietPeriod(Duration.ZERO)
			.build();
		RedisStandaloneConfiguration server = (RedisStandaloneConfiguration) LettuceConnectionFactory
			.createRedisConfiguration(text("url"));
		LettuceConnectionFactory factory = new LettuceConnectionFactory(server, client);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
