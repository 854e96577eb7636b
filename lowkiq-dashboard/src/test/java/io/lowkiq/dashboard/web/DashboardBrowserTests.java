package io.lowkiq.dashboard.web;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.dashboard.api.DashboardApi;
import io.lowkiq.dashboard.history.RecordedHistory;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** The page in a real browser, with a real Redis. */
class DashboardBrowserTests extends PageInBrowser {

	private static final String[] HOSTILE = { "<script>window.hacked=1</script>", "<img src=x onerror=window.hacked=1>",
			"\"'`><svg onload=window.hacked=1>", "javascript:window.hacked=1", "../../../etc/passwd", "a%2fb/c?d#e",
			"\u202Eevil\u2066\u200F", "\u0000\u0007\u001B[31m", "{{root}}", "x".repeat(1024) };

	private static final String CHART = "const chart = Chart.getChart(document.querySelector('canvas'));";

	@ParameterizedTest
	@ValueSource(ints = { 0, 60, 100_000 })
	void everyPageShowsAnyNumberOfJobs(int jobs) {
		TestQueue queue = queue("orders");
		if (jobs == 100_000) {
			queue.bury(TestQueue.ids("order-", 60)).fail(TestQueue.ids("order-", 60));
		}
		else if (jobs > 0) {
			queue.bury(TestQueue.ids("order-", jobs)).fail(TestQueue.ids("order-", jobs));
		}
		queue.busy(TestQueue.ids("busy-", Math.min(jobs, 3))).node("shop-1", TestQueue.ids("busy-", Math.min(jobs, 3)));
		queue.enqueue(TestQueue.ids("fresh-", jobs));
		int[] widths = (jobs == 60) ? new int[] { 320, 390, 1200, 1280 } : new int[] { 390, 1280 };
		for (String page : List.of("", "/queues/orders", "/queues/orders?state=scheduled", "/queues/orders?state=busy",
				"/queues/orders?state=dead", "/queues/orders?view=shards", "/queues/orders?view=history",
				"/queues/orders/jobs/order-0", "/running", "/errors", "/search?text=order", "/audit", "/schedules",
				"/sources")) {
			this.browser.size(widths[0], 900).open(this.base + page);
			if (page.contains("?state") || page.endsWith("orders")) {
				this.browser.await("the list",
						() -> !this.browser.all("#jobs tr.job, #jobs .empty:not(:empty)").isEmpty()
								&& !this.browser.find("#jobs").getText().contains("Loading"));
			}
			if (page.isEmpty()) {
				this.browser.awaitText(".queues tbody th", "orders");
			}
			for (int width : widths) {
				this.browser.size(width, 900);
				assertFits();
				assertThat(this.browser.script("const name = document.createRange();"
						+ "name.selectNodeContents(document.querySelector('.brand span'));"
						+ "return name.getClientRects().length"))
					.as("Lines of the product's name on %s at %d", page, width)
					.isEqualTo(1L);
				this.browser.screenshot("%s-%d-jobs-%d".formatted(name(page), jobs, width));
			}
		}
		this.browser.size(1280, 900).open(this.base);
		this.browser.awaitText("[data-total=due]", (jobs == 100_000) ? "100K" : String.valueOf(jobs));
	}

	private static String name(String page) {
		return page.isEmpty() ? "overview" : page.substring(1).replaceAll("[^a-z0-9]+", "-");
	}

	/** As if the history had been written for some time. */
	private void history(int minutes) {
		this.application.bean(DashboardApi.class).loop().close();
		RecordedHistory.write(this.application.bean(StringRedisTemplate.class), "orders", minutes);
	}

