package io.lowkiq.dashboard.web;

import java.util.List;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.ShardInspection;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestQueue;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.openqa.selenium.WebElement;

import org.springframework.boot.WebApplicationType;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** An application with a real Redis of its own, looked at in a real browser. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class PageInBrowser {

	RedisProcess redis;

	TestDashboard application;

	Browser browser;

	String base;

	@BeforeAll
	void start() {
		this.browser = Browser.start();
	}

	@BeforeEach
	void startApplication() {
		this.redis = TestRedis.startPrivate();
		this.application = application(true);
		this.base = "http://127.0.0.1:" + this.application.port() + "/lowkiq";
		this.browser.reset().problems();
	}

	TestDashboard application(boolean actions) {
		return TestDashboard.of(WebApplicationType.SERVLET)
			.with("spring.data.redis.url", this.redis.url())
			.with("lowkiq.key-prefix", "lowkiq")
			.with("lowkiq.dashboard.actions-enabled", actions)
			.with(GatedActions.class)
			.with(StateTests.OutboxConfiguration.class)
			.start();
	}

	@AfterEach
	void stopApplication() throws Exception {
		List<String> problems = this.browser.problems();
		this.browser.leave();
		this.application.close();
		this.redis.close();
		assertThat(problems).as("what the browser complains about, its policy included").isEmpty();
	}

	@AfterAll
	void stop() {
		this.browser.close();
	}

	TestQueue queue(String name) {
		return this.application.queue(name, 5);
	}

	List<String> jobIds() {
		return this.browser.all("tr.job").stream().map((row) -> row.getDomAttribute("data-id")).toList();
	}

	List<String> tabs() {
		return this.browser.all(".tabs a").stream().map((tab) -> tab.getText()).toList();
	}

	List<String> queueNames() {
		return this.browser.all(".queues tbody th a").stream().map(WebElement::getText).toList();
	}

	/** The kinds of the problems that are shown, the worst first. */
	List<String> problems() {
		return this.browser.all("#problems li").stream().map((each) -> each.getDomAttribute("data-kind")).toList();
	}

	void pause(String queue) {
		Http.on(this.application.port())
			.fromPage()
			.post("/lowkiq/api/v1/queues/" + queue + "/actions", "{\"action\":\"pause\"}");
	}

	/** Sets a parameter of the Redis. */
	void configure(String parameter, String value) {
		this.application.bean(StringRedisTemplate.class).execute((RedisCallback<Void>) (connection) -> {
			connection.serverCommands().setConfig(parameter, value);
			return null;
		});
	}

	/** Counted by the store itself: the page's reading may be a second old. */
	long dead(TestQueue queue) {
		ShardInspection inspection = this.application.bean(RedisStore.class).inspection();
		return queue.layout().allShards().stream().mapToLong((shard) -> inspection.counts(shard).dead()).sum();
	}

	/**
	 * Takes pictures of both widths and both themes, and has axe-core judge them. The
	 * other pairs of these are what {@link AccessibilityBrowserTests} sees of each page.
	 */
	void see(String name) {
		see(name + "-390-dark", 390, true);
		see(name + "-1280", 1280, false);
	}

	private void see(String name, int width, boolean dark) {
		this.browser.size(width, 900).dark(dark);
		assertThat(this.browser.accessibilityProblems()).isEmpty();
		assertFits();
		this.browser.screenshot(name);
	}

	void click(String selector, String text) {
		this.browser.all(selector)
			.stream()
			.filter((each) -> each.getText().equals(text))
			.findFirst()
			.orElseThrow()
			.click();
	}

	/**
	 * Waits until the page is told of errors: a count of before the first one is shown
	 * for ten seconds.
	 */
	void awaitErrors() {
		this.browser.await("errors are counted",
				() -> !Http.on(this.application.port()).get("/lowkiq/api/v1/errors").json().at("/groups").isEmpty());
	}

	/** Requests for a part of the API, from now on answered by a function of the test. */
	void intercept(String part, String answer) {
		this.browser
			.script("""
					const original = window.fetch;
					window.asked = 0;
					window.fetch = async (url, options) => String(url).includes(arguments[0])
						? (%s)(++window.asked, url, options, original) : original(url, options);
					window.json = (document) => new Response(JSON.stringify(document), { headers: { "content-type": "application/json" } });
					"""
				.formatted(answer), part);
	}

	/**
	 * On a phone, the width of the window grows with the page, that of the root doesn't.
	 */
	void assertFits() {
		assertThat(this.browser.script("""
				const root = document.documentElement;
				return root.scrollWidth <= root.clientWidth ? '' : [...document.querySelectorAll('body *')]
					.filter((element) => element.getBoundingClientRect().right > root.clientWidth)
					.map((element) => element.cloneNode(false).outerHTML).join()"""))
			.as("%s, too wide for %s", this.browser.script("return location.pathname + location.search"),
					this.browser.script("return document.documentElement.clientWidth"))
			.isEqualTo("");
	}

}
