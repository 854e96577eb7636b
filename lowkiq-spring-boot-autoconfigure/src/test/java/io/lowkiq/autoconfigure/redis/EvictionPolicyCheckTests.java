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

	private final RedisConnectionFactory connections = mock(RedisConnectionFactory.class);

	private final EvictionPolicyCheck check = new EvictionPolicyCheck(this.connections);

	@Test
	void saysThatThePolicyCannotBeRead(CapturedOutput output) {
		given(this.connections.getConnection())
			.willThrow(new RedisSystemException("NOPERM no permission for 'info'", null));
		assertThat(this.check.check()).isTrue();
		assertThat(output).containsOnlyOnce(LINE).contains("NOPERM");
	}

	@Test
	void saysThatThePolicyIsNotTold(CapturedOutput output) {
		answer("used_memory", "1");
		assertThat(this.check.check()).isTrue();
		assertThat(output).containsOnlyOnce(LINE);
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
		assertThat(output).doesNotContain("maxmemory-policy");
	}

	private void answer(String name, String value) {
		Properties memory = new Properties();
		memory.setProperty(name, value);
		RedisConnection connection = mock(RedisConnection.class);
		RedisServerCommands commands = mock(RedisServerCommands.class);
		given(this.connections.getConnection()).willReturn(connection);
		given(connection.serverCommands()).willReturn(commands);
		given(commands.info("memory")).willReturn(memory);
	}

	@Test
	void asksAgainWhileRedisIsAway(CapturedOutput output) {
		given(this.connections.getConnection()).willThrow(new RedisConnectionFailureException("away"));
		assertThat(this.check.check()).isFalse();
		assertThat(output).doesNotContain(LINE);
	}

}