	@ParameterizedTest
	@CsvSource({ "1, 0, 0", "2, 1, 3", "7, 6, 0" })
	void theChartShowsAHistoryThatHasJustBegun(int minutes, int points, int radius) {
		queue("orders");
		history(minutes);
		for (int width : new int[] { 1280, 390 }) {
			this.browser.size(width, 900).open(this.base);
			this.browser.await("the chart",
					() -> Boolean.TRUE.equals(this.browser.script(CHART + "return Boolean(chart)")));
			this.browser.awaitThat(
					() -> assertThat(this.browser.all(".chart-none").get(0).isDisplayed()).isEqualTo(points == 0));
			this.browser
				.awaitThat(() -> assertThat(this.browser.script(CHART + "return chart.data.datasets[0].data.length"))
					.isEqualTo((long) points));
			this.browser.awaitThat(() -> assertThat(this.browser.script(CHART
					+ "return chart.getDatasetMeta(0).data.every((point) => point.options.radius === arguments[0])",
					radius))
				.isEqualTo(true));
			this.browser.awaitThat(() -> assertThat(
					((Number) this.browser.script(CHART + "return chart.scales.x.ticks.length")).intValue())
				.isBetween(1, 7));
			this.browser.screenshot("history-%d-%d".formatted(minutes, width));
		}
	}

	@Test
	void picturesOfTheDocumentation() {
		history(100);
		TestQueue orders = queue("orders").bury(TestQueue.ids("2026-004", 3))
			.fail(TestQueue.ids("2026-11", 9))
			.hold("2026-7")
			.done(TestQueue.ids("done-", 800))
			.busy("2026-4711", "2026-4712")
			.node("shop-1.example.com", "2026-4711", "2026-4712")
			.enqueue(TestQueue.ids("2026-5", 240));
		TestQueue invoices = this.application.queue("invoices", 8)
			.fail("A-77")
			.done(TestQueue.ids("done-", 300))
			.busy("A-81")
			.node("shop-2.example.com", "A-81");
		this.application.queue("mails", 5).enqueue(TestQueue.ids("order-", 12));
		TestQueue stock = this.application.queue("stock.levels", 3)
			.done(TestQueue.ids("done-", 500))
			.node("shop-3.example.com");
		report(orders, "2026-4711", "2026-4712");
		report(invoices, "A-81");
		report(stock);
		this.browser.open(this.base);
		this.browser.awaitText(".queues tbody th", "stock.levels");
		this.browser.await("the chart", () -> !this.browser.find(".card-head p").getText().isEmpty());
		this.browser.awaitText("#problems [data-kind=DEAD]", "3 jobs died");
		this.browser.screenshot("dashboard-overview");
		this.browser.size(1280, 720).open(this.base + "/queues/orders?state=dead");
		this.browser.click("tr.job .toggle button");
		this.browser.screenshot("dashboard-queue");
		this.browser.open(this.base + "/queues/orders/jobs/2026-112");
		this.browser.awaitText("#why", "attempt 2");
		this.browser.click(".error-block summary");
		this.browser.screenshot("dashboard-job");
	}

	/** As a node does: with the time of the report. */
	private void report(TestQueue queue, String... performed) {
		Instant now = Instant.now();
		String threads = Stream.concat(Arrays.stream(performed)
			.map((id) -> "{\"name\":\"lowkiq-perform-%s\",\"queue\":\"%s\",\"shard\":%d,\"ids\":[\"%s\"],\"since\":%d}"
				.formatted(id.charAt(id.length() - 1), queue.layout().name(), queue.layout().shardOf(id).index(), id,
						now.minusSeconds(3).toEpochMilli())),
				Stream.of("{\"name\":\"lowkiq-perform-0\",\"ids\":[],\"since\":%d}".formatted(now.toEpochMilli())))
			.collect(Collectors.joining(","));
		this.application.bean(RedisStore.class)
			.nodes()
			.report(queue.session(), "{\"reportedAt\":%d,\"threadCount\":%d,\"threads\":[%s]}"
				.formatted(now.toEpochMilli(), performed.length + 1, threads));
	}

