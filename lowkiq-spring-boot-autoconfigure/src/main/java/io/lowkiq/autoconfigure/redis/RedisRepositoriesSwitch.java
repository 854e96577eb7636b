package io.lowkiq.autoconfigure.redis;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;

import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.logging.DeferredLogFactory;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.core.type.filter.AssignableTypeFilter;
import org.springframework.data.keyvalue.repository.KeyValueRepository;
import org.springframework.data.redis.core.RedisHash;

/**
 * Switches Spring Data's Redis repositories off in an application that has none: it has
 * Spring Data Redis because of Lowkiq, which needs no repositories. Otherwise, Spring
 * Data would look for them at each start, and log of each repository of another store
 * that it can't decide.
 */
class RedisRepositoriesSwitch implements EnvironmentPostProcessor, Ordered {

	static final String PROPERTY = "spring.data.redis.repositories.enabled";

	private final Log logger;

	/** Made by Spring Boot. */
	RedisRepositoriesSwitch(DeferredLogFactory logs) {
		this.logger = logs.getLog(RedisRepositoriesSwitch.class);
	}

	/** After the application's properties have been read. */
	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

	@Override
	public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
		if (environment.containsProperty(PROPERTY) || hasRedisRepositories(application)) {
			return;
		}
		environment.getPropertySources().addLast(new MapPropertySource("lowkiq", Map.of(PROPERTY, false)));
		this.logger.info("Spring Data's Redis repositories are off, because the application has none. "
				+ "If there are some outside its packages, set %s=true".formatted(PROPERTY));
	}

	private static boolean hasRedisRepositories(SpringApplication application) {
		Scanner scanner = new Scanner();
		return packages(application).stream().anyMatch((name) -> !scanner.findCandidateComponents(name).isEmpty());
	}

	private static Set<String> packages(SpringApplication application) {
		return Stream
			.concat(Stream.ofNullable(application.getMainApplicationClass()), application.getAllSources().stream())
			.filter(Class.class::isInstance)
			.map((source) -> ((Class<?>) source).getPackageName())
			.collect(Collectors.toSet());
	}

	/** Finds what only Redis repositories have. */
	private static final class Scanner extends ClassPathScanningCandidateComponentProvider {

		Scanner() {
			super(false);
			addIncludeFilter(new AnnotationTypeFilter(RedisHash.class));
			addIncludeFilter(new AssignableTypeFilter(KeyValueRepository.class));
		}

		@Override
		protected boolean isCandidateComponent(AnnotatedBeanDefinition definition) {
			return true;
		}

	}

}
