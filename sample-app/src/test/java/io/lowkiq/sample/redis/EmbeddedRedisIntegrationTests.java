package io.lowkiq.sample.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of the Redis that the sample brings along. */
class EmbeddedRedisIntegrationTests {

	@TempDir
	private Path directory;

	@Test
	void isStartedWhenNoRedisIsConfigured() {
		runner().run((context) -> {
			StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
			redis.opsForValue().set("key", "value");
			assertThat(redis.opsForValue().get("key")).isEqualTo("value");
			assertThat(context.getBean(LettuceConnectionFactory.class).getPort())
				.isEqualTo(context.getBean(EmbeddedRedis.class).port());
		});
		assertThat(this.directory).isEmptyDirectory();
	}

	@Test
	void endsWithTheContextAndLeavesNothing() {
		int[] port = new int[1];
		runner().run((context) -> port[0] = context.getBean(EmbeddedRedis.class).port());
		assertThat(isRunning(port[0])).isFalse();
		assertThat(this.directory).isEmptyDirectory();
	}

	@Test
	void isNotStartedWhenAnAddressIsConfigured() {
		for (String property : List.of("url=redis://localhost", "host=localhost", "port=6379", "sentinel.master=orders",
				"sentinel.nodes[0]=localhost:26379", "cluster.nodes=localhost:7000")) {
			new ApplicationContextRunner().withUserConfiguration(EmbeddedRedisConfiguration.class)
				.withPropertyValues("spring.data.redis." + property, "sample.redis-directory=" + this.directory)
				.run((context) -> assertThat(context).as(property).doesNotHaveBean(EmbeddedRedis.class));
		}
	}

	@Test
	void twoRunSideBySide() {
		EmbeddedRedis one = EmbeddedRedis.start(this.directory);
		EmbeddedRedis other = EmbeddedRedis.start(this.directory);
		try {
			assertThat(one.port()).isNotEqualTo(other.port());
			other.destroy();
			assertThat(isRunning(one.port())).isTrue();
		}
		finally {
			one.destroy();
			other.destroy();
		}
		assertThat(this.directory).isEmptyDirectory();
	}

	@Test
	void redisOfAKilledRunIsStopped() throws IOException {
		EmbeddedRedis orphan = EmbeddedRedis.start(this.directory);
		Path note = only(this.directory).resolve("owner");
		List<String> lines = Files.readAllLines(note);
		Files.write(note, List.of(lines.get(0), "1970-01-01T00:00:00Z"));
		EmbeddedRedis redis = EmbeddedRedis.start(this.directory);
		try {
			assertThat(isRunning(orphan.port())).isFalse();
			assertThat(isRunning(redis.port())).isTrue();
		}
		finally {
			redis.destroy();
		}
		assertThat(this.directory).isEmptyDirectory();
	}

	@Test
	void aProcessThatHasGotThePidOfAKilledRunIsLeftAlone() throws IOException {
		Process other = new ProcessBuilder("sleep", "60").start();
		try {
			Path leftover = leftover();
			Files.writeString(leftover.resolve("redis.pid"), Long.toString(other.pid()));
			RunDirectory.deleteLeftovers(this.directory);
			assertThat(other.isAlive()).isTrue();
			assertThat(leftover).doesNotExist();
		}
		finally {
			other.destroy();
		}
	}

	@Test
	void leftoverWithoutAServerIsDeleted() throws IOException {
		Path leftover = leftover();
		RunDirectory.deleteLeftovers(this.directory);
		assertThat(leftover).doesNotExist();
	}

	private Path leftover() throws IOException {
		Path leftover = Files.createDirectory(this.directory.resolve("run-left"));
		Files.write(leftover.resolve("owner"), List.of("1", "1970-01-01T00:00:00Z"));
		return leftover;
	}

	private ApplicationContextRunner runner() {
		return new ApplicationContextRunner().withUserConfiguration(EmbeddedRedisConfiguration.class)
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withPropertyValues("sample.redis-directory=" + this.directory);
	}

	private static boolean isRunning(int port) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static Path only(Path directory) throws IOException {
		try (Stream<Path> children = Files.list(directory)) {
			return children.findFirst().orElseThrow();
		}
	}

}
