package io.lowkiq.autoconfigure.redis;

import java.util.Map;

import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The connections that {@code lowkiq.redis.*} describes. Spring Boot makes them, in a
 * context of their own: so every property of its connection works, the application's own
 * connection stays as it is, and nothing but Lowkiq can find these. It stops when Spring
 * Boot's connections do, after everything that uses Redis. Thread-safe.
 */
public class JobsRedis implements SmartLifecycle, DisposableBean {

	/** By this name, Spring Boot doesn't register its own properties. */
	private static final String PROPERTIES = "spring.data.redis-" + DataRedisProperties.class.getName();

	private final @Nullable AnnotationConfigApplicationContext connections;

	/**
	 * Connects, if any of the properties is set.
	 * @param properties the properties
	 * @param application where the application's customizers and TLS bundles are
	 */
	public JobsRedis(LowkiqRedisProperties properties, ApplicationContext application) {
		boolean isSet = Binder.get(application.getEnvironment())
			.bind(LowkiqRedisProperties.PREFIX, LowkiqRedisProperties.class)
			.isBound();
		this.connections = isSet ? connect(properties, application) : null;
	}

	private static AnnotationConfigApplicationContext connect(LowkiqRedisProperties properties,
			ApplicationContext application) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.setDisplayName("Redis of Lowkiq's jobs");
		context.setClassLoader(application.getClassLoader());
		context.setEnvironment(environment(application));
		context.registerBean(PROPERTIES, DataRedisProperties.class, () -> properties);
		share(SslBundles.class, application, context);
		share(ClientResources.class, application, context);
		share(ClientResourcesBuilderCustomizer.class, application, context);
		share(LettuceClientConfigurationBuilderCustomizer.class, application, context);
		share(LettuceClientOptionsBuilderCustomizer.class, application, context);
		context.registerBean(DeadConnectionDetection.class, () -> new DeadConnectionDetection());
		context.register(DataRedisAutoConfiguration.class);
		context.refresh();
		return context;
	}

	/**
	 * None of the application's properties, which would be taken for those of the jobs.
	 */
	private static StandardEnvironment environment(ApplicationContext application) {
		StandardEnvironment environment = new StandardEnvironment();
		MutablePropertySources sources = environment.getPropertySources();
		sources.remove(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
		sources.remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
		sources.addFirst(new MapPropertySource("lowkiq", Map.of("spring.data.redis.client-type", "lettuce",
				"spring.threads.virtual.enabled", Threading.VIRTUAL.isActive(application.getEnvironment()))));
		return environment;
	}

	private static <T> void share(Class<T> type, ApplicationContext from, AnnotationConfigApplicationContext to) {
		ObjectProvider<T> beans = from.getBeanProvider(type);
		int[] number = { 0 };
		beans.orderedStream()
			.forEach((bean) -> to.getBeanFactory()
				.registerSingleton("lowkiq." + type.getSimpleName() + "." + number[0]++, bean));
	}

	/**
	 * The connections that the properties describe.
	 * @return the connections; null if no property is set
	 */
	public @Nullable LettuceConnectionFactory connectionFactory() {
		return (this.connections != null) ? this.connections.getBean(LettuceConnectionFactory.class) : null;
	}

	/**
	 * The same phase as Spring Boot's connections.
	 */
	@Override
	public int getPhase() {
		LettuceConnectionFactory factory = connectionFactory();
		return (factory != null) ? factory.getPhase() : 0;
	}

	@Override
	public void start() {
		if (this.connections != null && !this.connections.isRunning()) {
			this.connections.start();
		}
	}

	@Override
	public void stop() {
		if (this.connections != null) {
			this.connections.stop();
		}
	}

	@Override
	public boolean isRunning() {
		return this.connections != null && this.connections.isRunning();
	}

	@Override
	public void destroy() {
		if (this.connections != null) {
			this.connections.close();
		}
	}

}