	@Test
	void darkPagesAreReadableToo() {
		queue("orders").fail("1").bury("2").node("shop-1").enqueue("3");
		this.browser.dark(true);
		for (String page : List.of("", "/queues/orders?state=dead", "/queues/orders/jobs/1")) {
			this.browser.open(this.base + page);
			this.browser.await("the data", () -> !this.browser.all("tr.job, .queues td, .states .card").isEmpty());
			assertThat(this.browser.accessibilityProblems()).isEmpty();
			this.browser.screenshot("dark-" + name(page));
		}
		this.browser.click("#theme");
		this.browser.awaitThat(() -> assertThat(this.browser.script("return document.documentElement.dataset.theme"))
			.isEqualTo("light"));
		assertThat(this.browser.accessibilityProblems()).isEmpty();
		this.browser.script("localStorage.clear()");
	}

	@Test
	void theOverviewUpdatesItself() {
		TestQueue queue = queue("orders");
		this.browser.open(this.base);
		this.browser.awaitText("[data-total=enqueued]", "0");
		queue.enqueue(TestQueue.ids("", 17));
		this.browser.awaitText("[data-total=enqueued]", "17");
		this.browser.awaitText(".queues td", "17");
	}

	@Test
	void theFirstListOfAnEmptyQueueIsChosenAgain() {
		TestQueue queue = queue("orders");
		this.browser.open(this.base + "/queues/orders");
		this.browser.awaitText("#jobs", "No jobs are due.");
		queue.fail("1", "2");
		this.browser.await("two jobs", () -> this.browser.all("tr.job").size() == 2);
		this.browser.awaitText(".tabs [aria-current]", "Scheduled");
	}

	@Test
	void queuesAreSortedAndFilteredByName() {
		queue("orders").enqueue(TestQueue.ids("", 5));
		queue("invoices").enqueue(TestQueue.ids("", 9));
		queue("customers");
		this.browser.open(this.base);
		this.browser.await("queues", () -> this.browser.all(".queues tbody tr").size() == 3);
		// Queues with jobs first
		this.browser.awaitThat(() -> assertThat(queueNames()).containsExactly("invoices", "orders", "customers"));
		this.browser.find(".queues th:nth-child(3) button").sendKeys(Keys.ENTER);
		this.browser.awaitThat(() -> assertThat(queueNames()).containsExactly("invoices", "orders", "customers"));
		this.browser
			.awaitThat(() -> assertThat(this.browser.find(".queues th:nth-child(3)").getDomAttribute("aria-sort"))
				.isEqualTo("descending"));
		this.browser.find("#queue-filter").sendKeys("ord");
		this.browser.await("one queue", () -> this.browser.all(".queues tbody tr").size() == 1);
		this.browser.find(".queues td:nth-child(3) a").click();
		this.browser.awaitText("h1", "orders");
		this.browser.awaitThat(() -> assertThat(this.browser.url()).endsWith("/lowkiq/queues/orders?state=queued"));
	}

	@Test
	void pagesLeadThroughAllJobs() {
		queue("orders").enqueue(TestQueue.ids("order-", 120));
		this.browser.open(this.base + "/queues/orders");
		List<String> seen = new ArrayList<>();
		for (int page = 1; page <= 3; page++) {
			this.browser.awaitText("#list-note", "Jobs " + ((page - 1) * 50 + 1) + " to " + Math.min(page * 50, 120));
			this.browser.all("tr.job").forEach((row) -> seen.add(row.getDomAttribute("data-id")));
			if (page < 3) {
				this.browser.all(".pager a")
					.stream()
					.filter((a) -> a.getText().contains("Next"))
					.findFirst()
					.orElseThrow()
					.click();
			}
		}
		assertThat(seen).hasSize(120).doesNotHaveDuplicates();
		this.browser.awaitThat(() -> assertThat(this.browser.all(".pager a")).hasSize(1));
	}

	@Test
	void idsAreFoundExactlyAndByPrefix() {
		queue("orders").enqueue(TestQueue.ids("order-", 30));
		this.browser.open(this.base + "/queues/orders");
		this.browser.find("#id-mode").sendKeys("begins with");
		this.browser.find("#id-filter").sendKeys("order-2" + Keys.ENTER);
		this.browser.await("11 jobs", () -> this.browser.all("tr.job").size() == 11);
		this.browser.find("#id-filter").clear();
		this.browser.find("#id-filter").sendKeys("order-7");
		// A choice applies at once
		this.browser.find("#id-mode").sendKeys("is exactly");
		this.browser.awaitText("h1", "order-7");
		this.browser.awaitText("#why", "no owner");
	}

