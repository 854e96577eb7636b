package io.lowkiq.testing;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The Redis of the tests: {@code LOWKIQ_TEST_REDIS_URL} if that is set; else a container
 * when Docker answers and has the image; else the {@code redis-server} on the PATH; else
 * the one of a published jar. The system property {@code lowkiq.test.redis} (one of
 * {@code url}, {@code docker}, {@code path}, {@code embedded}) forces a choice.
 */
public final class TestRedis {

	private static final String IMAGE = "redis:7.2-alpine";

	private static final int REDIS_PORT = 6379;

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(10);

	/**
	 * Threads and timers of all clients, as the beans of an application share them. A
	 * client that ends resources of its own may wait for that for ever, see
	 * https://github.com/redis/lettuce/issues/2278.
	 */
	private static final ClientResources RESOURCES = DefaultClientResources.create();

	private final String url;

	private TestRedis(String url) {
		this.url = url;
	}

	/**
	 * The server all tests of this JVM share, started at the first call. Tests keep apart
	 * by their {@link #uniquePrefix()}, and don't flush or stop it.
	 */
	public static TestRedis shared() {
		return Shared.INSTANCE;
	}

	/** Starts a server that belongs to the caller. */
	public static RedisProcess startPrivate(String... extraArguments) {
		return startPrivate(Map.of(), extraArguments);
	}

	/** Starts a server that belongs to the caller, with further environment variables. */
	public static RedisProcess startPrivate(Map<String, String> environment, String... extraArguments) {
		return RedisProcess.start(RedisBinary.find(), environment, extraArguments);
	}

	/** Connects to a server. */
	public static LettuceConnectionFactory connectionFactory(String url) {
		return connectionFactory(LettuceConnectionFactory.createRedisConfiguration(url), (client) -> {
			client.commandTimeout(COMMAND_TIMEOUT);
			if (url.startsWith("rediss:")) {
				client.useSsl();
			}
		});
	}

	/** Connects to a server or cluster. */
	public static LettuceConnectionFactory connectionFactory(RedisConfiguration configuration) {
		return connectionFactory(configuration, (client) -> client.commandTimeout(COMMAND_TIMEOUT));
	}

	/** Connects to a server or cluster. */
	public static LettuceConnectionFactory connectionFactory(RedisConfiguration configuration,
			Consumer<LettuceClientConfiguration.LettuceClientConfigurationBuilder> customizer) {
		LettuceClientConfiguration.LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder()
			.clientResources(RESOURCES)
			.shutdownTimeout(Duration.ZERO)
			.shutdownQuietPeriod(Duration.ZERO);
		customizer.accept(client);
		LettuceConnectionFactory factory = connectionFactory(configuration, client.build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/** As Spring Boot does it: the factory then tells where it leads to. */
	private static LettuceConnectionFactory connectionFactory(RedisConfiguration configuration,
			LettuceClientConfiguration client) {
		return (configuration instanceof RedisStandaloneConfiguration server)
				? new LettuceConnectionFactory(server, client) : new LettuceConnectionFactory(configuration, client);
	}

	/** Closes the connections of a factory. */
	public static void destroy(RedisConnectionFactory factory) {
		try {
			((DisposableBean) factory).destroy();
		}
		catch (Exception ex) {
			throw new IllegalStateException("The connections can't be closed", ex);
		}
	}

	/** A prefix of keys that no other test has. */
	public static String uniquePrefix() {
		return "test-" + UUID.randomUUID();
	}

	/** The URL as {@code spring.data.redis.url} takes it. */
	public String url() {
		return this.url;
	}

	/** Connects to this server. */
	public LettuceConnectionFactory connectionFactory() {
		return connectionFactory(this.url);
	}

	/** The server's version, such as {@code 7.0.15}. */
	public String version() {
		LettuceConnectionFactory factory = connectionFactory();
		try (RedisConnection connection = factory.getConnection()) {
			Properties server = connection.serverCommands().info("server");
			return Optional.ofNullable(server).orElseThrow().getProperty("redis_version");
		}
		finally {
			factory.destroy();
		}
	}

	static String choice() {
		String choice = System.getProperty("lowkiq.test.redis", "");
		return switch (choice) {
			case "", "url", "docker", "path", "embedded" -> choice;
			default -> throw new IllegalArgumentException(
					"lowkiq.test.redis is '" + choice + "'; known are url, docker, path, embedded");
		};
	}

	/** The server of this JVM. */
	private static final class Shared {

		static final TestRedis INSTANCE = new TestRedis(start());

		private static String start() {
			Optional<String> given = Optional.ofNullable(System.getenv("LOWKIQ_TEST_REDIS_URL"))
				.filter((url) -> !url.isBlank());
			return switch (choice()) {
				case "url" -> given.orElseThrow(() -> new IllegalStateException("LOWKIQ_TEST_REDIS_URL is not set"));
				case "docker" -> Docker.start();
				case "path", "embedded" -> startPrivate().url();
				default -> given.orElseGet(() -> Docker.hasImage() ? Docker.start() : startPrivate().url());
			};
		}

	}

	/** The server in a container. */
	private static final class Docker {

		/*
		 * Testcontainers' own probe pulls images, and waits for minutes where it can't.
		 */
		static boolean hasImage() {
			try {
				Process inspect = new ProcessBuilder("docker", "image", "inspect", IMAGE)
					.redirectOutput(ProcessBuilder.Redirect.DISCARD)
					.redirectError(ProcessBuilder.Redirect.DISCARD)
					.start();
				boolean ended = inspect.waitFor(3, TimeUnit.SECONDS);
				inspect.destroyForcibly();
				return ended && inspect.exitValue() == 0;
			}
			catch (IOException ex) {
				return false;
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return false;
			}
		}

		static String start() {
			GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(IMAGE))
				.withExposedPorts(REDIS_PORT)
				.withCommand("redis-server", "--save", "");
			container.start();
			Runtime.getRuntime().addShutdownHook(new Thread(container::stop));
			return "redis://" + container.getHost() + ":" + container.getMappedPort(REDIS_PORT);
		}

	}

}
