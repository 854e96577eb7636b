package io.lowkiq.dashboard.web;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.TestAdmin;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.Outbox;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.testing.TestQueue;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** An application with the dashboard, on a free port. */
final class TestDashboard implements AutoCloseable {

	private static final String SECURITY = "org.springframework.boot.security.autoconfigure.";

	private static final List<String> REDIS = List.of(
			"org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
			"org.springframework.boot.data.redis.autoconfigure.DataRedisReactiveAutoConfiguration",
			"org.springframework.boot.data.redis.autoconfigure.DataRedisRepositoriesAutoConfiguration");

	private static final List<String> WITHOUT_SECURITY = List.of(
			SECURITY + "web.servlet.SecurityFilterAutoConfiguration",
			SECURITY + "web.servlet.ServletWebSecurityAutoConfiguration",
			SECURITY + "actuate.web.servlet.ManagementWebSecurityAutoConfiguration",
			SECURITY + "web.reactive.ReactiveWebSecurityAutoConfiguration",
			SECURITY + "actuate.web.reactive.ReactiveManagementWebSecurityAutoConfiguration",
			SECURITY + "UserDetailsServiceAutoConfiguration", SECURITY + "ReactiveUserDetailsServiceAutoConfiguration");

	private final ConfigurableApplicationContext context;

	private TestDashboard(ConfigurableApplicationContext context) {
		this.context = context;
	}

	static Starter of(WebApplicationType type) {
		return new Starter(type);
	}

	int port() {
		return port("local.server.port");
	}

	int managementPort() {
		return port("local.management.port");
	}

	private int port(String name) {
		return this.context.getEnvironment().getRequiredProperty(name, Integer.class);
	}

	TestQueue queue(String name, int shards) {
		return new TestQueue(this.context.getBean(RedisStore.class), name, shards);
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	@Override
	public void close() {
		this.context.close();
	}

	/** Starts the application. */
	static final class Starter {

		private final WebApplicationType type;

		private final List<Class<?>> sources = new ArrayList<>(List.of(Application.class));

		private final Map<String, Object> properties = new HashMap<>(Map.of("lowkiq.dashboard.payloads", "shown"));

		private boolean secured;

		private boolean autoConfigured;

		private Starter(WebApplicationType type) {
			this.type = type;
		}

		Starter with(String name, Object value) {
			this.properties.put(name, value);
			return this;
		}

		Starter without(String name) {
			this.properties.remove(name);
			return this;
		}

		/** A whole application: store, admin and server are auto-configured. */
		Starter autoConfigured() {
			this.autoConfigured = true;
			return this;
		}

		Starter with(Class<?> configuration) {
			this.sources.add(configuration);
			return this;
		}

		Starter secured(Class<?> configuration) {
			this.secured = true;
			return with(configuration).with(PlainPasswords.class);
		}

		TestDashboard start() {
			List<String> excluded = new ArrayList<>();
			if (!this.secured) {
				excluded.addAll(WITHOUT_SECURITY);
			}
			if (!this.autoConfigured) {
				ImportCandidates.load(AutoConfiguration.class, null)
					.getCandidates()
					.stream()
					.filter((name) -> name.startsWith("io.lowkiq.autoconfigure."))
					.forEach(excluded::add);
			}
			if (this.type == WebApplicationType.REACTIVE) {
				// The tests have Tomcat and Netty on their class path
				excluded.add("org.springframework.boot.tomcat.autoconfigure.actuate.web.server."
						+ "TomcatReactiveManagementContextAutoConfiguration");
			}
			if (!this.properties.containsKey("spring.data.redis.url")) {
				excluded.addAll(REDIS);
				this.sources.add(MemoryStore.class);
			}
			else if (!this.autoConfigured) {
				this.sources.add(StoreOnRedis.class);
			}
			SpringApplicationBuilder builder = new SpringApplicationBuilder(this.sources.toArray(Class<?>[]::new));
			Map<String, Object> all = new HashMap<>(Map.of("server.port", 0, "spring.main.banner-mode", "off",
					"logging.level.root", "warn", "spring.jmx.enabled", false, "server.address", "127.0.0.1",
					"management.server.address", "127.0.0.1", "spring.autoconfigure.exclude", excluded,
					"spring.reactor.netty.shutdown-quiet-period", "0s"));
			if (!this.properties.containsKey("management.server.port")) {
				all.remove("management.server.address");
			}
			all.putAll(this.properties);
			return new TestDashboard(builder.web(this.type).properties(all).run());
		}

	}

	/** The application. */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	/** Jobs in memory. */
	@SpringBootConfiguration(proxyBeanMethods = false)
	static class MemoryStore {

		@Bean
		InMemoryRedis redis(ObjectProvider<MovableTime> time) {
			InstantSource clock = time.getIfAvailable();
			return new InMemoryRedis((clock != null) ? clock : InstantSource.system());
		}

		@Bean
		RedisStore store(InMemoryRedis redis) {
			return redis.store();
		}

		@Bean
		LowkiqAdmin admin(RedisStore store, ApplicationEventPublisher events, ObjectProvider<Outbox> outbox) {
			return TestAdmin.of(store, events::publishEvent, outbox.getIfAvailable(() -> Outbox.NONE));
		}

	}

	/** Jobs in Redis. */
	@SpringBootConfiguration(proxyBeanMethods = false)
	static class StoreOnRedis {

		@Bean
		RedisStore store(RedisConnectionFactory connections, @Value("${lowkiq.key-prefix}") String keyPrefix) {
			return new RedisStore(connections, keyPrefix, null);
		}

		@Bean
		LowkiqAdmin admin(RedisStore store, ApplicationEventPublisher events, ObjectProvider<Outbox> outbox) {
			return TestAdmin.of(store, events::publishEvent, outbox.getIfAvailable(() -> Outbox.NONE));
		}

	}

}
