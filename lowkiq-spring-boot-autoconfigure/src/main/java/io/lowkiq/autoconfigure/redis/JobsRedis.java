package io.lowkiq.autoconfigure.redis;

import java.util.Map;
import java.util.stream.Stream;

import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.AotDetector;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The connections that {@code lowkiq.redis.*} or {@link LowkiqRedisConnectionDetails}
 * describe. Spring Boot makes them, in a context of their own: so every property of its
 * connection works, the application's own connection stays as it is, and nothing but
 * Lowkiq can find these. It stops when Spring Boot's connections do, after everything
 * that uses Redis. Thread-safe.
 */
public class JobsRedis implements SmartLifecycle, DisposableBean {

	/** By this name, Spring Boot doesn't register its own properties. */
	private static final String PROPERTIES = "spring.data.redis-" + DataRedisProperties.class.getName();

	private final @Nullable AnnotationConfigApplicationContext connections;

	/**
	 * Connects, if any of the properties is set or there are details of the connection.
	 * @throws RedisPropertiesException if the properties describe no connection
	 */
	public JobsRedis(ApplicationContext application) {
		LowkiqRedisConnectionDetails details = application.getBeanProvider(LowkiqRedisConnectionDetails.class)
			.getIfAvailable();
		JobsRedisProperties properties = new JobsRedisProperties(application.getEnvironment(), details != null);
		this.connections = (details != null || properties.isAnySet()) ? connect(properties, details, application)
				: null;
	}

	private static AnnotationConfigApplicationContext connect(JobsRedisProperties properties,
			@Nullable LowkiqRedisConnectionDetails details, ApplicationContext application) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.setDisplayName("Redis of Lowkiq's jobs");
		context.setClassLoader(application.getClassLoader());
		context.setEnvironment(environment(application));
		DataRedisProperties checked = properties.get(application.getBeanProvider(SslBundles.class).getIfAvailable());
		context.registerBean(PROPERTIES, DataRedisProperties.class, () -> checked);
		if (details != null) {
			context.registerBean(DataRedisConnectionDetails.class, details::redis);
		}
		else if (!properties.hasAddress()) {
			shareAddress(properties, application, context);
		}
		share(SslBundles.class, application, context);
		share(ClientResources.class, application, context);
		share(ClientResourcesBuilderCustomizer.class, application, context);
		share(LettuceClientConfigurationBuilderCustomizer.class, application, context);
		share(LettuceClientOptionsBuilderCustomizer.class, application, context);
		context.registerBean(DeadConnectionDetection.class, () -> new DeadConnectionDetection());
		context.register(DataRedisAutoConfiguration.class);
		try {
			context.refresh();
		}
		catch (BeansException ex) {
			throw noConnection(application, details, NestedExceptionUtils.getMostSpecificCause(ex));
		}
		return context;
	}

	private static RedisPropertiesException noConnection(ApplicationContext application,
			@Nullable LowkiqRedisConnectionDetails details, Throwable cause) {
		if (details == null) {
			return new RedisPropertiesException("lowkiq.redis.* describes no connection to Redis: " + cause,
					"Change the properties");
		}
		String names = String.join(", ", application.getBeanNamesForType(LowkiqRedisConnectionDetails.class));
		return new RedisPropertiesException(
				"The bean '%s' and lowkiq.redis.* describe no connection to Redis: %s".formatted(names, cause),
				"Change that bean, the container, or lowkiq.redis.*");
	}

	/**
	 * The jobs go where the application's data is: by its properties, unless Docker
	 * Compose, a test or the application itself says where that is.
	 */
	private static void shareAddress(JobsRedisProperties properties, ApplicationContext application,
			AnnotationConfigApplicationContext context) {
		DataRedisConnectionDetails details = application.getBeanProvider(DataRedisConnectionDetails.class)
			.getIfAvailable();
		if (details != null && !isByProperties(details)) {
			context.registerBean(DataRedisConnectionDetails.class, () -> details);
		}
		else if (!properties.hasAddressOfApplication() && hasConnectionOfItsOwn(application)) {
			throw new RedisPropertiesException(
					"lowkiq.redis.* is set without an address, and the application's RedisConnectionFactory is a bean of its own, "
							+ "so it is not clear which Redis is for jobs",
					"Set lowkiq.redis.url, or remove lowkiq.redis.* and configure that bean");
		}
	}

	private static boolean isByProperties(DataRedisConnectionDetails details) {
		return details.getClass().getPackageName().equals(DataRedisConnectionDetails.class.getPackageName());
	}

	/**
	 * Whether the application, and not Spring Boot, makes its connections. After a
	 * compilation ahead of time, this can't be told.
	 */
	private static boolean hasConnectionOfItsOwn(ApplicationContext application) {
		BeanDefinitionRegistry beans = (BeanDefinitionRegistry) application.getAutowireCapableBeanFactory();
		return !AotDetector.useGeneratedArtifacts()
				&& Stream.of(application.getBeanNamesForType(RedisConnectionFactory.class, true, false))
					.filter(beans::containsBeanDefinition)
					.map((name) -> String.valueOf(beans.getBeanDefinition(name).getFactoryBeanName()))
					.anyMatch((factory) -> !factory.startsWith(DataRedisConnectionDetails.class.getPackageName()));
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
	 * @return the connections; null if nothing describes any
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
