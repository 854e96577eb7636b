package io.lowkiq.dashboard.web;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lowkiq.QueueDeclaration;
import io.lowkiq.RateLimit;
import io.lowkiq.admin.GroupLimits;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** Groups of a queue, looked at and changed. */
class GroupsBrowserTests extends PageInBrowser {

	private TestQueue sync() {
		TestQueue queue = new TestQueue(this.application.bean(RedisStore.class), new QueueDeclaration("sync", 2, ":"))
			.node("shop-1");
		report(queue, "\"waiting\":{\"hooli\":4000000000000}");
		return queue.enqueue("acme:1", "acme:2", "acme:3", "globex:1", "globex:2", "hooli:1", "none")
			.distribute(":", "globex", "hooli");
	}

	private void report(TestQueue queue, String settings) {
		this.application.bean(RedisStore.class).nodes().report(queue.session(), """
				{"threadCount":1,"threads":[{"name":"t","queue":"sync","ids":["acme:0"]}],
				"queues":{"sync":{"groups":{"separator":":",%s}}}}""".formatted(settings));
	}

	private List<String> cells(String column) {
		return this.browser.all(".groups-of-queue tbody [data-label='%s']".formatted(column))
			.stream()
			.map(WebElement::getText)
			.toList();
	}

	private void type(String field, String value) {
		WebElement input = this.browser.find("#group-" + field);
		input.clear();
		input.sendKeys(value);
	}

	private GroupOverride settings(String group) {
		return this.application.bean(LowkiqAdmin.class).group("sync", group).settings();
	}

	@Test
	void groupsArePausedLimitedAndReset() {
		sync();
		this.browser.open(this.base + "/queues/sync");
		this.browser.awaitThat(() -> assertThat(tabs()).contains("Groups"));
		click(".tabs a", "Groups");
		this.browser.awaitThat(
				() -> assertThat(cells("Group")).containsExactly("acme", "globex", "ids without a group", "hooli"));
		assertThat(cells("Waiting")).containsExactly("3", "2", "1", "1");
		assertThat(cells("Running")).containsExactly("1", "0", "0", "0");
		assertThat(cells("State and limits").get(0)).isEmpty();
		assertThat(cells("State and limits").get(1)).isEqualTo("full");
		assertThat(cells("State and limits").get(3)).startsWith("waits until 2096-10-02");
		assertThat(this.browser.all("[aria-label='Pause: ']")).isEmpty();

		this.browser.click("[aria-label='Pause: acme']");
		this.browser.awaitText(".toast", "The group was paused.");
		this.browser.awaitThat(() -> assertThat(cells("State and limits").get(0)).startsWith("paused by unknown"));
		assertThat(settings("acme").pause()).isNotNull();
		this.browser.click("[aria-label='Resume: acme']");
		this.browser.awaitThat(() -> assertThat(cells("State and limits").get(0)).isEmpty());
		assertThat(settings("acme").pause()).isNull();

		this.browser.click("[aria-label='Change: acme']");
		type("concurrency", "5");
		type("starts", "20");
		type("seconds", "0.5");
		assertThat(this.browser.accessibilityProblems()).isEmpty();
		this.browser.screenshot("group-dialog");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitThat(() -> assertThat(cells("State and limits").get(0)).contains("at most 5 running",
				"at most 20 starts in 500 ms"));
		assertThat(settings("acme").concurrency()).extracting(Change::value).isEqualTo(5);
		assertThat(settings("acme").rate()).extracting(Change::value)
			.isEqualTo(new RateLimit(20, Duration.ofMillis(500)));
		assertThat(settings("acme").weight()).as("an empty field").isNull();
		this.browser.click("[aria-label='Pause: globex']");
		this.browser.awaitThat(() -> assertThat(cells("State and limits").get(1)).startsWith("paused"));
		see("groups");
		this.browser.await("no notice is in the way", () -> this.browser.all(".toast").isEmpty());
		this.browser.click("#curl");
		this.browser.awaitText("dialog .curls", "{\"action\":\"rate\",\"value\":20,\"period\":500,\"group\":\"acme\"}");
		click("dialog button", "Close");

		this.browser.click("[aria-label='Reset: acme']");
		this.browser.awaitText("dialog", "All that was set for group acme is removed");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitThat(() -> assertThat(cells("State and limits").get(0)).isEmpty());
		assertThat(settings("acme")).isEqualTo(GroupOverride.NONE);
		this.browser.all(".groups-of-queue tbody th a").get(0).click();
		this.browser.awaitThat(() -> assertThat(jobIds()).containsExactlyInAnyOrder("acme:1", "acme:2", "acme:3"));
	}

