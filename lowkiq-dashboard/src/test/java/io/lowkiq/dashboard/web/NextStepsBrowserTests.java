package io.lowkiq.dashboard.web;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.node.Build;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;

/** What the page says of a problem is whole, and each problem has its next step. */
class NextStepsBrowserTests extends PageInBrowser {

	private static final JsonMapper JSON = JsonMapper.shared();

	private static final Pattern EDIT = Pattern.compile(
			"curl -X POST -H 'Content-Type: application/json' -H 'X-Lowkiq-Request: 1' -d '(?<body>.*)' '(?<url>[^']*)'");

	private static final String DECLINED = "a.Declined: Card %d declined";

	@Test
	void countingErrorsGoesOnWithProgressAndEnds() {
		queue("orders").buryWith(DECLINED.formatted(1), TestQueue.ids("", 7)).node("shop-1");
		this.browser.open(this.base);
		awaitErrors();
		intercept("/errors",
				"""
						async (call, url, options, original) => {
							const errors = await (await original(url, options)).json();
							if (call === 2) {
								await new Promise((resolve) => { window.countOn = resolve; });
							}
							const asOf = new Date(2026, 0, 2, 10, 25, 27).getTime();
							return window.json(call > 2 ? { ...errors, asOf, groups: errors.groups.map((group) => ({ ...group, last: asOf - 2800 })) } : { ...errors, complete: false, counting: true, scanned: 4 * call, total: 14,
								groups: errors.groups.map((group) => ({ ...group, dead: 2 * call, complete: false })) });
						}""");
		click(".menu a", "Errors");
		this.browser.awaitText("#errors-note", "Counting: 4 of 14 failed or dead jobs read.");
		this.browser.awaitText(".group-counts", "≥ 2 dead");
		assertThat(this.browser.find("main progress").getDomAttribute("max")).isEqualTo("14");
		this.browser.await("it counts on", () -> Long.valueOf(2).equals(this.browser.script("return window.asked")));
		this.browser.click("#pause-updates");
		this.browser.script("window.countOn()");
		this.browser.awaitText("#errors-note", "Counting: 8 of 14 failed or dead jobs read.");
		this.browser.click("#pause-updates");
		this.browser.awaitText("#errors-note", "As of 10:25:27: 1 group in 7 failed or dead jobs.");
		this.browser.awaitText(".group-counts", "7 dead");
		this.browser.awaitText(".group-counts", "last 2026-01-02 10:25:24 (2.8 s before)");
		assertThat(this.browser.find(".kind").getText()).doesNotContain("≥");
		assertThat(this.browser.all("main progress")).isEmpty();
		see("errors-counted");
	}

	@Test
	void deadJobsAreSaidToHaveDiedWhenAndOfWhat() {
		queue("orders").buryWith(DECLINED.formatted(1), TestQueue.ids("a", 20))
			.buryWith("a.Refused: no", TestQueue.ids("b", 5))
			.node("shop-1");
		this.browser.open(this.base);
		this.browser.awaitThat(() -> assertThat(this.browser.find("#problems [data-kind=DEAD]").getText())
			.matches("(?s).*Queue orders: 25 jobs died (at|between) [0-9].*, most of them: Card # declined\\..*"));
		see("overview-dead");
		this.browser.click("#problems [data-kind=DEAD] > a");
		this.browser.awaitText(".active-filters", "Card # declined");
		this.browser.await("those of the group", () -> jobIds().size() == 20);
	}

