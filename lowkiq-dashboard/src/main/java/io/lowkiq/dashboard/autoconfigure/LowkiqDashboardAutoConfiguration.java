package io.lowkiq.dashboard.autoconfigure;

import java.time.InstantSource;

import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.dashboard.api.DashboardApi;
import io.lowkiq.dashboard.http.Dashboard;
import io.lowkiq.dashboard.api.DashboardRuntimeHints;
import io.lowkiq.dashboard.PayloadMasker;
import io.lowkiq.dashboard.autoconfigure.LowkiqDashboardProperties.Port;
import io.lowkiq.redis.RedisStore;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.util.ClassUtils;

/** Auto-configuration of the dashboard, where there is Spring MVC or WebFlux. */
@AutoConfiguration(afterName = "io.lowkiq.autoconfigure.LowkiqAdminAutoConfiguration")
@ConditionalOnWebApplication
@ConditionalOnBooleanProperty(name = "lowkiq.dashboard.enabled", matchIfMissing = true)
@ConditionalOnBean({ RedisStore.class, LowkiqAdmin.class })
@EnableConfigurationProperties(LowkiqDashboardProperties.class)
@ImportRuntimeHints(DashboardRuntimeHints.class)
@Import({ WebMvcDashboardConfiguration.class, WebFluxDashboardConfiguration.class })
public final class LowkiqDashboardAutoConfiguration {

	private static final String MANAGEMENT = "org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType";

	@Bean
	@ConditionalOnMissingBean
	DashboardApi lowkiqDashboardApi(RedisStore store, LowkiqAdmin admin, LowkiqDashboardProperties properties,
			ObjectProvider<PayloadMasker> masker, ApplicationContext context) {
		BasePath.of(properties);
		if (properties.port() == Port.MANAGEMENT && !hasManagementPort(context)) {
			throw new InvalidConfigurationPropertyValueException("lowkiq.dashboard.port", "management",
					"it needs Actuator and a management.server.port that is not the port of the application: "
							+ "without one, the dashboard would be open on the public port, or nowhere");
		}
		return new DashboardApi(store, admin, InstantSource.system(), new DashboardApi.Settings(properties.payloads(),
				masker.getIfAvailable(PayloadMasker::values), properties.actionsEnabled()));
	}

	@Bean
	@ConditionalOnMissingBean
	Dashboard lowkiqDashboard(DashboardApi api, LowkiqDashboardProperties properties) {
		for (String host : properties.allowedHosts()) {
			if (!host.matches("\\*|[A-Za-z0-9.-]+")) {
				throw new InvalidConfigurationPropertyValueException("lowkiq.dashboard.allowed-hosts", host,
						"it must be a host name without scheme and port, such as 'shop.example', or '*'");
			}
		}
		return new Dashboard(api, properties.allowedHosts());
	}

	private static boolean hasManagementPort(ApplicationContext context) {
		return ClassUtils.isPresent(MANAGEMENT, context.getClassLoader())
				&& ManagementPortType.get(context.getEnvironment()) == ManagementPortType.DIFFERENT;
	}

	/** Where there is a web server in the application. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(WebServerInitializedEvent.class)
	static class AnnouncementConfiguration {

		@Bean
		ApplicationListener<WebServerInitializedEvent> lowkiqDashboardAnnouncement(
				LowkiqDashboardProperties properties) {
			return new DashboardAnnouncement(properties);
		}

	}

}
