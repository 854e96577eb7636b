package io.lowkiq.autoconfigure.redis;

import java.net.URL;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.DefaultResourceLoader;
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

	private void process(boolean hasOtherStore, Class<?> source) {
		SpringApplication application = new SpringApplication(source);
		application.setMainApplicationClass(source);
		application.setResourceLoader(new DefaultResourceLoader(new Jpa(hasOtherStore)));
		new RedisRepositoriesSwitch(new DeferredLogs()).postProcessEnvironment(this.environment, application);
	}

	/** Where Spring Data JPA may be found. */
	private static final class Jpa extends ClassLoader {

		private final boolean isThere;

		Jpa(boolean isThere) {
			super(RedisRepositoriesSwitchTests.class.getClassLoader());
			this.isThere = isThere;
		}

		@Override
		public @Nullable URL getResource(String name) {
			boolean isJpa = name.equals("org/springframework/data/jpa/repository/config/EnableJpaRepositories.class");
			return (this.isThere && isJpa) ? getClass().getResource("RedisRepositoriesSwitchTests.class")
					: super.getResource(name);
		}

	}

	@Test
	void repositoriesThatNobodyNeedsAreOff() {
		process(true, TestRedis.class);
		assertThat(this.environment.getProperty(RedisRepositoriesSwitch.PROPERTY)).isEqualTo("false");
	}

	@Test
	void redisAloneMayHaveRepositories() {
		process(false, TestRedis.class);
		assertThat(this.environment.containsProperty(RedisRepositoriesSwitch.PROPERTY)).isFalse();
	}

	@Test
	void repositoriesOfTheApplicationStay() {
		process(true, Session.class);
		assertThat(this.environment.containsProperty(RedisRepositoriesSwitch.PROPERTY)).isFalse();
	}

	@Test
	void settingOfTheApplicationWins() {
		this.environment.getPropertySources()
			.addFirst(new MapPropertySource("application", Map.of(RedisRepositoriesSwitch.PROPERTY, "true")));
		process(true, TestRedis.class);
		assertThat(this.environment.getProperty(RedisRepositoriesSwitch.PROPERTY)).isEqualTo("true");
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
