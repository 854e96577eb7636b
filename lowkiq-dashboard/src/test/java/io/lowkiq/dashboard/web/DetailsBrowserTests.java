package io.lowkiq.dashboard.web;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.dashboard.api.DashboardApi;
import io.lowkiq.dashboard.history.DashboardKeys;
import io.lowkiq.dashboard.history.HistoryLog;
import io.lowkiq.dashboard.history.PerformCounts;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.WebElement;

import static org.assertj.core.api.Assertions.assertThat;

/** What the page shows of very much, of too little, and of what happens elsewhere. */
class DetailsBrowserTests extends PageInBrowser {

	@Test
	void moreThanAHundredPayloadsAreShownOnDemand() {
		TestQueue queue = queue("orders").node("shop-1");
		for (int i = 0; i < 130; i++) {
			String payload = "[%d]".formatted(i);
			long score = i;
			queue.enqueue((id) -> new NewPayload(id, payload.getBytes(), (double) score, null, 0), "42");
		}
		this.browser.open(this.base + "/queues/orders/jobs/42");
		this.browser.await("a hundred", () -> this.browser.all(".payload").size() == 100);
		this.browser.awaitText("section[data-state=queued]", "and 30 more payloads");
		this.browser.click("[data-action=more-payloads]");
		this.browser.await("all", () -> this.browser.all(".payload").size() == 130);
		assertThat(this.browser.all("[data-action=more-payloads]")).isEmpty();
	}

	@Test
	void longListsOfShardsAndQueuesOfANodeAreFolded() {
		this.application.queue("orders", 3).node("shop-1");
		this.browser.open(this.base);
		intercept("/overview",
				"""
						async (call, url, options, original) => {
							const overview = await (await original(url, options)).json();
							const even = Array.from({ length: 200 }, (each, place) => 2 * place);
							overview.nodes[0].shards = window.many ? Array.from({ length: 209 }, (each, place) => ({ queue: `q${place}`, shards: [0, 1] }))
								: [{ queue: "orders", shards: even }];
							return window.json(overview);
						}""");
		this.browser.awaitText(".owned summary", "200 shards");
		assertThat(this.browser.find("#nodes").getText()).doesNotContain("0, 2, 4");
		this.browser.click(".owned summary");
		this.browser.awaitText(".owned", "0, 2, 4");
		this.browser.script("window.many = true");
		this.browser.awaitText("details.owned summary", "209 queues, 418 shards");
		this.browser.awaitThat(() -> assertThat(this.browser.find("#nodes").getText()).doesNotContain("q208"));
		see("many-queues-of-a-node");
	}

	@Test
	void troubleIsInTheTitleOfEveryPage() {
		this.application.queue("served", 1).node("shop-1");
		this.browser.open(this.base + "/audit");
		this.browser.awaitThat(() -> assertThat(title()).isEqualTo("Audit · Lowkiq"));
		queue("orders").enqueue("42");
		this.browser.awaitThat(() -> assertThat(title()).isEqualTo("(!) Audit · Lowkiq"));
		assertThat(this.browser.script("return document.querySelector('link[rel=icon]').href")).asString()
			.endsWith("icon-trouble.svg");
		this.application.bean(RedisStore.class)
			.nodes()
			.join("other", new NodeInfo("shop-2", 1, Duration.ofHours(1), Set.of(), false));
		this.application.queue("orders", 5).node("shop-2");
		this.browser.awaitThat(() -> assertThat(title()).isEqualTo("Audit · Lowkiq"));
	}

	private Object title() {
		return this.browser.script("return document.title");
	}

	@Test
	void aFailingQueueLooksOtherThanAPausedOne() {
		this.application.bean(DashboardApi.class).loop().close();
		HistoryLog.Sample nothing = new HistoryLog.Sample(System.currentTimeMillis() - 60_000, 0, 0, 0, 0, 0,
				PerformCounts.NONE);
		new HistoryLog(new DashboardKeys(this.application.bean(RedisStore.class)))
			.write(Map.of("orders", nothing, "mails", nothing));
		queue("orders").fail(TestQueue.ids("", 12)).node("shop-1");
		queue("mails").node("shop-2");
		pause("mails");
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=ERROR_BURST].danger",
				"Queue orders: 12 of the last 12 runs have failed.");
		this.browser.awaitThat(() -> assertThat(badges()).containsExactly("failing", "paused"));
		// Not by colour alone
		assertThat(this.browser.script(
				"return [...document.querySelectorAll('.queues .badge')].map((each) => getComputedStyle(each, '::before').content[1])"))
			.isEqualTo(List.of("!", "❚"));
		see("failing-and-paused");
	}

	private List<String> badges() {
		return this.browser.all(".queues .badge")
			.stream()
			.map(WebElement::getText)
			.map((text) -> text.replaceAll("[^a-z]", ""))
			.toList();
	}

	@Test
	void whatIsFoundIsShownWhileTheSearchGoesOn() {
		queue("orders").enqueue("42", "43");
		this.browser.open(this.base);
		intercept("/jobs?state=due",
				"""
						(call, url, options, original) => call === 1
							? original(url, options).then((response) => response.json()).then((page) => window.json({ ...page, next: "more" }))
							: new Promise((resolve) => { window.release = () => resolve(window.json({ now: Date.now(), jobs: [], next: null, kind: null })); })""");
		this.browser.click(".queues tbody th a");
		this.browser.awaitText("#list-note", "2 shown, more to come");
		assertThat(jobIds()).containsExactlyInAnyOrder("42", "43");
		this.browser.script("window.release()");
		this.browser.awaitText("#list-note", "Jobs 1 to 2, as of");
	}

	@Test
	void groupsThatAreNotCompleteSaySoOnTheirButtons() {
		queue("orders").buryWith("a.B: boom", TestQueue.ids("", 3));
		this.browser.open(this.base);
		awaitErrors();
		intercept("/errors",
				"""
						async (call, url, options, original) => {
							const errors = await (await original(url, options)).json();
							return window.json({ ...errors, complete: false, groups: errors.groups.map((group) => ({ ...group, complete: false })) });
						}""");
		click(".menu a", "Errors");
		this.browser.awaitText(".group-counts a", "≥ 3 dead");
		this.browser.awaitText(".group [data-action=re-enqueue]", "Retry ≥ 3 dead");
	}

}
