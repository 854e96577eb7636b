package io.lowkiq.autoconfigure.redis;

import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.boot.logging.DeferredLogFactory;
import org.springframework.boot.logging.DeferredLogs;
import org.springframework.mock.env.MockEnvironment;

import io.lowkiq.autoconfigure.hashes.Session;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

class RedisRepositoriesSwitchTests {

	private final MockEnvironment environment = new MockEnvironment();

	private void process(Class<?> source) {
		SpringApplication application = new SpringApplication(source);
		application.setMainApplicationClass(source);
		new RedisRepositoriesSwitch(new DeferredLogs()).postProcessEnvironment(this.environment, application);
	}

	@Test
	void repositoriesThatNobodyNeedsAreOff() {
		process(TestRedis.class);
		assertThat(this.environment.getProperty(RedisRepositoriesSwitch.PROPERTY)).isEqualTo("false");
	}

	@Test
	void repositoriesOfTheApplicationStay() {
		process(Session.class);
		assertThat(this.environment.containsProperty(RedisRepositoriesSwitch.PROPERTY)).isFalse();
	}

	@Test
	void settingOfTheApplicationWins() {
		this.environment.getPropertySources()
			.addFirst(new MapPropertySource("application", Map.of(RedisRepositoriesSwitch.PROPERTY, "true")));
		process(TestRedis.class);
		assertThat(this.environment.getProperty(RedisRepositoriesSwitch.PROPERTY)).isEqualTo("true");
		assertThat(this.environment.getPropertySources().contains("lowkiq")).as("a value that has no effect").isFalse();
	}

	@Test
	void springBootFindsIt() {
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation(getClass().getClassLoader())
			.load(EnvironmentPostProcessor.class, ArgumentResolver.of(DeferredLogFactory.class, new DeferredLogs()),
					(type, name, failure) -> {
					}))
			.hasAtLeastOneElementOfType(RedisRepositoriesSwitch.class);
	}

}
