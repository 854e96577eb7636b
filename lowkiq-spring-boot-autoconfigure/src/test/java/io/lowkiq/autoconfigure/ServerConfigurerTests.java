package io.lowkiq.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class ServerConfigurerTests {

	@Test
	void threadsAreOfThePlatformByDefault() {
		assertThat(isVirtual(null, new MockEnvironment())).isFalse();
	}

	@Test
	void threadsAreVirtualWhereThoseOfTheApplicationAreAndJavaHasThem() {
		assertThat(isVirtual(null, virtualThreads())).isEqualTo(Runtime.version().feature() >= 21);
	}

	@Test
	void theOwnPropertyOverridesThatOfTheApplication() {
		LowkiqProperties.Server properties = properties(false);
		assertThat(new ServerConfigurer(properties, true, 21).isVirtual()).isFalse();
		properties.setVirtualThreads(true);
		assertThat(new ServerConfigurer(properties, false, 21).isVirtual()).isTrue();
		properties.setVirtualThreads(null);
		assertThat(new ServerConfigurer(properties, true, 21).isVirtual()).isTrue();
	}

	private static MockEnvironment virtualThreads() {
		return new MockEnvironment().withProperty("spring.threads.virtual.enabled", "true");
	}

	private static boolean isVirtual(@Nullable Boolean own, MockEnvironment environment) {
		return ServerConfigurer.of(properties(own), environment).isVirtual();
	}

	private static LowkiqProperties.Server properties(@Nullable Boolean virtualThreads) {
		LowkiqProperties.Server properties = new LowkiqProperties.Server();
		properties.setVirtualThreads(virtualThreads);
		return properties;
	}

}
