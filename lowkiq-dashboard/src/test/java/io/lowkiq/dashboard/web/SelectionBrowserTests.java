package io.lowkiq.dashboard.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is done to many jobs at once: those that a filter matches, those of an error, and
 * what is seen of it by others.
 */
class SelectionBrowserTests extends PageInBrowser {

	private static final String TIMEOUT = "java.net.SocketTimeoutException: no answer after %d ms";

	private static final String LOCKED = "java.lang.IllegalStateException: order '%d' is locked";

	@Test
	void buttonsConcernWhatTheFilterMatches() {
		TestQueue queue = queue("orders").bury(TestQueue.ids("A-", 11)).bury(TestQueue.ids("B-", 30));
		this.browser.open(this.base + "/queues/orders?state=dead&prefix=A-");
		this.browser.await("11 jobs", () -> jobIds().size() == 11);
		this.browser.awaitText(".active-filters", "whose id begins with A-");
		assertThat(this.browser.all("[data-action=delete-all-dead]")).isEmpty();
		this.browser.click(".bulk [data-action=delete-dead]");
		this.browser.awaitText("#affected", "11 jobs are affected.");
		see("filtered-action");
		assertThat(this.browser.accessibilityProblems()).isEmpty();
		this.browser.screenshot("delete-matching");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText("dialog .done-text", "11 jobs were deleted.");
		this.browser.click("[data-dialog=close]");
		this.browser.awaitText("#jobs", "No matching jobs.");
		assertThat(dead(queue)).isEqualTo(30);
	}

	@Test
	void aFilterThatIsInTheAddressIsSeenAndCanBeRemoved() {
		TestQueue queue = queue("orders").bury(TestQueue.ids("", 40));
		long ofShard = this.application.bean(RedisStore.class).inspection().counts(queue.layout().shard(3)).dead();
		this.browser.open(this.base + "/queues/orders?state=dead&shard=3");
		this.browser.await("those of the shard", () -> jobIds().size() == ofShard);
		this.browser.awaitText(".active-filters", "of shard 3");
		this.browser.click(".bulk [data-action=re-enqueue]");
		this.browser.awaitText("#affected", ofShard + " jobs are affected.");
		this.browser.click("[data-dialog=cancel]");
		this.browser.click(".active-filters a");
		this.browser.await("all", () -> jobIds().size() == 40);
		assertThat(this.browser.all(".active-filters")).isEmpty();
	}

	@Test
	void allOfAListAreCountedBeforeAnythingHappens() {
		queue("orders").bury(TestQueue.ids("", 40));
		this.browser.open(this.base + "/queues/orders?state=dead");
		this.browser.click("[data-action=delete-all-dead]");
		this.browser.awaitText("#affected", "40 jobs are affected.");
		this.browser.keys(Keys.ESCAPE);
		this.browser.await("the dialog is gone", () -> this.browser.all("dialog").isEmpty());
	}

	@Test
	void errorsAreGroupedAndActedOnAsAGroup() {
		TestQueue queue = queue("orders");
		for (int i = 0; i < 12; i++) {
			queue.buryWith(TIMEOUT.formatted(i * 17), "late-" + i);
		}
		for (int i = 0; i < 5; i++) {
			queue.failWith(LOCKED.formatted(i), "locked-" + i);
		}
		queue("invoices").buryWith(TIMEOUT.formatted(3), "A-1");
		this.browser.open(this.base + "/errors");
		this.browser.await("three groups", () -> this.browser.all(".group").size() == 3);
		this.browser.awaitText(".kind", "java.net.SocketTimeoutException");
		this.browser.awaitText(".group", "12 dead");
		this.browser.awaitText(".kind", "5 waiting for a retry");
		see("errors");
		click(".group a", "12 dead");
		this.browser.await("the dead ones", () -> jobIds().size() == 12);
		this.browser.awaitText(".active-filters", "java.net.SocketTimeoutException: no answer after # ms");
		this.browser.back();
		this.browser.await("three groups", () -> this.browser.all(".group").size() == 3);
		WebElement group = this.browser.all(".group")
			.stream()
			.filter((each) -> each.getText().contains("12 dead"))
			.findFirst()
			.orElseThrow();
		group.findElement(By.cssSelector("[data-action=delete-dead]")).click();
		this.browser.awaitText("#affected", "12 jobs are affected.");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText("dialog .done-text", "12 jobs were deleted.");
		this.browser.click("[data-dialog=close]");
		assertThat(dead(queue)).isZero();
	}

	@Test
	void searchFieldOfTheBarHasAButton() {
		queue("orders").enqueue("A-77", "B-1");
		this.browser.open(this.base);
		this.browser.find("#search").sendKeys("A-77");
		this.browser.click(".quick button");
		this.browser.awaitText("h1", "Search");
		this.browser.awaitText(".hits li", "A-77");
	}

	@Test
	void oneSearchFindsIdsOfAllQueues() {
		queue("orders").enqueue("A-77", "A-778", "B-1");
		queue("invoices").bury("A-77").fail("C-1");
		this.browser.open(this.base);
		this.browser.keys("/");
		this.browser.await("the field has the focus",
				() -> "search".equals(this.browser.script("return document.activeElement.id")));
		this.browser.keys("A-77", Keys.ENTER);
		this.browser.awaitText("h1", "Search");
		this.browser.await("three hits", () -> this.browser.all(".hits li").size() == 3);
		this.browser.awaitThat(() -> assertThat(this.browser.all(".hits li").stream().map(WebElement::getText).toList())
			.anyMatch((hit) -> hit.contains("A-77 in invoices Dead"))
			.anyMatch((hit) -> hit.contains("A-77 in orders Enqueued"))
			.anyMatch((hit) -> hit.contains("A-778 in orders Enqueued")));
		see("search");
		this.browser.click(".hits li[data-id='A-778'] a");
		this.browser.awaitText("h1", "A-778");
	}