	@Test
	void tabsShowTheListsOfAQueue() {
		queue("orders").bury("dead").fail("failed").busy("busy").node("shop-1", "busy").enqueue("ready");
		this.browser.open(this.base + "/queues/orders");
		this.browser.await("the ready one", () -> jobIds().equals(List.of("ready")));
		this.browser.awaitThat(() -> assertThat(tabs()).containsExactly("Due 1", "Scheduled 1", "Retries 1",
				"All enqueued 2", "Busy 1", "Dead 1", "Shards 5", "History", "Errors"));
		for (String list : List.of("Scheduled 1:failed", "Retries 1:failed", "Busy 1:busy", "Dead 1:dead")) {
			String[] parts = list.split(":");
			click(".tabs a", parts[0]);
			this.browser.await(list, () -> jobIds().equals(List.of(parts[1])));
			this.browser
				.awaitThat(() -> assertThat(this.browser.find(".tabs [aria-current]").getText()).isEqualTo(parts[0]));
		}
	}

	@Test
	void aQueueWhoseJobsAllWaitShowsThem() {
		queue("orders").fail("42");
		this.browser.open(this.base);
		this.browser.awaitText(".queues td", "1");
		this.browser.click(".queues tbody th a");
		this.browser.await("the delayed one", () -> jobIds().equals(List.of("42")));
		this.browser
			.awaitThat(() -> assertThat(this.browser.find(".tabs [aria-current]").getText()).isEqualTo("Scheduled 1"));
	}

	@Test
	void suspectsHaveATabWhereThereAreAny() {
		queue("orders").exhaustMemory("42");
		this.browser.open(this.base + "/queues/orders?state=suspects");
		this.browser.await("the suspect", () -> jobIds().equals(List.of("42")));
		this.browser.awaitThat(() -> assertThat(tabs()).contains("Suspects 1"));
	}

	@Test
	void listsAreReversed() {
		queue("orders").fail("first");
		queue("orders").fail("second");
		this.browser.open(this.base + "/queues/orders?state=scheduled");
		this.browser.await("in their order", () -> jobIds().equals(List.of("first", "second")));
		this.browser.find("#direction").sendKeys("latest first");
		this.browser.await("reversed", () -> jobIds().equals(List.of("second", "first")));
	}

	@Test
	void aSearchGoesOnThroughALongList() {
		queue("orders").enqueue(TestQueue.ids("other-", 20_000)).enqueue("wanted");
		this.browser.open(this.base + "/queues/orders");
		this.browser.find("#id-mode").sendKeys("begins with");
		this.browser.find("#id-filter").sendKeys("want" + Keys.ENTER);
		this.browser.await("the one", () -> jobIds().equals(List.of("wanted")));
	}

	@Test
	void tellsWhyOrder42IsStuckAndMendsIt() {
		queue("orders").fail("42").node("shop-1");
		this.browser.open(this.base + "/queues/orders/jobs/42");
		this.browser.awaitText("#why", "It failed and waits for attempt 2 at 2");
		assertThat(this.browser.all(".error-block details[open]")).isEmpty();
		this.browser.click(".error-block summary");
		this.browser.awaitText(".error-block pre", "OrderWorker.java:42");
		this.browser.screenshot("stuck");
		this.browser.click("[data-action=perform-now]");
		this.browser.awaitText(".toast", "1 job was made due now.");
		this.browser.awaitText("#why", "It is next in shard");
	}

