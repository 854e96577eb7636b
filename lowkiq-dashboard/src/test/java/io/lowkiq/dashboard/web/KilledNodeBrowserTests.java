package io.lowkiq.dashboard.web;

import java.util.List;

import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.WebElement;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the page says of a real node that is stuck, and then killed.
 */
class KilledNodeBrowserTests extends PageInBrowser {

	@Test
	void showsWhatAStuckNodePerformsAndThatItWasKilled() throws Exception {
		this.application.queue("orders", NodeProcess.SHARDS).enqueue(TestQueue.ids("", 12));
		NodeProcess node = NodeProcess.start("shop-1", this.redis.url());
		try {
			this.browser.open(this.base + "/running");
			this.browser.await("both threads", () -> this.browser.all(".running tbody tr").size() == 2);
			// Reported from 10 s on
			this.browser.await("a stack", () -> !this.browser.all(".running button[aria-expanded=false]").isEmpty());
			this.browser.click(".running button[aria-expanded=false]");
			this.browser.awaitText(".stack pre", "NodeProcess$Stuck.perform(NodeProcess.java:");
			List<String> running = this.browser.all(".running tbody th a").stream().map(WebElement::getText).toList();
			String waiting = List.of(TestQueue.ids("", 12))
				.stream()
				.filter((id) -> !running.contains(id))
				.findFirst()
				.orElseThrow();
			this.browser.open(this.base + "/queues/orders/jobs/" + waiting);
			this.browser.awaitText("#why", "thread");
			see("all-threads-stuck");
		}
		finally {
			node.kill();
		}
		this.browser.open(this.base);
		this.browser.awaitText("#problems", "No node is running.");
		this.browser.awaitText(".ended", "shop-1");
		this.browser.awaitText(".ended", "crashed");
		this.browser.await("all shards without an owner", () -> problems().contains("UNOWNED_SHARDS"));
		assertThat(problems()).startsWith("NO_NODES").contains("NODE_ENDED");
		this.browser.open(this.base + "/running");
		this.browser.awaitText("#running-note", "0 of 0");
	}

	private List<String> problems() {
		return this.browser.all("#problems li").stream().map((each) -> each.getDomAttribute("data-kind")).toList();
	}

}
