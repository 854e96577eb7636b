package io.lowkiq.reliability.program;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.call.ReplicaWait;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The arguments of a program, each as {@code name=value}. */
final class ProgramSettings {

	/**
	 * The options that {@code spring.data.redis.lettuce.cluster.refresh.period=1s} makes.
	 */
	private static final ClusterTopologyRefreshOptions REFRESH = ClusterTopologyRefreshOptions.builder()
		.enablePeriodicRefresh(Duration.ofSeconds(1))
		.build();

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

	/** The workers of the queues, with their limits. */
	WorkerRegistry workers() {
		return DrawnLimits.workers(number("shards"), Long.parseLong(text("limits")));
	}

	Path historyDirectory() {
		return Path.of(text("history"));
	}

	/** The storage of those who enqueue nothing. */
	RedisStore store() {
		return new RedisStore(connect(), text("prefix"), null);
	}

	/**
	 * The storage of those who enqueue: they wait for as many replicas as
	 * {@code replicas} says.
	 */
	RedisStore confirmedStore() {
		int replicas = number("replicas");
		ReplicaWait wait = (replicas > 0) ? new ReplicaWait(replicas, Duration.ofMillis(number("timeout"))) : null;
		return store(wait);
	}

	private RedisStore store(@Nullable ReplicaWait wait) {
		return new RedisStore(connect(), text("prefix"), null, wait);
	}

	/**
	 * Connects to Redis like an application that wants to know early when Redis can't be
	 * reached: {@code redis} is host and port of a server, or of several nodes of a
	 * cluster.
	 */
	private LettuceConnectionFactory connect() {
		List<String> nodes = List.of(text("redis").split(","));
		LettuceClientConfiguration.LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
			.commandTimeout(Duration.ofMillis(number("timeout")))
			.shutdownTimeout(Duration.ZERO)
			.shutdownQuietPeriod(Duration.ZERO);
		if (nodes.size() > 1) {
			builder.clientOptions(ClusterClientOptions.builder().topologyRefreshOptions(REFRESH).build());
		}
		LettuceClientConfiguration client = builder.build();
		LettuceConnectionFactory factory = (nodes.size() > 1)
				? new LettuceConnectionFactory(new RedisClusterConfiguration(nodes), client)
				: new LettuceConnectionFactory(server(nodes.get(0)), client);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static RedisStandaloneConfiguration server(String address) {
		int colon = address.indexOf(':');
		return new RedisStandaloneConfiguration(address.substring(0, colon),
				Integer.parseInt(address.substring(colon + 1)));
	}

}
