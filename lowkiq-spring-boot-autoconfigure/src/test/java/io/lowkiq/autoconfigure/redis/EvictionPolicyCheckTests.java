package io.lowkiq.autoconfigure.redis;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConnectionFactory;

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
	void asksAgainWhileRedisIsAway(CapturedOutput output) {
		given(this.connections.getConnection()).willThrow(new RedisConnectionFailureException("away"));
		assertThat(this.check.check()).isFalse();
		assertThat(output).doesNotContain(LINE);
	}

}
