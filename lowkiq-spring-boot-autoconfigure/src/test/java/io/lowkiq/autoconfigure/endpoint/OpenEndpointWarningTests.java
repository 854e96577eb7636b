package io.lowkiq.autoconfigure.endpoint;

import io.lowkiq.autoconfigure.LowkiqAdminAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.testing.MemoryStoreConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.security.authorization.SingleResultAuthorizationManager;
import org.springframework.security.web.DefaultSecurityFilterChain;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class OpenEndpointWarningTests {

	private static final String WARNING = "The Actuator endpoint 'lowkiq' may change queues, and everyone";

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(EndpointAutoConfiguration.class, WebEndpointAutoConfiguration.class,
				LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
				LowkiqServerAutoConfiguration.class, LowkiqAdminAutoConfiguration.class,
				LowkiqEndpointAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withPropertyValues("lowkiq.server.enabled=false", "management.endpoints.web.exposure.include=lowkiq");

	private WebApplicationContextRunner writing() {
		return this.runner.withPropertyValues("management.endpoint.lowkiq.access=UNRESTRICTED");
	}

	/** Spring Security whose chain authorizes the requests that a matcher matches. */
	private static FilterChainProxy securing(RequestMatcher requests) {
		return new FilterChainProxy(new DefaultSecurityFilterChain(requests,
				new AuthorizationFilter(SingleResultAuthorizationManager.denyAll())));
	}

	@Test
	void warnsIfAnyoneMayChangeQueues(CapturedOutput output) {
		writing().run((context) -> assertThat(output).containsOnlyOnce(WARNING));
	}

	@Test
	void warnsAlsoWithoutSpringSecurity(CapturedOutput output) {
		writing().withClassLoader(new FilteredClassLoader("org.springframework.security"))
			.run((context) -> assertThat(output).containsOnlyOnce(WARNING));
	}

	@Test
	void warnsIfSpringSecurityAuthorizesOnlyOtherPaths(CapturedOutput output) {
		writing()
			.withBean(FilterChainProxy.class,
					() -> securing(PathPatternRequestMatcher.withDefaults().matcher("/lowkiq/**")))
			.run((context) -> assertThat(output).containsOnlyOnce(WARNING));
	}

	@Test
	void saysNothingIfSpringSecurityAuthorizesThePath(CapturedOutput output) {
		writing().withPropertyValues("management.endpoints.web.base-path=/manage")
			.withBean(FilterChainProxy.class,
					() -> securing(PathPatternRequestMatcher.withDefaults().matcher("/manage/**")))
			.run((context) -> assertThat(output).doesNotContain(WARNING));
	}

	@Test
	void saysNothingIfTheEndpointIsReadOnlyOrNotExposed(CapturedOutput output) {
		this.runner.run((context) -> assertThat(context).hasSingleBean(OpenEndpointWarning.class));
		writing().withPropertyValues("management.endpoints.web.exposure.include=health")
			.run((context) -> assertThat(context).doesNotHaveBean(OpenEndpointWarning.class));
		assertThat(output).doesNotContain(WARNING);
	}

}
