package io.lowkiq.autoconfigure;

import java.util.Map;

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
		assertThat(new ServerConfigurer(properties(false), true, 21).isVirtual()).isFalse();
		assertThat(new ServerConfigurer(properties(true), false, 21).isVirtual()).isTrue();
		assertThat(new ServerConfigurer(properties(null), true, 21).isVirtual()).isTrue();
	}

	private static MockEnvironment virtualThreads() {
		return new MockEnvironment().withProperty("spring.threads.virtual.enabled", "true");
	}

	private static boolean isVirtual(@Nullable Boolean own, MockEnvironment environment) {
		return ServerConfigurer.of(properties(own), environment).isVirtual();
	}

	private static LowkiqProperties.Server properties(@Nullable Boolean virtualThreads) {
		Map<String, Boolean> properties = (virtualThreads != null)
				? Map.of("lowkiq.server.virtual-threads", virtualThreads) : Map.of();
		return LowkiqPropertiesTests.bind(properties).server();
	}

}
