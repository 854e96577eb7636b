package io.lowkiq.autoconfigure.redis;

import java.util.Properties;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisServerCommands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

@ExtendWith(OutputCaptureExtension.class)
class EvictionPolicyCheckTests {

	private static final String LINE = "it is not known whether Redis may evict jobs";

	private static final String SUMMARY = "Redis tells of itself: ";

	private final RedisConnectionFactory connections = mock(RedisConnectionFactory.class);

	private final EvictionPolicyCheck check = new EvictionPolicyCheck(this.connections);

	@Test
	void saysThatThePolicyCannotBeRead(CapturedOutput output) {
		given(this.connections.getConnection())
			.willThrow(new RedisSystemException("NOPERM no permission for 'info'", null));
		assertThat(this.check.check()).isTrue();
		assertThat(output).containsOnlyOnce(LINE).contains("NOPERM").doesNotContain(SUMMARY);
	}

	@Test
	void saysThatThePolicyIsNotTold(CapturedOutput output) {
		answer("used_memory", "1");
		assertThat(this.check.check()).isTrue();
		assertThat(output).containsOnlyOnce(LINE)
			.containsOnlyOnce(SUMMARY + "version not told, no cluster, replicas not told, persistence not told, "
					+ "maxmemory-policy not told. Whether acknowledged jobs survive a restart is not told");
	}

	@ParameterizedTest
	@ValueSource(strings = { "allkeys-lru", "allkeys-random", "optimistic-volatile" })
	void warnsOfAPolicyThatMayEvictKeysWithoutATimeToLive(String policy, CapturedOutput output) {
		answer("10.0.0.1:7000.maxmemory_policy", policy);
		assertThat(this.check.check()).isTrue();
		assertThat(output).containsOnlyOnce("The maxmemory-policy of Redis is '%s'".formatted(policy));
	}

	@ParameterizedTest
	@ValueSource(strings = { "noeviction", "volatile-lru", "volatile-ttl" })
	void isSilentIfJobsAreRefusedRatherThanEvicted(String policy, CapturedOutput output) {
		answer("maxmemory_policy", policy);
		assertThat(this.check.check()).isTrue();
		assertThat(output).doesNotContain("The maxmemory-policy");
	}

	@Test
	void saysInOneLineWhatRedisTells(CapturedOutput output) {
		answer("redis_version", "7.0.15", "role", "master", "connected_slaves", "0", "aof_enabled", "0",
				"maxmemory_policy", "allkeys-lru");
		assertThat(this.check.check()).isTrue();
		assertThat(output).containsOnlyOnce(SUMMARY + "Redis 7.0.15, no cluster, no replicas, no append-only file, "
				+ "maxmemory-policy allkeys-lru. A restart loses jobs that were acknowledged since its last snapshot; "
				+ "when its memory is full, it may evict jobs");
	}

	@Test
	void saysInOneLineWhatTheServersOfAClusterTell(CapturedOutput output) {
		String first = "10.0.0.1:7000.";
		String second = "10.0.0.2:7000.";
		answer(first + "redis_version", "7.2.4", first + "valkey_version", "8.0.1", first + "cluster_enabled", "1",
				first + "role", "master", first + "connected_slaves", "1", first + "aof_enabled", "1",
				first + "maxmemory_policy", "noeviction", second + "redis_version", "7.2.4", second + "valkey_version",
				"9.1.2", second + "cluster_enabled", "1", second + "role", "slave", second + "connected_slaves", "0",
				second + "aof_enabled", "1", second + "maxmemory_policy", "volatile-lru");
		assertThat(this.check.check()).isTrue();
		assertThat(output).containsOnlyOnce(SUMMARY + "Valkey 8.0.1 and 9.1.2, cluster of 1 master, 1 replica, "
				+ "an append-only file, maxmemory-policy noeviction and volatile-lru. Acknowledged jobs survive a crash "
				+ "of its process; one of its machine may lose those of the last second, unless appendfsync is 'always'; "
				+ "a failover may lose those that its replica had not received");
		assertThat(output).doesNotContain("WARN");
	}

	private void answer(String... namesAndValues) {
		Properties info = new Properties();
		for (int i = 0; i < namesAndValues.length; i += 2) {
			info.setProperty(namesAndValues[i], namesAndValues[i + 1]);
		}
		RedisConnection connection = mock(RedisConnection.class);
		RedisServerCommands commands = mock(RedisServerCommands.class);
		given(this.connections.getConnection()).willReturn(connection);
		given(connection.serverCommands()).willReturn(commands);
		given(commands.info()).willReturn(info);
	}

	@Test
	void asksAgainWhileRedisIsAway(CapturedOutput output) {
		given(this.connections.getConnection()).willThrow(new RedisConnectionFailureException("away"));
		assertThat(this.check.check()).isFalse();
		assertThat(output).doesNotContain(LINE);
	}

}
