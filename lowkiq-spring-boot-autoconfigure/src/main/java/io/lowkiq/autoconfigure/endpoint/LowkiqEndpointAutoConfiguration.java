package io.lowkiq.autoconfigure.endpoint;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

import io.lowkiq.autoconfigure.LowkiqAutoConfiguration;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.inspection.QueueStatistics;
import io.lowkiq.store.inspection.ShardInspection;

/**
 * Auto-configuration of the Actuator endpoint {@code lowkiq}.
 */
@AutoConfiguration(after = LowkiqAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean({ LowkiqServer.class, QueueStatistics.class })
public final class LowkiqEndpointAutoConfiguration {

	@Bean
	@ConditionalOnAvailableEndpoint
	@ConditionalOnMissingBean
	LowkiqEndpoint lowkiqEndpoint(LowkiqServer server, QueueStatistics statistics, NodeRegistry nodes,
			QueueRegistry queues, ShardInspection inspection) {
		return new LowkiqEndpoint(server::status, statistics, nodes, queues, inspection);
	}

}
