package io.lowkiq.dashboard.web;

import java.util.List;

import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page in a real browser, behind a real reverse proxy that puts a prefix before its
 * path.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReverseProxyBrowserTests {

	private static final String PREFIX = "/shop/admin";

	private RedisProcess redis;

	private Browser browser;

	@BeforeAll
	void start() {
		this.redis = TestRedis.startPrivate();
		this.browser = Browser.start().size(1280, 900);
	}

	@BeforeEach
	void forgetTheTestBefore() {
		this.browser.leave();
		this.browser.problems();
	}

	@AfterAll
	void stop() throws Exception {
		this.browser.close();
		this.redis.close();
	}

	/**
	 * A browser tells 127.0.0.1 by Sec-Fetch-Site where a call comes from, other hosts
	 * that are not on HTTPS only by Origin.
	 */
	@ParameterizedTest
	@CsvSource({ "SERVLET, none, 127.0.0.1", "SERVLET, framework, 127.0.0.1", "SERVLET, none, orders.example",
			"SERVLET, framework, orders.example", "REACTIVE, none, 127.0.0.1", "REACTIVE, framework, orders.example" })
	void everythingWorksUnderThePrefix(WebApplicationType type, String forwardedHeaders, String host) throws Exception {
		try (TestDashboard application = application(type, forwardedHeaders).start();
				ReverseProxy proxy = ReverseProxy.start(PREFIX, application.port())) {
			String base = "http://" + host + ":" + proxy.port() + PREFIX + "/lowkiq";
			application.queue("orders", 5).fail("42", "a/b c").node("shop-1");
			this.browser.open(base);
			this.browser.awaitText(".queues tbody th", "orders");
			this.browser.await("the facts of Redis", () -> this.browser.find("main").getText().contains("noeviction"));
			assertThat(loaded()).hasSizeGreaterThan(15).allMatch((address) -> address.startsWith(base + "/"));
			this.browser.click(".queues tbody th a");
			this.browser.awaitText("h1", "orders");
			this.browser.awaitThat(() -> assertThat(this.browser.url()).isEqualTo(base + "/queues/orders"));
			this.browser.await("two jobs", () -> this.browser.all("tr.job").size() == 2);
			this.browser.click("tr.job[data-id='42'] th a");
			this.browser.awaitText("#why", "waits for attempt");
			this.browser.awaitThat(() -> assertThat(this.browser.url()).isEqualTo(base + "/queues/orders/jobs/42"));
			this.browser.open(this.browser.url());
			this.browser.click("[data-action=perform-now]");
			this.browser.awaitText(".toast", "1 job was made due now.");
			this.browser.open(base + "/queues/orders/jobs?id=a%2Fb+c");
			this.browser.click("[data-action=delete]");
			this.browser.click("[data-dialog=go]");
			this.browser.awaitText("dialog .done-text", "1 job was deleted.");
			this.browser.click("[data-dialog=close]");
			assertThat(loaded()).allMatch((address) -> address.startsWith(base + "/"));
			this.browser.click(".brand");
			this.browser.awaitText("[data-total=enqueued]", "1");
			this.browser.awaitThat(() -> assertThat(this.browser.url()).isEqualTo(base + "/"));
			this.browser.open(base + "/");
			this.browser.awaitText(".queues tbody th", "orders");
			this.browser.leave();
			// A header that is for HTTPS is no problem elsewhere
			assertThat(this.browser.problems())
				.filteredOn((problem) -> !problem.contains("Cross-Origin-Opener-Policy header has been ignored"))
				.isEmpty();
		}
	}

	@Test
	void peopleSignInAndActUnderThePrefix() throws Exception {
		try (TestDashboard application = application(WebApplicationType.SERVLET, "framework").secured(SignIn.class)
			.start(); ReverseProxy proxy = ReverseProxy.start(PREFIX, application.port())) {
			String base = "http://127.0.0.1:" + proxy.port() + PREFIX;
			application.queue("orders", 2).enqueue("1");
			this.browser.visit(base + "/lowkiq/queues/orders");
			this.browser.awaitThat(() -> assertThat(this.browser.url()).isEqualTo(base + "/login"));
			this.browser.find("#username").sendKeys("anna");
			this.browser.find("#password").sendKeys("secret");
			this.browser.click("button[type=submit]");
			this.browser.ready();
			this.browser.awaitThat(() -> assertThat(this.browser.url()).startsWith(base + "/lowkiq/queues/orders"));
			this.browser.click("[data-action=pause]");
			this.browser.awaitText(".badge", "paused");
			this.browser.leave();
			// The page to sign in has no icon, so that the browser asks the host for one
			assertThat(this.browser.problems()).allMatch((problem) -> problem.contains("/favicon.ico "));
		}
	}

	private TestDashboard.Starter application(WebApplicationType type, String forwardedHeaders) {
		return TestDashboard.of(type)
			.with("spring.data.redis.url", this.redis.url())
			.with("lowkiq.key-prefix", TestRedis.uniquePrefix())
			.with("lowkiq.dashboard.actions-enabled", true)
			.with("server.forward-headers-strategy", forwardedHeaders);
	}

	@SuppressWarnings("unchecked")
	private List<String> loaded() {
		return (List<String>) this.browser
			.script("return performance.getEntriesByType('resource').map((each) => each.name)");
	}

	/** Everybody signs in by a form. */
	@Configuration(proxyBeanMethods = false)
	static class SignIn {

		@Bean
		SecurityFilterChain signIn(HttpSecurity http) throws Exception {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.formLogin(Customizer.withDefaults())
				.build();
		}

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(User.withUsername("anna").password("{noop}secret").build());
		}

	}

}
