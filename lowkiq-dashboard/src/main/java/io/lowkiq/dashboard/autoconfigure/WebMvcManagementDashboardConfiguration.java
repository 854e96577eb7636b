package io.lowkiq.dashboard.autoconfigure;

import io.lowkiq.dashboard.http.Dashboard;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/** The routes of the dashboard on the management port of a servlet application. */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBean(Dashboard.class)
@ConditionalOnProperty(name = "lowkiq.dashboard.port", havingValue = "management")
class WebMvcManagementDashboardConfiguration {

	@Bean
	RouterFunction<ServerResponse> lowkiqManagementDashboardRoutes(Dashboard dashboard,
			LowkiqDashboardProperties properties) {
		return new WebMvcDashboard(dashboard, BasePath.of(properties)).routes();
	}

}
