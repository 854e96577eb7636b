package io.lowkiq.dashboard.autoconfigure;

import io.lowkiq.dashboard.Dashboard;
import io.lowkiq.dashboard.PayloadMasker;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.inspection.InspectableStore;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration of the dashboard, where there is Spring MVC or WebFlux.
 */
@AutoConfiguration(afterName = "io.lowkiq.autoconfigure.LowkiqAutoConfiguration")
@ConditionalOnWebApplication
@ConditionalOnBooleanProperty(name = "lowkiq.dashboard.enabled", matchIfMissing = true)
@ConditionalOnBean(InspectableStore.class)
@EnableConfigurationProperties(LowkiqDashboardProperties.class)
@Import({ WebMvcDashboardConfiguration.class, WebFluxDashboardConfiguration.class })
public final class LowkiqDashboardAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	Dashboard lowkiqDashboard(InspectableStore store, LowkiqDashboardProperties properties,
			ObjectProvider<PayloadMasker> masker) {
		Dashboard.Builder builder = Dashboard.builder(store)
			.payloads(properties.getPayloads(), masker.getIfAvailable(PayloadMasker::values))
			.actionsEnabled(properties.isActionsEnabled());
		if (store instanceof RedisStore redis) {
			builder.redis(redis.connectionFactory(), redis.keyPrefix(), RedisAddress.of(redis.connectionFactory()));
		}
		return builder.build();
	}

	@Bean
	DashboardLifecycle lowkiqDashboardLifecycle(Dashboard dashboard) {
		return new DashboardLifecycle(dashboard);
	}

}
