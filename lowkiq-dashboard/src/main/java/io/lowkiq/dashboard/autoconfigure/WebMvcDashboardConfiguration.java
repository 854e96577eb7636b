package io.lowkiq.dashboard.autoconfigure;

import io.lowkiq.dashboard.http.Dashboard;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/** The routes of the dashboard in Spring MVC. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnProperty(name = "lowkiq.dashboard.port", havingValue = "application", matchIfMissing = true)
class WebMvcDashboardConfiguration {

	@Bean
	RouterFunction<ServerResponse> lowkiqDashboardRoutes(Dashboard dashboard, LowkiqDashboardProperties properties) {
		return new WebMvcDashboard(dashboard, BasePath.of(properties)).routes();
	}

}