	@Test
	void theFirstPayloadOfAJobOnHoldIsEditedByKeyboard() {
		TestQueue queue = queue("orders").hold("42").enqueue((id) -> NewPayload.of(id, "[7]".getBytes()), "42");
		this.browser.open(this.base + "/queues/orders/jobs/42");
		this.browser.find("[data-action=edit]").sendKeys(Keys.ENTER);
		this.browser.find("dialog[open] textarea");
		this.browser.awaitThat(
				() -> assertThat(this.browser.script("return document.activeElement.id")).isEqualTo("payload-text"));
		assertThat(this.browser.accessibilityProblems()).isEmpty();
		this.browser.screenshot("edit");
		this.browser.find("textarea").sendKeys("x" + Keys.TAB + Keys.TAB + Keys.ENTER);
		this.browser.awaitText("#edit-problem", "This is not valid JSON");
		this.browser.screenshot("edit-invalid");
		assertThat(this.browser.accessibilityProblems()).isEmpty();
		type("{\"order\": \"changed\"}");
		this.browser.find("textarea").sendKeys(Keys.TAB, Keys.TAB, Keys.ENTER);
		this.browser.awaitText(".toast", "The first payload was saved.");
		this.browser.awaitText(".payload pre", "\"order\": \"changed\"");
		this.browser.awaitText("#why", "on hold");
		assertThat(this.browser.all("dialog")).isEmpty();
		this.browser.click("[data-action=edit]");
		this.browser.find("dialog[open] textarea");
		this.application.bean(RedisStore.class)
			.actions()
			.editHeld(queue.layout().shardOf("42"), "42", "{\"order\":\"changed\"}".getBytes(), "{}".getBytes());
		type("{\"order\": \"mine\"}");
		this.browser.click("[data-dialog=save]");
		this.browser.awaitText("#edit-problem", "Its first payload has changed. Nothing was saved.");
		assertThat(this.browser.problems()).singleElement().asString().contains("409");
		this.browser.size(390, 844).screenshot("edit-phone");
		assertFits();
		this.browser.find("dialog").sendKeys(Keys.ESCAPE);
		this.browser.await("the dialog is gone", () -> this.browser.all("dialog").isEmpty());
		this.browser.awaitText(".payload pre", "{");
	}

	/** Replaces what is in the text area. */
	private void type(String text) {
		this.browser.find("textarea").sendKeys(Keys.chord(Keys.CONTROL, "a"), text);
	}

	@ParameterizedTest
	@CsvSource({ "perform-all-now, queued, 5 jobs were made due now., 5, 0",
			"kill-all-failed, queued, 5 jobs were moved to Dead., 0, 9",
			"delete-all-failed, queued, 5 jobs were deleted., 0, 4",
			"re-enqueue-all-dead, dead, 4 jobs were enqueued again., 9, 0",
			"delete-all-dead, dead, 4 jobs were deleted., 5, 0" })
	void longActionsAskAndTellWhatTheyDid(String action, String state, String message, int enqueued, int dead) {
		queue("orders").bury(TestQueue.ids("dead-", 4)).fail(TestQueue.ids("failed-", 5));
		this.browser.open(this.base + "/queues/orders?state=" + state);
		this.browser.click(".bulk [data-action=" + action + "]");
		this.browser.find("dialog[open]");
		this.browser.awaitThat(() -> assertThat(this.browser.script("return document.activeElement.dataset.dialog"))
			.isEqualTo("cancel"));
		assertThat(this.browser.accessibilityProblems()).isEmpty();
		this.browser.screenshot("dialog-" + action);
		this.browser.find("dialog").sendKeys(Keys.ESCAPE);
		this.browser.await("the dialog is gone", () -> this.browser.all("dialog").isEmpty());
		assertThat(Http.on(this.application.port())
			.get("/lowkiq/api/v1/queues/orders")
			.json()
			.at("/queue/counts/enqueued")
			.asInt()).isEqualTo(5);
		this.browser.click(".bulk [data-action=" + action + "]");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText("dialog .done-text", message);
		this.browser.screenshot("done-" + action);
		this.browser.click("[data-dialog=close]");
		this.browser.awaitText("[data-total=enqueued]", String.valueOf(enqueued));
		if (!action.equals("perform-all-now")) {
			this.browser.awaitText("[data-total=dead]", String.valueOf(dead));
		}
	}

