package io.lowkiq.autoconfigure;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that has Jedis and no Lettuce. The build gives these tests a class path
 * of their own.
 */
class WithoutLettuceIntegrationTests {

	@Test
	void theClassPathIsAsTheNameSays() {
		assertThat(ClassUtils.isPresent("io.lettuce.core.RedisClient", getClass().getClassLoader())).isFalse();
		assertThat(ClassUtils.isPresent("redis.clients.jedis.Jedis", getClass().getClassLoader())).isTrue();
	}

	@Test
	void theStartFailsAndSaysWhatToDo() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqRedisAutoConfiguration.class,
							LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOfSatisfying(LowkiqConfigurationException.class, (failure) -> {
					assertThat(failure).hasMessageStartingWith("Lowkiq needs Lettuce")
						.hasMessageContaining("JedisConnectionFactory");
					assertThat(failure.action()).startsWith("Add io.lettuce:lettuce-core to the dependencies");
				}));
	}

}
