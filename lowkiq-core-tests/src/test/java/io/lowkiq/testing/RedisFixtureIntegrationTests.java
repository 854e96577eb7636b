package io.lowkiq.testing;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Tests of the Redis the other tests rely on. */
class RedisFixtureIntegrationTests {

	@Test
	void privateServersAreApart() {
		try (RedisProcess one = TestRedis.startPrivate(); RedisProcess other = TestRedis.startPrivate()) {
			one.call("SET", "key", "value");
			assertThat(other.port()).isNotEqualTo(one.port());
			assertThat(other.call("GET", "key")).isNull();
		}
	}

	@Test
	void restartKeepsWhatTheAppendOnlyFileHolds() {
		try (RedisProcess redis = TestRedis.startPrivate("--appendonly", "yes")) {
			int port = redis.port();
			redis.call("SET", "before-stop", "1");
			redis.stop();
			assertThat(redis.isRunning()).isFalse();
			redis.restart();
			redis.call("SET", "before-kill", "2");
			redis.kill();
			assertThat(redis.isRunning()).isFalse();
			redis.restart();
			assertThat(redis.port()).isEqualTo(port);
			assertThat(redis.call("GET", "before-stop")).isEqualTo("1");
			assertThat(redis.call("GET", "before-kill")).isEqualTo("2");
		}
	}

	@Test
	void closeEndsAPausedServerAndDeletesItsDirectory() {
		RedisProcess redis = TestRedis.startPrivate("--appendonly", "yes");
		Path directory = redis.directory();
		assertThat(directory).isDirectory();
		redis.pause();
		redis.close();
		assertThat(redis.isRunning()).isFalse();
		assertThat(directory).doesNotExist();
	}

	@Test
	void restartFailsIfThePortWasTaken() throws IOException {
		try (RedisProcess redis = TestRedis.startPrivate()) {
			redis.stop();
			try (ServerSocket intruder = new ServerSocket()) {
				intruder.setReuseAddress(true);
				intruder.bind(new InetSocketAddress("127.0.0.1", redis.port()));
				assertThatIllegalStateException().isThrownBy(redis::restart).withMessageContaining("taken");
			}
		}
	}

	@Test
	void wrongArgumentIsReportedWithTheServersOutput() {
		assertThatIllegalStateException().isThrownBy(() -> TestRedis.startPrivate("--no-such-option", "yes"))
			.withMessageContaining("no-such-option");
	}

}
