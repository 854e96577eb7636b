package io.lowkiq.autoconfigure.endpoint;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.autoconfigure.LowkiqAdminAutoConfiguration;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.metrics.QueueStatistics;

/** Auto-configuration of the Actuator endpoint {@code lowkiq}. */
@AutoConfiguration(after = LowkiqAdminAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean({ LowkiqServer.class, QueueStatistics.class, LowkiqAdmin.class })
public final class LowkiqEndpointAutoConfiguration {

	@Bean
	@ConditionalOnAvailableEndpoint
	@ConditionalOnMissingBean
	LowkiqEndpoint lowkiqEndpoint(LowkiqServer server, QueueStatistics statistics, LowkiqAdmin admin,
			ApplicationEventPublisher events) {
		return new LowkiqEndpoint(server, statistics, admin, events);
	}

	@Bean
	@ConditionalOnBean(LowkiqEndpoint.class)
	OpenEndpointWarning lowkiqOpenEndpointWarning(ApplicationContext context) {
		return new OpenEndpointWarning(context);
	}

}
