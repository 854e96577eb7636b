package io.lowkiq.snippets;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import com.fasterxml.jackson.annotation.JsonValue;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.Delay;
import io.lowkiq.autoconfigure.LowkiqJsonMapperBuilderCustomizer;
import io.lowkiq.redis.LowkiqRedis;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class Connecting {

	// tag::quick-reconnect[]
	@Bean
	ClientResourcesBuilderCustomizer quickReconnect() {
		return (resources) -> resources
			.reconnectDelay(Delay.fullJitter(Duration.ofMillis(50), Duration.ofSeconds(2), 50, TimeUnit.MILLISECONDS));
	}
	// end::quick-reconnect[]

	// tag::dead-connections[]
	@Bean
	LettuceClientOptionsBuilderCustomizer deadConnections() {
		return (options) -> options.socketOptions(options.build()
			.getSocketOptions() // with spring.data.redis.connect-timeout
			.mutate()
			.tcpUserTimeout(TcpUserTimeoutOptions.builder().enable().tcpUserTimeout(Duration.ofSeconds(10)).build())
			.build());
	}
	// end::dead-connections[]

	// tag::own-redis[]
	@LowkiqRedis
	@Bean(defaultCandidate = false) // leaves Spring Boot's own connections as they are
	LettuceConnectionFactory jobsRedis(@Value("${jobs.redis.host}") String host) {
		LettuceClientConfiguration client = LettuceClientConfiguration.builder()
			.commandTimeout(Duration.ofSeconds(2))
			.clientOptions(ClientOptions.builder().timeoutOptions(TimeoutOptions.enabled()).build())
			.build();
		return new LettuceConnectionFactory(new RedisStandaloneConfiguration(host, 6379), client);
	}
	// end::own-redis[]

	record Money(long cents, String currency) {
	}

	interface MoneyAsText {

		@JsonValue
		String toString();

	}

	// tag::json-customizer[]
	@Bean
	LowkiqJsonMapperBuilderCustomizer moneyInPayloads() {
		return (builder) -> builder.addMixIn(Money.class, MoneyAsText.class);
	}
	// end::json-customizer[]

}
