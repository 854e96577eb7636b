package io.lowkiq.autoconfigure.endpoint;

import java.util.function.Predicate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.util.ClassUtils;

/**
 * Warns at start if the endpoint {@code lowkiq} may change queues and no filter chain of
 * Spring Security asks who calls it. A chain for other paths only, such as the
 * dashboard's, replaces that of Spring Boot and leaves the endpoint open.
 */
final class OpenEndpointWarning implements ApplicationListener<ContextRefreshedEvent> {

	private static final Logger logger = LoggerFactory.getLogger(OpenEndpointWarning.class);

	private static final String SERVLET_SECURITY = "org.springframework.security.web.FilterChainProxy";

	private static final String REACTIVE_SECURITY = "org.springframework.security.config.annotation.web.reactive."
			+ "WebFluxSecurityConfiguration.WebFilterChainFilter";

	private final ApplicationContext context;

	OpenEndpointWarning(ApplicationContext context) {
		this.context = context;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() == this.context && mayWrite() && !isProtected()) {
			logger.warn(
					"The Actuator endpoint 'lowkiq' may change queues, and everyone who can reach its port can call it. "
							+ "Protect its path with Spring Security, or remove management.endpoint.lowkiq.access");
		}
	}

	private boolean mayWrite() {
		return this.context.getBeanProvider(WebEndpointsSupplier.class)
			.stream()
			.flatMap((supplier) -> supplier.getEndpoints().stream())
			.filter((endpoint) -> endpoint.getEndpointId().equals(EndpointId.of("lowkiq")))
			.flatMap((endpoint) -> endpoint.getOperations().stream())
			.anyMatch((operation) -> operation.getType() == OperationType.WRITE);
	}

	private boolean isProtected() {
		if (this.context.containsBean(REACTIVE_SECURITY)) {
			return true;
		}
		String path = this.context.getEnvironment().getProperty("management.endpoints.web.base-path", "/actuator")
				+ "/lowkiq";
		return ClassUtils.isPresent(SERVLET_SECURITY, this.context.getClassLoader())
				&& new Protected(path).test(this.context);
	}

	/** Whether Spring Security authorizes calls of a path. */
	private record Protected(String path) implements Predicate<ApplicationContext> {

		@Override
		public boolean test(ApplicationContext context) {
			return context.getBeanProvider(FilterChainProxy.class).stream().anyMatch((chains) -> {
				var filters = chains.getFilters(this.path);
				return filters != null && filters.stream().anyMatch(AuthorizationFilter.class::isInstance);
			});
		}

	}

}
