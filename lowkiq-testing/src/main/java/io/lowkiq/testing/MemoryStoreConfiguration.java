package io.lowkiq.testing;

import java.time.InstantSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.lowkiq.memory.InMemoryStore;

/**
 * A store that needs no Redis.
 */
@Configuration(proxyBeanMethods = false)
public class MemoryStoreConfiguration {

	@Bean
	InMemoryStore memoryStore() {
		return new InMemoryStore(InstantSource.system());
	}

}
