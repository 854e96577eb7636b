package io.lowkiq.dashboard.autoconfigure;

import io.lowkiq.dashboard.http.Dashboard;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;

/** The routes of the dashboard on the management port of a WebFlux application. */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnBean(Dashboard.class)
@ConditionalOnProperty(name = "lowkiq.dashboard.port", havingValue = "management")
class WebFluxManagementDashboardConfiguration {

	@Bean
	RouterFunction<ServerResponse> lowkiqManagementDashboardRoutes(Dashboard dashboard,
			LowkiqDashboardProperties properties) {
		return new WebFluxDashboard(dashboard, BasePath.of(properties)).routes();
	}

}