	@Test
	void longActionsShowTheirProgressAndCanBeStopped() {
		TestQueue queue = this.application.queue("orders", 20).bury(TestQueue.ids("", 100_000));
		GatedActions gate = this.application.bean(GatedActions.class);
		gate.close(3);
		this.browser.open(this.base + "/queues/orders?state=dead");
		this.browser.click("[data-action=delete-all-dead]");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText("dialog .progress", "3,000 of about 100,000 done");
		this.browser.awaitThat(
				() -> assertThat(this.browser.script("return document.querySelector('dialog progress').position"))
					.isEqualTo(0.03));
		assertThat(this.browser.accessibilityProblems()).isEmpty();
		this.browser.screenshot("progress");
		this.browser.click("[data-dialog=stop]");
		this.browser.awaitText("[data-dialog=stop]", "Stopping…");
		assertThat(dead(queue)).isEqualTo(97_000);
		gate.open();
		// The step that was under way is finished
		this.browser.awaitText("dialog .done-text", "Stopped. 4,000 jobs were deleted.");
		this.browser.awaitThat(
				() -> assertThat(this.browser.script("return document.querySelector('dialog progress').position"))
					.isEqualTo(0.04));
		this.browser.screenshot("stopped");
		this.browser.click("[data-dialog=close]");
		this.browser.awaitText("[data-total=dead]", "96,000");
		assertThat(dead(queue)).isEqualTo(96_000);
		this.browser.click("[data-action=delete-all-dead]");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText("dialog .done-text", "96,000 jobs were deleted.");
	}

	@Test
	void actionsGoOnInTheBackgroundAndAreFoundAgain() {
		queue("orders").fail(TestQueue.ids("", 6_000));
		GatedActions gate = this.application.bean(GatedActions.class);
		gate.close(1);
		this.browser.open(this.base + "/queues/orders?state=retries");
		this.browser.click("[data-action=delete-all-failed]");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText("dialog .progress", "1,000 of about 6,000 done");
		this.browser.find("dialog").sendKeys(Keys.ESCAPE);
		this.browser.await("the dialog is gone", () -> this.browser.all("dialog").isEmpty());
		this.browser.click("[data-action=delete-all-failed]");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText("dialog .progress", "1,000 of about 6,000 done");
		gate.open();
		this.browser.awaitText("dialog .done-text", "6,000 jobs were deleted.");
	}

	@Test
	void selectedJobsAreMended() {
		assertMended("perform-now", "delayed", false, "2 jobs were made due now.");
		assertMended("delete", "retries", true, "2 jobs were deleted.");
		assertMended("re-enqueue", "dead", false, "2 jobs were enqueued again.");
		assertMended("delete-dead", "dead", true, "2 jobs were deleted.");
	}

	private void assertMended(String action, String state, boolean isConfirmed, String message) {
		queue(action).bury(TestQueue.ids("dead-", 3)).fail(TestQueue.ids("failed-", 3));
		this.browser.open(this.base + "/queues/" + action + "?state=" + state);
		this.browser.await("jobs", () -> this.browser.all("tr.job").size() == 3);
		this.browser.all("tr.job input").subList(0, 2).forEach(WebElement::click);
		this.browser.awaitText(".selection", "2 selected");
		this.browser.click(".selection [data-action=" + action + "]");
		if (isConfirmed) {
			this.browser.click("[data-dialog=go]");
			this.browser.awaitText("dialog .done-text", message);
			this.browser.click("[data-dialog=close]");
		}
		else {
			this.browser.awaitText(".toast", message);
		}
	}

	@Test
	void aQueueIsPausedAndResumedByKeyboard() {
		queue("orders").enqueue("1");
		this.browser.open(this.base + "/queues/orders");
		this.browser.find("[data-action=pause]").sendKeys(Keys.ENTER);
		this.browser.awaitText(".badge", "paused");
		this.browser.find("[data-action=resume]").sendKeys(Keys.SPACE);
		this.browser.awaitText(".toast", "was resumed");
	}