	@Test
	void jobsThatWereNotGivenToTheirGroupsCount() {
		TestQueue queue = sync().enqueue("acme:4", "umbrella:1");
		this.browser.open(this.base + "/queues/sync?view=groups");
		this.browser.awaitThat(() -> assertThat(cells("Group")).containsExactly("acme", "globex", "ids without a group",
				"hooli", "umbrella"));
		assertThat(cells("Waiting")).containsExactly("4", "2", "1", "1", "1");
		assertThat(this.browser.all("#undivided")).isEmpty();

		queue.enqueue(TestQueue.ids("globex:more-", 2_000));
		this.browser.awaitText("#undivided", "1,002 due jobs not yet divided among the groups.");
		assertThat(cells("Waiting")).startsWith("≥ 1,000", "≥ 4");
		see("groups-flooded");
	}

	@Test
	void limitsOfTheApplicationAreAboveTheGroups() {
		TestQueue first = new TestQueue(this.application.bean(RedisStore.class), new QueueDeclaration("sync", 2, ":"))
			.node("shop-1");
		this.browser.open(this.base + "/queues/sync?view=groups");
		this.browser.awaitText("main .empty", "No group has waiting or running jobs");
		assertThat(this.browser.all(".group-limits")).as("no node has groups").isEmpty();

		report(first, "\"maxShare\":100");
		awaitLimits("No limits of the application");
		report(first, "\"concurrency\":1000,\"rate\":\"100/s, burst 20\",\"maxShare\":80");
		awaitLimits("Each group: 1,000 at a time, 100/s, burst 20; at most 80 % of a node's threads");
		report(first, "\"rate\":\"100/s\"");
		awaitLimits("Each group: 100/s");
		report(first, "\"maxShare\":80");
		awaitLimits("Each group: at most 80 % of a node's threads");

		TestQueue second = queue("other").node("shop-2");
		report(second, "\"maxShare\":100");
		awaitLimits("The nodes differ, as in a deploy. Each group: at most 80 % of a node's threads, or: no limits");
	}

	private void awaitLimits(String text) {
		this.browser.awaitThat(() -> assertThat(this.browser.find(".group-limits").getText()).isEqualTo(text));
	}

	@Test
	void queueWithoutGroupsHasNoTabForThem() {
		queue("orders").node("shop-1").enqueue("1");
		this.browser.open(this.base + "/queues/orders");
		this.browser.await("its job", () -> jobIds().size() == 1);
		assertThat(tabs()).contains("Shards 5").doesNotContain("Groups");
		assertThat(
				this.browser.script("return performance.getEntriesByType('resource').map((each) => each.name).join()")
					.toString())
			.contains("queue.js")
			.doesNotContain("groups");
	}

	@Test
	void groupsWhoseIdsAreSpreadHaveOnlyAWeight() {
		this.application.queue("sync", 2).node("shop-1").enqueue("acme:1").distribute(":");
		this.browser.open(this.base + "/queues/sync?view=groups");
		this.browser.click("[aria-label='Change: acme']");
		this.browser.awaitText("dialog", "the ids of a group are spread over all shards");
		assertThat(this.browser.find("dialog").findElements(By.tagName("input"))).hasSize(1);
		type("weight", "7");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitThat(() -> assertThat(cells("State and limits").get(0)).startsWith("weight 7 by unknown"));
	}

