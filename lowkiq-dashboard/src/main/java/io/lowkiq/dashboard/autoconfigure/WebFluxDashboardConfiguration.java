package io.lowkiq.dashboard.autoconfigure;

import io.lowkiq.dashboard.http.Dashboard;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;

/** The routes of the dashboard in WebFlux. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnProperty(name = "lowkiq.dashboard.port", havingValue = "application", matchIfMissing = true)
class WebFluxDashboardConfiguration {

	@Bean
	RouterFunction<ServerResponse> lowkiqDashboardRoutes(Dashboard dashboard, LowkiqDashboardProperties properties) {
		return new WebFluxDashboard(dashboard, BasePath.of(properties)).routes();
	}

}
