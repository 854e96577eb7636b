package io.lowkiq.dashboard.web;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatchers;

/** The example of docs/dashboard.md: readers look, operators act. */
@Configuration(proxyBeanMethods = false)
class WebFluxSecurityExample {

	@Bean
	@Order(1)
	SecurityWebFilterChain lowkiqSecurity(ServerHttpSecurity http) {
		return http.securityMatcher(ServerWebExchangeMatchers.pathMatchers("/lowkiq", "/lowkiq/**"))
			.authorizeExchange((exchanges) -> exchanges.pathMatchers(HttpMethod.GET, "/**")
				.hasAuthority("LOWKIQ_READ")
				.anyExchange()
				.hasAuthority("LOWKIQ_OPERATE"))
			.httpBasic(Customizer.withDefaults())
			.build();
	}

	@Bean
	SecurityWebFilterChain restSecurity(ServerHttpSecurity http) {
		return http
			.authorizeExchange((exchanges) -> exchanges.pathMatchers("/actuator/health/**")
				.permitAll()
				.pathMatchers("/actuator/**")
				.hasAuthority("LOWKIQ_OPERATE")
				.anyExchange()
				.authenticated())
			.httpBasic(Customizer.withDefaults())
			.build();
	}

	@Bean
	MapReactiveUserDetailsService users() {
		return new MapReactiveUserDetailsService(
				User.withUsername("reader").password("{noop}secret").authorities("LOWKIQ_READ").build(),
				User.withUsername("operator")
					.password("{noop}secret")
					.authorities("LOWKIQ_READ", "LOWKIQ_OPERATE")
					.build());
	}

}
