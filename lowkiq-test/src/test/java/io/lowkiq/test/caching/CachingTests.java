package io.lowkiq.test.caching;

import io.lowkiq.LowkiqClient;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.autoconfigure.LowkiqTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.cache.CacheManager;
import org.springframework.cache.support.NoOpCacheManager;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code @EnableCaching} on the application's class, as the page on testing has it. */
@LowkiqTest
class CachingTests {

	@Test
	void workersArePerformed(@Autowired LowkiqClient client, @Autowired LowkiqTester lowkiq,
			@Autowired PriceWorker worker) {
		client.enqueue(PriceWorker.class, "42", "9.99");
		lowkiq.drain();
		assertThat(worker.performed).containsExactly("42");
	}

	@TestConfiguration
	static class NoCache {

		@Bean
		CacheManager cacheManager() {
			return new NoOpCacheManager();
		}

	}

}