	@Test
	void aScheduleThatIsLateIsNamed() {
		queue("reports").node("shop-1");
		long due = System.currentTimeMillis() - 80_000;
		this.application.queue("reports.schedules", 1)
			.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, due, 0), "every-20s")
			.node("shop-2");
		this.browser.open(this.base);
		// This application knows no schedules, so it can't say which
		this.browser.awaitText("#problems [data-kind=OVERDUE]", "A schedule of reports is 1 min late.");
		this.browser.click("#problems [data-kind=OVERDUE] > a");
		this.browser.awaitText("h1", "Schedules");
	}

	@Test
	void twoApplicationsWithOneQueueAreToldInAmberUnlessBothShareIt() {
		queue("orders").node("shop-1");
		serve("shop", Set.of());
		serve("billing", Set.of());
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=SHARED_QUEUE].warning",
				"Queue orders is served by several applications with the same payloads: "
						+ "billing (java.lang.String), shop (java.lang.String).");
		this.browser.click("#problems [data-kind=SHARED_QUEUE] .next-step a");
		this.browser.awaitText("h1", "Two applications, one queue");
		serve("shop", Set.of("orders"));
		serve("billing", Set.of("orders"));
		this.browser.open(this.base);
		this.browser.awaitText("#problems", "Nothing is wrong.");
	}

	private void serve(String application, Set<String> shared) {
		this.application.bean(RedisStore.class)
			.nodes()
			.join(application, new NodeInfo("node-of-" + application, 42, Duration.ofHours(1), Set.of("orders"), false,
					application, Map.of("orders", "java.lang.String"), Build.UNKNOWN, Set.of(), shared));
	}

	@Test
	void aProblemHasAButtonAndASectionThatSaysWhatToDo() {
		queue("orders").hold("42").buryWith(DECLINED.formatted(1), "43", "44").node("shop-1");
		pause("orders");
		this.browser.open(this.base);
		this.browser.click("#problems [data-kind=PAUSED] [data-action=resume]");
		this.browser.await("resumed", () -> this.browser.all("#problems [data-kind=PAUSED]").isEmpty());
		this.browser.click("#problems [data-kind=DEAD] [data-action=re-enqueue]");
		this.browser.awaitText("#affected", "2 jobs are affected.");
		this.browser.click("[data-dialog=go]");
		this.browser.click("[data-dialog=close]");
		this.browser.await("none is dead", () -> this.browser.all("#problems [data-kind=DEAD]").isEmpty());
		intercept("/operations.md",
				"(call, url, options, original) => call > 1 ? original(url, options) : new Response('Busy', { status: 503 })");
		this.browser.click("#problems [data-kind=HELD] .next-step a");
		this.browser.awaitText("h1", "Jobs are on hold");
		this.browser.awaitText(".guide", "They wait for a person");
		this.browser.ready();
		see("help");
		this.browser.open(this.base + "/help?about=order-42-doesnt-run");
		this.browser.awaitText(".guide table td", "It is done, or was never enqueued.");
		this.browser.open(this.base + "/help");
		this.browser.awaitText("h1", "Troubleshooting");
		click(".guide a", "Order 42 doesn't run");
		this.browser.awaitText("h1", "Order 42 doesn't run");
		this.browser.open(this.base + "/help?about=nothing");
		this.browser.awaitText(".guide", "The guide has no such section.");
	}

	@Test
	void oneKindOfErrorIsRetriedInAllQueues() {
		TestQueue orders = queue("orders").buryWith(DECLINED.formatted(1), TestQueue.ids("a", 6)).node("shop-1");
		TestQueue refunds = queue("refunds").buryWith(DECLINED.formatted(22), TestQueue.ids("b", 3)).node("shop-2");
		TestQueue mails = queue("mails").buryWith("a.Refused: no", "c").node("shop-3");
		this.browser.open(this.base + "/errors");
		this.browser.awaitText(".kind", "in 2 queues");
		see("errors-of-several-queues");
		click(".kind > .buttons button", "Retry 9 dead in 2 queues");
		this.browser.awaitText("#affected", "9 jobs in 2 queues are affected.");
		assertThat(this.browser.accessibilityProblems()).isEmpty();
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText("dialog .done-text", "9 jobs changed in 2 of 2 queues");
		this.browser.click("[data-dialog=close]");
		assertThat(dead(orders) + dead(refunds)).isZero();
		assertThat(dead(mails)).isEqualTo(1);
		this.browser.await("one kind is left", () -> this.browser.all(".kind").size() == 1);
	}

	@Test
	void anActionThatIsStoppedBetweenTwoQueuesIsNotBegunInTheNextOnes() {
		List<TestQueue> queues = deadInThreeQueues();
		intercept("/queues/refunds/actions",
				"(call, url, options, original) => new Promise((resolve) => { window.send = () => resolve(original(url, options)); })");
		click(".kind > .buttons button", "Delete dead");
		this.browser.click("[data-dialog=go]");
		this.browser.await("the second one", () -> Long.valueOf(1).equals(this.browser.script("return window.asked")));
		this.browser.click("[data-dialog=stop]");
		this.browser.awaitText("[data-dialog=stop]", "Stopping…");
		this.browser.script("window.send()");
		this.browser.awaitText("dialog .done-text", "9 jobs changed in 2 of 3 queues");
		assertThat(queues).extracting(this::dead).containsExactly(0L, 0L, 1L);
	}

	@Test
	void anActionThatFailsBetweenTwoQueuesSaysHowFarItWent() {
		List<TestQueue> queues = deadInThreeQueues();
		intercept("/queues/refunds/actions", "() => Promise.reject(new TypeError())");
		click(".kind > .buttons button", "Delete dead");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText("dialog .problem-text",
				"The connection was lost. The action may have been carried out: "
						+ "see Audit. 1 of 3 queues is done. The action may still be running in queue refunds; "
						+ "it was not started in later ones.");
		assertThat(queues).extracting(this::dead).containsExactly(0L, 3L, 1L);
	}

	private List<TestQueue> deadInThreeQueues() {
		List<TestQueue> queues = List.of(
				queue("orders").buryWith(DECLINED.formatted(1), TestQueue.ids("a", 6)).node("shop-1"),
				queue("refunds").buryWith(DECLINED.formatted(22), TestQueue.ids("b", 3)).node("shop-2"),
				queue("mails").buryWith(DECLINED.formatted(3), "c").node("shop-3"));
		this.browser.open(this.base + "/errors");
		this.browser.awaitText(".kind", "in 3 queues");
		return queues;
	}

	@Test
	void deadJobsAndTheAuditHaveATimeRange() {
		queue("orders").bury("1", "2").node("shop-1");
		pause("orders");
		long now = System.currentTimeMillis();
		this.browser.open(this.base + "/queues/orders?state=dead&from=" + (now - 3_600_000));
		this.browser.await("both", () -> jobIds().size() == 2);
		this.browser.awaitText(".active-filters", "that died from");
		see("dead-by-time");
		this.browser.open(this.base + "/queues/orders?state=dead&until=" + (now - 3_600_000));
		this.browser.awaitText("#jobs", "No matching jobs.");
		this.browser.open(this.base + "/audit?from=" + (now - 3_600_000));
		this.browser.awaitText(".audit td", "Pause queue");
		see("audit-by-time");
		this.browser.open(this.base + "/audit?until=" + (now - 3_600_000));
		this.browser.awaitText("main", "No actions in this time.");
	}

	@Test
	void scheduledJobsAndRetriesHaveATimeRange() {
		long now = System.currentTimeMillis();
		queue("orders").fail("retry")
			.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, now + 600_000, 0), "soon")
			.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, now + 7_200_000, 0), "late")
			.node("shop-1");
		this.browser.open(this.base + "/queues/orders?state=scheduled&from=" + (now + 3_600_000));
		this.browser.await("the late one", () -> jobIds().equals(List.of("late")));
		this.browser.awaitText(".active-filters", "that are due from");
		this.browser.awaitText("form.times", "Due from");
		this.browser.open(this.base + "/queues/orders?state=retries&until=" + (now + 3_600_000));
		this.browser.await("the retry", () -> jobIds().equals(List.of("retry")));
		this.browser.open(this.base + "/queues/orders?state=retries&from=" + (now + 3_600_000));
		this.browser.awaitText("#jobs", "No matching jobs.");
	}

	@Test
	void eachActionOfAPageIsThereAsCurl() {
		queue("orders").bury("it's").node("shop-1");
		this.browser.open(this.base + "/queues/orders/jobs?id=it%27s");
		this.browser.click("#curl");
		this.browser.awaitText("dialog li", "Retry");
		this.browser.awaitText("dialog pre", "-d '{\"action\":\"re-enqueue\",\"ids\":[\"it'\\''s\"]}' '" + this.base
				+ "/api/v1/queues/orders/actions'");
		assertThat(this.browser.accessibilityProblems()).isEmpty();
		this.browser.screenshot("curl");
		String command = this.browser.find("dialog pre").getText();
		assertThat(command).startsWith("curl -X POST ");
	}

	@ParameterizedTest
	@ValueSource(strings = { "held", "dead" })
	void theCommandOfAnEditIsAccepted(String state) {
		TestQueue queue = queue("orders").hold("held").bury("dead").node("shop-1");
		assertThat(edit(state, "{\"id\":\"%s\",\"known\":%s,\"text\":\"{\\\"name\\\":\\\"it's\\\"}\"}".formatted(state,
				JSON.writeValueAsString(payload(queue, state))))
			.status()).isEqualTo(204);
		this.browser.open(this.base + "/queues/orders/jobs/" + state);
		this.browser.click("#curl");
		this.browser.awaitText("dialog li", "Edit first payload");
		this.browser.awaitText("dialog p", "change “text”");
		String command = this.browser.all("dialog li")
			.stream()
			.filter((each) -> each.getText().startsWith("Edit first payload"))
			.map((each) -> each.findElement(By.tagName("pre")).getText())
			.findFirst()
			.orElseThrow();
		Matcher parts = EDIT.matcher(command);
		assertThat(parts).matches();
		assertThat(parts.group("url")).isEqualTo(this.base + "/api/v1/queues/orders/" + state + "-payload");
		ObjectNode body = (ObjectNode) JSON.readTree(parts.group("body").replace("'\\''", "'"));
		assertThat(body.get("text").asString()).contains("it's").isEqualTo(body.get("known").asString());
		assertThat(edit(state, body.put("text", "{\"name\":\"its\"}").toString()).status()).isEqualTo(204);
		assertThat(payload(queue, state)).contains("its").doesNotContain("it's");
	}

	private Http.Answer edit(String state, String body) {
		return Http.on(this.application.port())
			.fromPage()
			.post("/lowkiq/api/v1/queues/orders/" + state + "-payload", body);
	}

	private String payload(TestQueue queue, String state) {
		return Http.on(this.application.port())
			.get("/lowkiq/api/v1/queues/%s/payload?id=%s&place=0&state=%s".formatted(queue.layout().name(), state,
					state.equals("held") ? "queued" : state))
			.json()
			.get("text")
			.asString();
	}

	@Test
	void thePageOfAnUnreadableJobSaysWhatHelps() {
		queue("orders").unreadable("42").node("shop-1");
		this.browser.open(this.base + "/queues/orders/jobs/42");
		this.browser.awaitText("#why.danger", "has been unreadable since");
		this.browser.awaitText("#why", "No enum constant 'LATE'");
		this.browser.awaitText("#why", "Deploy a version that can read it");
		see("unreadable");
	}

	@Test
	void aPhoneShowsWhatIsNotZero() {
		for (int i = 0; i < 9; i++) {
			this.application.queue("queue-" + i, 2).node("shop-1");
		}
		queue("orders").enqueue("1", "2").node("shop-2");
		this.browser.size(360, 800).open(this.base);
		this.browser.await("ten of them", () -> this.browser.all(".queues tbody tr").size() == 10);
		// The shards of each, and lag, enqueued and due of one; rows are drawn again
		// meanwhile
		this.browser.awaitThat(() -> {
			assertThat(shown(".queues tbody td:has(.zero)")).isEmpty();
			assertThat(shown(".queues tbody td")).hasSize(10 + 3);
		});
		this.browser.awaitThat(() -> assertThat(height("header")).isLessThan(100));
		// What is cut off shows that there is more
		this.browser.awaitThat(() -> assertThat(this.browser
			.script("""
					const menu = document.querySelector('.menu');
					return menu.scrollWidth > menu.clientWidth && getComputedStyle(menu).backgroundImage.includes('gradient')"""))
			.isEqualTo(true));
		assertFits();
		this.browser.screenshot("overview-360");
		// The queue with jobs comes first
		assertThat(this.browser.find(".queues tbody th a").getText()).isEqualTo("orders");
		this.browser.open(this.base + "/queues/orders?view=history");
		this.browser.awaitText(".tabs [aria-current]", "History");
		this.browser.awaitThat(() -> assertThat(isVisible(".tabs [aria-current]")).isEqualTo(true));
		assertFits();
		this.browser.screenshot("queue-360");
	}

	@Test
	void theBarStaysWhereItIs() {
		queue("orders").enqueue("1").node("shop-1");
		this.browser.open(this.base);
		long before = height("header");
		this.browser.open(this.base + "/queues/orders/jobs/1");
		this.browser.awaitText(".crumbs", "orders");
		assertThat(height("header")).isEqualTo(before);
		assertThat((long) this.browser
			.script("return Math.round(document.querySelector('.crumbs a').getBoundingClientRect().height)"))
			.isGreaterThanOrEqualTo(24);
	}

	@Test
	void whereTheLocalTimeIsUtcThereIsNothingToSwitch() {
		this.browser.timezone("UTC");
		queue("orders").node("shop-1");
		this.browser.open(this.base);
		assertThat(this.browser.find("#clock").getTagName()).isEqualTo("span");
		this.browser.timezone("Europe/London");
		this.browser.open(this.base + "/audit");
		assertThat(this.browser.find("#clock").getTagName()).isEqualTo("button");
	}

	@Test
	void idleThreadsAreOneLine() {
		queue("orders").busy("42").node("shop-1", 6, "42");
		this.browser.open(this.base);
		this.browser.awaitText(".threads .busy", "42");
		this.browser.awaitText(".threads .idle", "5 idle threads");
		assertThat(this.browser.all(".threads li")).hasSize(2);
	}

	@Test
	void scoreAndStateAreShownWhereTheyHelp() {
		queue("orders").node("shop-1")
			.fail("failed")
			.enqueue("one", "two")
			.enqueue((id) -> new NewPayload(id, "[2]".getBytes(), 17.0, null, 0), "two");
		assertThat(ofJob("one")).doesNotContain("score", "State");
		assertThat(ofJob("two")).contains("score 17").doesNotContain("State");
		assertThat(ofJob("failed")).contains("State", "attempt 2").doesNotContain("score");
	}

	private String ofJob(String id) {
		this.browser.open(this.base + "/queues/orders/jobs/" + id);
		return this.browser.find("section[data-state=queued]").getText();
	}

	@Test
	void withoutJobsNoNodeIsNoDanger() {
		queue("orders");
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=NO_NODES].warning", "No node is running, and no job is waiting.");
	}

	private List<WebElement> shown(String selector) {
		return this.browser.all(selector).stream().filter(WebElement::isDisplayed).toList();
	}

	private long height(String selector) {
		return ((Number) this.browser
			.script("return Math.round(document.querySelector(arguments[0]).getBoundingClientRect().height)", selector))
			.longValue();
	}

	private Object isVisible(String selector) {
		return this.browser.script("""
				const box = document.querySelector(arguments[0]).getBoundingClientRect();
				return box.left >= 0 && box.right <= document.documentElement.clientWidth""", selector);
	}

}