	@Test
	void theMorgueIsSearchedByTheTextOfErrors() {
		queue("orders").bury(TestQueue.ids("other-", 300)).buryWith("java.sql.SQLException: Deadlock found", "wanted");
		this.browser.open(this.base + "/search");
		this.browser.find("#search-in").sendKeys("errors that contain");
		this.browser.find("#search-text").sendKeys("deadlock found", Keys.ENTER);
		this.browser.await("the one",
				() -> this.browser.all(".hits li")
					.stream()
					.map((hit) -> hit.getDomAttribute("data-id"))
					.toList()
					.equals(List.of("wanted")));
		this.browser.awaitText("#search-note", "301 looked at");
	}

	@Test
	void aListIsExportedAsLinesOfJson(@TempDir Path downloads) {
		queue("orders").bury(TestQueue.ids("", 2_500));
		this.browser.downloads(downloads);
		this.browser.open(this.base + "/queues/orders?state=dead");
		this.browser.click("#export");
		this.browser.awaitText(".toast", "Exported 2,500 jobs.");
		Path file = downloads.resolve("orders-dead.ndjson");
		this.browser.await("the file", () -> Files.exists(file));
		this.browser.await("all of it", () -> lines(file).size() == 2_500);
		assertThat(lines(file)).allMatch((line) -> line.startsWith("{") && line.contains("\"id\":\""))
			.doesNotHaveDuplicates();
	}

	private static List<String> lines(Path file) {
		try (Stream<String> lines = Files.lines(file)) {
			return lines.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void aDeadPayloadIsEditedAndEnqueuedAgain() {
		queue("orders").bury("42");
		this.browser.open(this.base + "/queues/orders/jobs/42");
		this.browser.click("[data-action=edit]");
		this.browser.find("dialog[open] textarea").sendKeys(Keys.chord(Keys.CONTROL, "a"), "{\"order\": \"mended\"}");
		see("edit-dead");
		this.browser.click("[data-dialog=save]");
		this.browser.awaitText(".toast", "The first payload was saved.");
		this.browser.awaitText(".payload pre", "\"order\": \"mended\"");
		this.browser.click("[data-action=re-enqueue]");
		this.browser.awaitText(".toast", "1 job was enqueued again.");
		this.browser.awaitText("section[data-state=queued] .payload pre", "\"order\": \"mended\"");
	}

	@Test
	void oneOperatorSeesWhatAnotherOneDoes() {
		queue("orders").bury(TestQueue.ids("", 8_000));
		GatedActions gate = this.application.bean(GatedActions.class);
		gate.close(2);
		this.browser.open(this.base);
		Http.Answer begun = Http.on(this.application.port())
			.fromPage()
			.post("/lowkiq/api/v1/queues/orders/actions", "{\"action\":\"delete-all-dead\"}");
		assertThat(begun.status()).isEqualTo(200);
		this.browser.awaitText(".notice.run", "Delete all dead jobs in orders");
		this.browser.awaitText(".notice.run", "of about 8,000");
		see("another-operator");
		gate.open();
		this.browser.await("it is over", () -> this.browser.all(".notice.run").isEmpty());
		this.browser.open(this.base + "/audit");
		this.browser.awaitText(".audit td", "8,000 jobs were deleted.");
		this.browser.awaitText(".audit td", "Delete all dead jobs");
		see("audit");
	}

	@Test
	void anIdIsErasedAndAQueueRemoved() {
		queue("orders").bury("42").enqueue("42", "43");
		this.browser.open(this.base + "/queues/orders/jobs/42");
		this.browser.click("[data-action=erase]");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText("dialog .done-text", "1 job was erased.");
		this.browser.click("[data-dialog=close]");
		this.browser.awaitText("#why", "the log io.lowkiq.runs of the nodes has their runs");
		this.browser.click("main .next-step a");
		this.browser.awaitText("h1", "A job is done");
		this.browser.awaitText("main", "actuator/loggers/io.lowkiq.runs");
		this.browser.open(this.base + "/queues/orders?view=shards");
		this.browser.click("[data-action=remove-queue]");
		this.browser.find("#confirm-name").sendKeys("orders");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText("dialog .done-text", "Queue orders was removed");
		// The page does not ask about the queue any longer, even if it is looked at again
		this.browser.script("document.dispatchEvent(new Event('visibilitychange'))");
		this.browser.click("[data-dialog=close]");
		this.browser.awaitText("h1", "Overview");
		this.browser.awaitText("main", "No queues yet.");
	}

	@Test
	void aQueueThatCanNotBeRemovedStaysOnThePage() {
		TestQueue queue = queue("orders").enqueue("42");
		this.browser.open(this.base + "/queues/orders?view=shards");
		this.browser.click("[data-action=remove-queue]");
		this.browser.find("#confirm-name").sendKeys("orders");
		this.application.bean(RedisStore.class)
			.nodes()
			.join("joined", new NodeInfo("node-a", 42, Duration.ofHours(1), Set.of("orders"), false));
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText("dialog .problem-text", "Queue 'orders' can't be removed: node node-a serves it");
		this.browser.click("[data-dialog=close]");
		this.browser.awaitText("h1", "orders");
		this.browser.open(this.base + "/queues/orders");
		this.browser.await("it is updated again", () -> jobIds().equals(List.of("42")));
		queue.enqueue("43");
		this.browser.await("the newer job", () -> jobIds().equals(List.of("42", "43")));
	}

}
