package io.lowkiq.autoconfigure.redis;

import java.time.Duration;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The connections to the Redis of {@code lowkiq.redis.url}, with the timeouts of {@code
 * spring.data.redis} and the application's customizers.
 */
public class JobsRedis implements DisposableBean {

	private final @Nullable LettuceConnectionFactory connections;

	/**
	 * @throws IllegalArgumentException if the URL, if any, is not one of a Redis
	 */
	public JobsRedis(@Nullable String url, ApplicationContext application) {
		this.connections = (url != null) ? connect(RedisURI.create(url), application) : null;
	}

	private static LettuceConnectionFactory connect(RedisURI url, ApplicationContext application) {
		Binder binder = Binder.get(application.getEnvironment());
		ClientOptions.Builder options = ClientOptions.builder();
		binder.bind("spring.data.redis.connect-timeout", Duration.class)
			.ifBound((timeout) -> options.socketOptions(SocketOptions.builder().connectTimeout(timeout).build()));
		new DeadConnectionDetection().customize(options);
		application.getBeanProvider(LettuceClientOptionsBuilderCustomizer.class)
			.orderedStream()
			.forEach((customizer) -> customizer.customize(options));
		LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder().clientOptions(options.build());
		binder.bind("spring.data.redis.timeout", Duration.class).ifBound(client::commandTimeout);
		client.apply(url);
		application.getBeanProvider(ClientResources.class).ifUnique(client::clientResources);
		application.getBeanProvider(LettuceClientConfigurationBuilderCustomizer.class)
			.orderedStream()
			.forEach((customizer) -> customizer.customize(client));
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				LettuceConnectionFactory.createRedisConfiguration(url), client.build());
		factory.afterPropertiesSet();
		return factory;
	}

	/** The connections; null without a URL. */
	public @Nullable LettuceConnectionFactory connectionFactory() {
		return this.connections;
	}

	@Override
	public void destroy() {
		if (this.connections != null) {
			this.connections.destroy();
		}
	}

}