	@Test
	void anyGroupIsFoundAndSettingsComeInPages() {
		report(sync(), "\"running\":{\"globex\":{\"jobs\":3},\"hooli\":{\"jobs\":9}}");
		LowkiqAdmin admin = this.application.bean(LowkiqAdmin.class);
		admin.limitGroups("sync",
				IntStream.range(0, 51)
					.boxed()
					.collect(Collectors.toMap("set-%02d"::formatted, (i) -> new GroupLimits(1, null, null))));
		this.browser.open(this.base + "/queues/sync?view=groups&show=running");
		this.browser.awaitThat(() -> assertThat(cells("Group")).containsExactly("hooli", "globex"));
		assertThat(cells("Running")).containsExactly("9", "3");
		click("nav[aria-label=Groups] a", "With settings 51");
		this.browser.awaitThat(() -> assertThat(cells("Group")).hasSize(50).startsWith("set-00"));
		click(".pager a", "Next page ›");
		this.browser.awaitThat(() -> assertThat(cells("Group")).containsExactly("set-50"));
		this.browser.find("#find-group").sendKeys("umbrella:7", Keys.ENTER);
		this.browser.awaitThat(() -> assertThat(cells("Group")).containsExactly("umbrella"));
		see("groups-found");
		this.browser.click("[aria-label='Pause: umbrella']");
		this.browser.awaitThat(() -> assertThat(cells("State and limits").get(0)).startsWith("paused by unknown"));
	}

	@Test
	void groupIsPausedOnThePageOfAJob() {
		sync();
		this.browser.open(this.base + "/queues/sync/jobs?id=acme:1");
		this.browser.click("[aria-label='Pause group: acme']");
		this.browser.awaitText("#why", "Group 'acme' is paused by unknown");
		assertThat(settings("acme").pause()).isNotNull();
		this.browser.click("[aria-label='Resume group: acme']");
		this.browser.await("the group is resumed", () -> settings("acme").pause() == null);
		this.browser.open(this.base + "/queues/sync/jobs?id=none");
		this.browser.await("its buttons", () -> !this.browser.all("[data-action=erase]").isEmpty());
		assertThat(this.browser.all("[data-action=pause-group]")).isEmpty();
	}

	@Test
	void forgottenSettingsAreSetAgainByAPerson() {
		sync();
		LowkiqAdmin admin = this.application.bean(LowkiqAdmin.class);
		admin.group("sync", "acme").pause();
		this.browser.open(this.base + "/queues/sync?view=groups&find=acme");
		this.browser.awaitThat(() -> assertThat(cells("State and limits").get(0)).startsWith("paused"));
		assertThat(this.browser.all("#forgotten-groups")).isEmpty();
		this.application.bean(StringRedisTemplate.class)
			.delete(List.of("lowkiq:{queues}:groups:1:sync", "lowkiq:{queues}:group-changes:1:sync"));
		this.browser.awaitText("#forgotten-groups", "Redis has forgotten what was set for 1 group.");
		this.browser.click("[data-action=restore-groups]");
		this.browser.awaitThat(() -> assertThat(this.browser.all("#forgotten-groups")).isEmpty());
		assertThat(settings("acme").pause()).isNotNull();
	}

	@Test
	void aCustomerWhoLeavesIsErasedInAllQueues() {
		sync();
		this.application.queue("mails", 2).enqueue("acme:7", "8");
		this.application.bean(LowkiqAdmin.class).group("sync", "acme").pause();
		this.browser.open(this.base + "/queues/sync?view=groups&find=acme");
		this.browser.await("the link", () -> !this.browser.all("main a[href*='search?text=acme']").isEmpty());
		this.browser.click("main a[href*='search?text=acme']");
		this.browser.awaitText("#search-note", "4 jobs found");
		this.browser.click("[data-action=erase-prefix]");
		this.browser.awaitText("#affected", "mails: 1 queued; sync: 3 queued, settings of 'acme'.");
		assertThat(this.browser.find("[data-dialog=go]").isEnabled()).isFalse();
		this.browser.find("#confirm-name").sendKeys("acme:");
		see("erase-prefix");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText(".done-text", "5 jobs and settings of groups were erased.");
		this.browser.click("[data-dialog=close]");
		this.browser.awaitText("#search-note", "0 jobs found");
		assertThat(settings("acme")).isEqualTo(GroupOverride.NONE);
		this.browser.open(this.base + "/audit");
		this.browser.awaitText("main", "Erase ids");
		assertThat(this.browser.find("main").getText()).doesNotContain("Pause group");
		click("nav[aria-label='Actions on'] a", "Groups");
		this.browser.awaitText("main", "Pause group");
	}

}
