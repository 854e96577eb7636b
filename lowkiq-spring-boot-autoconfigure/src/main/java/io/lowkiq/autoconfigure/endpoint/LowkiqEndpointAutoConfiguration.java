package io.lowkiq.autoconfigure.endpoint;

import java.util.List;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.autoconfigure.LowkiqAdminAutoConfiguration;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.QueueStatistics;

/**
 * Auto-configuration of the Actuator endpoint {@code lowkiq}.
 */
@AutoConfiguration(after = LowkiqAdminAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean({ LowkiqServer.class, QueueStatistics.class, LowkiqAdmin.class })
public final class LowkiqEndpointAutoConfiguration {

	@Bean
	@ConditionalOnAvailableEndpoint
	@ConditionalOnMissingBean
	LowkiqEndpoint lowkiqEndpoint(LowkiqServer server, QueueStatistics statistics, InspectableStore store,
			LowkiqAdmin admin, ApplicationEventPublisher events) {
		return new LowkiqEndpoint(server::status, (queue, stop, user) -> {
			boolean changed = stop ? server.stopQueue(queue) : server.startQueue(queue);
			events.publishEvent(new AdminEvent(user, stop ? "stop-on-node" : "start-on-node", queue, List.of(),
					changed ? 1 : 0, AdminEvent.Result.DONE, "Queue '%s' is %s on node %s".formatted(queue,
							stop ? "stopped" : "served", server.status().node())));
			return changed;
		}, statistics, store, admin);
	}

	@Bean
	@ConditionalOnBean(LowkiqEndpoint.class)
	@ConditionalOnMissingBean
	LowkiqEndpointWebExtension lowkiqEndpointWebExtension(LowkiqEndpoint endpoint) {
		return new LowkiqEndpointWebExtension(endpoint);
	}

	@Bean
	@ConditionalOnBean(LowkiqEndpoint.class)
	OpenEndpointWarning lowkiqOpenEndpointWarning(ApplicationContext context) {
		return new OpenEndpointWarning(context);
	}

}
