package io.lowkiq.dashboard.autoconfigure;

import java.util.Locale;

import io.lowkiq.dashboard.autoconfigure.LowkiqDashboardProperties.Port;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;

/** Says at start where the dashboard is, who can see it, and how to secure it. */
final class DashboardAnnouncement implements ApplicationListener<WebServerInitializedEvent> {

	private static final Logger logger = LoggerFactory.getLogger(DashboardAnnouncement.class);

	private static final String SERVLET_SECURITY = "springSecurityFilterChain";

	private static final String REACTIVE_SECURITY = "org.springframework.security.config.annotation.web.reactive."
			+ "WebFluxSecurityConfiguration.WebFilterChainFilter";

	private final LowkiqDashboardProperties properties;

	DashboardAnnouncement(LowkiqDashboardProperties properties) {
		this.properties = properties;
	}

	@Override
	public void onApplicationEvent(WebServerInitializedEvent event) {
		WebServerApplicationContext context = event.getApplicationContext();
		boolean isManagement = "management".equals(context.getServerNamespace());
		if (isManagement == (this.properties.port() == Port.MANAGEMENT)) {
			boolean isSecured = context.containsBean(SERVLET_SECURITY) || context.containsBean(REACTIVE_SECURITY);
			logger.info("Dashboard: {} on port {}, {}. {}", path(context.getEnvironment(), isManagement),
					event.getWebServer().getPort(), this.properties.actionsEnabled() ? "with actions" : "read-only",
					isSecured ? secured() : open());
		}
	}

	private String path(Environment environment, boolean isManagement) {
		String before = isManagement ? environment.getProperty("management.server.base-path", "") : environment
			.getProperty("server.servlet.context-path", environment.getProperty("spring.webflux.base-path", ""));
		return before + this.properties.path();
	}

	private String secured() {
		return "Spring Security decides who can see it; " + switch (this.properties.payloads()) {
			case SIGNED_IN -> "payloads are shown to users who are signed in";
			case SHOWN, MASKED, HIDDEN -> payloads();
		};
	}

	private String open() {
		return "Everyone who can reach the port can see it; " + switch (this.properties.payloads()) {
			case SIGNED_IN -> "payloads are hidden";
			case SHOWN, MASKED, HIDDEN -> payloads();
		} + ". Secure the path with Spring Security, or set lowkiq.dashboard.port=management or lowkiq.dashboard.enabled=false";
	}

	private String payloads() {
		return "payloads are " + this.properties.payloads().name().toLowerCase(Locale.ROOT);
	}

}
