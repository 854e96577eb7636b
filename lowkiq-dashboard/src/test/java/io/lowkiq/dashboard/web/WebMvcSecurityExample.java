package io.lowkiq.dashboard.web;

import jakarta.servlet.DispatcherType;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The example of docs/dashboard.md: readers look, operators act. */
@Configuration(proxyBeanMethods = false)
class WebMvcSecurityExample {

	// tag::web-mvc-security[]
	@Bean
	@Order(1)
	SecurityFilterChain lowkiqSecurity(HttpSecurity http) throws Exception {
		return http.securityMatcher("/lowkiq", "/lowkiq/**")
			.authorizeHttpRequests((requests) -> requests.requestMatchers(HttpMethod.GET)
				.hasAuthority("LOWKIQ_READ")
				.anyRequest()
				.hasAuthority("LOWKIQ_OPERATE"))
			.httpBasic(Customizer.withDefaults())
			.build();
	}

	@Bean
	SecurityFilterChain restSecurity(HttpSecurity http) throws Exception {
		return http
			.authorizeHttpRequests((requests) -> requests.dispatcherTypeMatchers(DispatcherType.ERROR)
				.permitAll()
				.requestMatchers("/actuator/health/**")
				.permitAll()
				.requestMatchers("/actuator/**")
				.hasAuthority("LOWKIQ_OPERATE")
				.anyRequest()
				.authenticated())
			.httpBasic(Customizer.withDefaults())
			.build();
	}
	// end::web-mvc-security[]

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(
				User.withUsername("reader").password("{noop}secret").authorities("LOWKIQ_READ").build(),
				User.withUsername("operator")
					.password("{noop}secret")
					.authorities("LOWKIQ_READ", "LOWKIQ_OPERATE")
					.build());
	}

}
