package io.lowkiq.testing;

import java.time.InstantSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;

/** A store that needs no Redis. */
@Configuration(proxyBeanMethods = false)
public class MemoryStoreConfiguration {

	@Bean
	RedisStore memoryStore() {
		return InMemoryRedis.newStore(InstantSource.system());
	}

}
