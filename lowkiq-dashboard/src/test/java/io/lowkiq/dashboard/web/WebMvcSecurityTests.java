package io.lowkiq.dashboard.web;

import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who may do what in WebMvc.
 */
class WebMvcSecurityTests extends SecurityContract {

	WebMvcSecurityTests() {
		super(WebApplicationType.SERVLET, WebMvcSecurityExample.class);
	}

	@Test
	void chainForTheDashboardOnlyLeavesTheEndpointOpen(CapturedOutput output) {
		try (TestDashboard application = withActuator().secured(DashboardOnly.class).start()) {
			assertThat(Http.on(application.port()).get("/lowkiq").status()).isEqualTo(403);
			assertThat(Http.on(application.port()).get("/actuator/lowkiq").status()).isEqualTo(200);
			assertThat(output).contains(OPEN_ENDPOINT);
		}
	}

	/** What replaces Spring Boot's chain and protects nothing else. */
	@Configuration(proxyBeanMethods = false)
	static class DashboardOnly {

		@Bean
		SecurityFilterChain lowkiqSecurity(HttpSecurity http) throws Exception {
			return http.securityMatcher("/lowkiq", "/lowkiq/**")
				.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.build();
		}

	}

}