	@Test
	void withoutActionsThereAreNoButtons() {
		queue("orders").bury("1").enqueue("2");
		this.browser.leave();
		this.application.close();
		this.application = application(false);
		this.browser.open("http://127.0.0.1:" + this.application.port() + "/lowkiq/queues/orders?state=dead");
		this.browser.find("tr.job");
		this.browser.awaitText("#mode", "read-only");
		assertThat(this.browser.all("[data-action], tr.job input")).isEmpty();
	}

	@Test
	void hostileTextIsHarmless() {
		for (int i = 0; i < HOSTILE.length; i++) {
			String hostile = HOSTILE[i];
			String payload = "{\"text\":\"" + hostile.replace("\\", "\\\\").replace("\"", "\\\"") + "\"}";
			TestQueue queue = queue("orders-" + i);
			queue.enqueue((id) -> NewPayload.of(id, payload.getBytes(StandardCharsets.UTF_8)), hostile);
			queue.enqueue((id) -> NewPayload.of(id, hostile.getBytes(StandardCharsets.UTF_8)), hostile);
			String page = this.base + "/queues/orders-" + i;
			this.browser.open(page);
			this.browser.click("tr.job .toggle button");
			this.browser.find(".payload pre");
			String shown = (String) this.browser.script("return document.querySelector('.payload pre').textContent");
			assertThat(shown).doesNotContain("\u202E", "\u0000");
			this.browser.find("tr.job th a").click();
			this.browser.find(".states .payload pre");
			this.browser.awaitThat(() -> assertThat(this.browser.url()).startsWith(page + "/jobs"));
			assertHarmless();
		}
	}

	@Test
	void longAndBrokenPayloadsAreHarmless() {
		byte[] long1 = ("<b>" + "x".repeat(1_048_576)).getBytes(StandardCharsets.UTF_8);
		byte[] broken = { (byte) 0xff, (byte) 0xfe, '<', 'b', '>', (byte) 0xc3, 0x28 };
		queue("orders").enqueue((id) -> NewPayload.of(id, long1), "42")
			.enqueue((id) -> NewPayload.of(id, broken), "42");
		this.browser.open(this.base + "/queues/orders/jobs/42");
		this.browser.await("payloads", () -> this.browser.all(".payload pre").size() == 2);
		click(".payload button", "Show all");
		this.browser.await("all of it", () -> (Long) this.browser
			.script("return document.querySelector('.payload pre').textContent.length") > 1_048_576);
		this.browser.awaitText(".payload", "not UTF-8");
		assertHarmless();
	}

	@Test
	void theKeyboardReachesEverything() {
		queue("orders").enqueue("1");
		this.browser.open(this.base);
		this.browser.await("queues", () -> !this.browser.all(".queues tbody a").isEmpty());
		this.browser.find("body").sendKeys(Keys.TAB);
		this.browser.awaitThat(
				() -> assertThat(this.browser.script("return document.activeElement.className")).isEqualTo("skip"));
		this.browser.find(".queues tbody th a").sendKeys(Keys.ENTER);
		this.browser.awaitText("h1", "orders");
		this.browser.await("the heading has the focus",
				() -> "H1".equals(this.browser.script("return document.activeElement.tagName")));
	}

	@Test
	void tellsWhenTheServerIsAway() throws Exception {
		queue("orders").enqueue("1");
		this.browser.open(this.base);
		this.browser.awaitText("#live", "Updated");
		this.application.close();
		this.browser.awaitText("#live", "Connection lost");
		this.browser.leave();
		this.application = application(true);
		this.browser.problems();
	}

	private void assertHarmless() {
		assertThat(this.browser.script("return window.hacked === undefined")).isEqualTo(true);
		assertThat(this.browser.all("main script, main img, main svg, main b")).isEmpty();
		assertFits();
	}

}
