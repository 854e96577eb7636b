package io.lowkiq.dashboard.autoconfigure;

import java.time.InstantSource;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.TestAdmin;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.dashboard.api.DashboardApi;
import io.lowkiq.internal.BackgroundLoop;
import io.lowkiq.dashboard.http.Dashboard;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link LowkiqDashboardAutoConfiguration}. */
class LowkiqDashboardAutoConfigurationTests {

	private final AutoConfigurations autoConfigurations = AutoConfigurations.of(LowkiqDashboardAutoConfiguration.class);

	private final WebApplicationContextRunner mvc = new WebApplicationContextRunner()
		.withConfiguration(this.autoConfigurations)
		.withUserConfiguration(Store.class);

	@Test
	void isThereInSpringMvc() {
		this.mvc.run((context) -> assertThat(context).hasSingleBean(Dashboard.class)
			.hasBean("lowkiqDashboardRoutes")
			.getBean("lowkiqDashboardRoutes")
			.isInstanceOf(org.springframework.web.servlet.function.RouterFunction.class));
	}

	@Test
	void isThereInWebFlux() {
		new ReactiveWebApplicationContextRunner().withConfiguration(this.autoConfigurations)
			.withUserConfiguration(Store.class)
			.run((context) -> assertThat(context).hasSingleBean(Dashboard.class)
				.getBean("lowkiqDashboardRoutes")
				.isInstanceOf(org.springframework.web.reactive.function.server.RouterFunction.class));
	}

	@Test
	void isSilentWithoutAWebFramework() {
		new ApplicationContextRunner().withConfiguration(this.autoConfigurations)
			.withUserConfiguration(Store.class)
			.withClassLoader(new FilteredClassLoader("org.springframework.web", "org.springframework.http",
					"jakarta.servlet", "org.springframework.security"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Dashboard.class));
	}

	@Test
	void worksWithoutSpringSecurity() {
		this.mvc.withClassLoader(new FilteredClassLoader("org.springframework.security"))
			.run((context) -> assertThat(context).hasSingleBean(Dashboard.class));
	}

	@Test
	void canBeSwitchedOff() {
		this.mvc.withPropertyValues("lowkiq.dashboard.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(Dashboard.class));
	}

	@Test
	void isNotThereWithoutAStore() {
		new WebApplicationContextRunner().withConfiguration(this.autoConfigurations)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Dashboard.class));
	}

	@Test
	void refusesAPathThatIsNone() {
		this.mvc.withPropertyValues("lowkiq.dashboard.path=lowkiq/*")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("Property lowkiq.dashboard.path with value 'lowkiq/*' is invalid"));
	}

	@Test
	void refusesAHostWithAPort() {
		this.mvc.withPropertyValues("lowkiq.dashboard.allowed-hosts=shop.example:8080")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("'shop.example:8080'"));
	}

	@Test
	void withoutActuatorThereIsNoManagementPort() {
		this.mvc.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
			.withPropertyValues("lowkiq.dashboard.port=management", "management.server.port=9090")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("it needs Actuator"));
	}

	@Test
	void writesTheHistoryWhileTheContextRuns() {
		this.mvc.run((context) -> {
			DashboardApi api = context.getBean(DashboardApi.class);
			assertThat(api.loop().isRunning()).isTrue();
			assertThat(context.getBeansOfType(BackgroundLoop.Owner.class).values())
				.extracting(BackgroundLoop.Owner::loop)
				.contains(api.loop());
			context.close();
			assertThat(api.loop().isRunning()).isFalse();
		});
	}

	/** Jobs in memory. */
	@Configuration(proxyBeanMethods = false)
	static class Store {

		@Bean
		RedisStore store() {
			return InMemoryRedis.newStore(InstantSource.system());
		}

		@Bean
		LowkiqAdmin admin(RedisStore store) {
			return TestAdmin.of(store);
		}

	}

}
