package io.lowkiq.dashboard.web;

import java.util.List;

import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.WebElement;

import static org.assertj.core.api.Assertions.assertThat;

/** What the page says of a real node that is stuck, and then killed. */
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
		assertThat(problems()).startsWith("NO_NODES").contains("NODE_ENDED").doesNotContain("UNOWNED_SHARDS");
		this.browser.open(this.base + "/running");
		this.browser.awaitText("#running-note", "0 of 0");
	}

	@Test
	void saysThatRedisCameBackEmptyUnderRunningJobs() throws Exception {
		this.application.queue("orders", NodeProcess.SHARDS).enqueue(TestQueue.ids("", 6));
		NodeProcess node = NodeProcess.start("shop-1", this.redis.url());
		try {
			this.browser.open(this.base + "/running");
			this.browser.await("both threads", () -> this.browser.all(".running tbody tr").size() == 2);
			String running = this.browser.all(".running tbody th a").get(0).getText();
			this.redis.restart();
			this.browser.open(this.base);
			this.browser.awaitText("#problems li:first-child[data-kind=FORGOTTEN].danger",
					"Redis has forgotten everything");
			this.browser.awaitText("#problems [data-kind=FORGOTTEN]",
					"node shop-1 found its session and all queues gone");
			this.browser.awaitText("#problems [data-kind=FORGOTTEN]", "Recorded again: orders. Redis was started at");
			this.browser.awaitText("#problems [data-kind=LEASE_LOST]",
					"2 runs continue although their leases were lost");
			see("redis-came-back-empty");
			this.browser.open(this.base + "/queues/orders/jobs/" + running);
			this.browser.awaitText("#why.danger", "of node shop-1, but Redis no longer has it: "
					+ "its follow-ups, its retry and its failure will be lost.");
		}
		finally {
			node.kill();
			// What was refused while Redis was restarted
			this.browser.problems();
		}
	}

	@Test
	void namesAJobThatHaltsTwoNodesAndHoldsItWhenItComesBack() throws Exception {
		this.application.queue("orders", NodeProcess.SHARDS).enqueue("poison");
		NodeProcess.start("shop-1", this.redis.url()).awaitEnd();
		NodeProcess.start("shop-2", this.redis.url()).awaitEnd();
		this.browser.open(this.base);
		this.browser.awaitText("#problems li:first-child[data-kind=POISON].danger",
				"Job 'poison' of queue orders was running when 2 nodes ended. It runs again as soon as a node takes over shard");
		see("poison");
		this.browser.open(this.base + "/queues/orders/jobs/poison");
		this.browser.awaitText("#why", "It will be performed again as soon as another node takes over shard");
		this.browser.open(this.base);
		this.browser.click("#problems [data-kind=POISON] [data-action=hold]");
		this.browser.await("it is not named any more", () -> !problems().contains("POISON"));
		this.browser.open(this.base + "/queues/orders/jobs/poison");
		this.browser.awaitText(".state-busy", "on hold when it comes back");
		NodeProcess node = NodeProcess.start("shop-3", this.redis.url());
		try {
			this.browser.awaitText("#why", "It is on hold until someone releases it.");
			this.browser.open(this.base);
			this.browser.awaitText("#problems [data-kind=HELD]", "1 job is on hold");
			assertThat(node.isRunning()).isTrue();
		}
		finally {
			node.kill();
		}
	}

}
