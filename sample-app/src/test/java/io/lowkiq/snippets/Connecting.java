package io.lowkiq.snippets;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.resource.Delay;

import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.context.annotation.Bean;

class Connecting {

	// tag::quick-reconnect[]
	@Bean
	ClientResourcesBuilderCustomizer quickReconnect() {
		return (resources) -> resources
			.reconnectDelay(Delay.fullJitter(Duration.ofMillis(50), Duration.ofSeconds(2), 50, TimeUnit.MILLISECONDS));
	}
	// end::quick-reconnect[]

}
