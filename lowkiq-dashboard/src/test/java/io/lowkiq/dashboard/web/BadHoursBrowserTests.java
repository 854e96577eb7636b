package io.lowkiq.dashboard.web;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** What the page says is true, also in the situations in which people open it. */
class BadHoursBrowserTests extends PageInBrowser {

	@Test
	void aJobWhoseLeaseWasLostWaitsForItsEarlierRun() {
		long before = System.currentTimeMillis() - 120_000;
		TestQueue queue = this.application.queue("orders", 1)
			.node("shop-1")
			.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, before, 0), "snail", "other");
		report(queue, """
				{"threadCount":6,"reportedAt":%d,"queues":{"orders":{"shardConcurrency":1}},
				"threads":[{"name":"lowkiq-perform-5","queue":"orders","shard":0,"ids":["snail"],"since":%d}]}"""
			.formatted(System.currentTimeMillis() + 60_000, ago(900)));
		this.browser.open(this.base);
		this.browser
			.awaitText("#problems [data-kind=LEASE_LOST]", "1 run continues although its lease was lost, for 15 min: "
					+ "job 'snail' of queue orders on thread lowkiq-perform-5 of node shop-1. Its result will be refused. "
					+ "2 due jobs of the shard wait until it ends.");
		assertThat(this.browser.all("#problems [data-kind=OVERDUE]")).as("the symptom").isEmpty();
		assertThat(this.browser.all("#problems [data-kind=LONG_RUNNING]")).as("the same job once more").isEmpty();
		this.browser.open(this.base + "/queues/orders/jobs/snail");
		this.browser.awaitText("#why", "Its earlier run, whose lease was lost, has been running for 15 min "
				+ "on thread lowkiq-perform-5 of node shop-1. It runs again when that ends.");
		see("lease-lost");
		this.browser.open(this.base + "/queues/orders/jobs/other");
		this.browser.awaitText("#why", "Waiting for 'snail', which has been running for 15 min");
		see("waiting-for-another");
		click("#why a", "snail");
		this.browser.awaitText("h1", "snail");
	}

	@Test
	void afterALapseThreadsAreCountedOnceAndLostRunsAreOneLine() {
		long before = System.currentTimeMillis() - 120_000;
		String[] ids = TestQueue.ids("job-", 6);
		TestQueue queue = this.application.queue("orders", 1)
			.node("shop-1")
			.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, before, 0), "1", "2", "3");
		NodeRegistry nodes = this.application.bean(RedisStore.class).nodes();
		NodeInfo info = nodes.members().members().get(0).info();
		nodes.join("next", info);
		String threads = Stream.of(ids)
			.map((id) -> "{\"name\":\"t-%s\",\"queue\":\"orders\",\"shard\":0,\"ids\":[\"%s\"],\"since\":%d}"
				.formatted(id, id, ago(id.equals("job-3") ? 1_200 : 900)))
			.collect(Collectors.joining(","));
		String report = "{\"threadCount\":6,\"reportedAt\":%d,\"threads\":[%s]}"
			.formatted(System.currentTimeMillis() + 60_000, threads);
		nodes.report(queue.session(), report);
		nodes.report("next", report);
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=LEASE_LOST]",
				"6 runs continue although their leases were lost, the longest for 20 min: job 'job-3' of queue orders on thread t-job-3 "
						+ "of node shop-1. Their results will be refused. 3 due jobs of the shard wait until they end.");
		this.browser.awaitThat(() -> assertThat(this.browser.find("#problems").getText()).doesNotContain("12 threads",
				"has been running for"));
		this.browser.awaitText(".total.busy", "of 6 threads, 6 without a lease");
		see("lost-runs");
		this.browser.click("#problems [data-kind=LEASE_LOST] a");
		this.browser.awaitText("#running-note", "6 of 6 threads busy");
	}

	@Test
	void jobsOnHoldAreApartFromRetries() {
		TestQueue queue = queue("orders").node("shop-1").hold("a", "b", "c").fail("d");
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=HELD]", "3 jobs are on hold until someone releases them.");
		this.browser.awaitThat(() -> assertThat(this.browser.find("[data-total=retries]").getText()).isEqualTo("1"));
		this.browser.click("#problems [data-kind=HELD] a");
		this.browser.await("those on hold", () -> jobIds().size() == 3);
		this.browser
			.awaitThat(() -> assertThat(this.browser.find(".bulk [data-action=release-all]").isDisplayed()).isTrue());
		see("held");
		this.browser.open(this.base + "/queues/orders?state=retries");
		this.browser.await("the one that waits for a retry", () -> jobIds().equals(List.of("d")));
		this.browser.click(".bulk [data-action=delete-all-failed]");
		this.browser.awaitText("#affected", "1 job is affected.");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText("dialog .done-text", "1 job was deleted.");
		RedisStore store = this.application.bean(RedisStore.class);
		assertThat(
				queue.layout().allShards().stream().mapToLong((shard) -> store.inspection().counts(shard).held()).sum())
			.isEqualTo(3);
	}

	@Test
	void dueJobsAreListedWhereverTheyComeFrom() {
		long soon = System.currentTimeMillis() + 1_000;
		queue("orders").node("shop-1")
			.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, soon, 0), "delayed-1", "delayed-2")
			.enqueue("ready")
			.fail("later");
		this.browser.open(this.base);
		this.browser.awaitText(".queues td a[aria-label='Due of orders: 3']", "3");
		this.browser.click(".queues td a[aria-label^='Due of orders']");
		this.browser.await("all that are due",
				() -> Set.copyOf(jobIds()).equals(Set.of("delayed-1", "delayed-2", "ready")));
		this.browser.awaitThat(() -> assertThat(jobIds().get(0)).isEqualTo("ready"));
		click(".tabs a", "Scheduled 1");
		this.browser.await("what is due later", () -> jobIds().equals(List.of("later")));
	}

	@Test
	void saysThatRedisIsFull() {
		queue("orders").node("shop-1").enqueue("42");
		StringRedisTemplate redis = this.application.bean(StringRedisTemplate.class);
		configure("maxmemory-policy", "noeviction");
		configure("maxmemory", Long.toString(usedMemory(redis) * 10 / 9));
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=REDIS_NEARLY_FULL].warning", "Redis is nearly full");
		configure("maxmemory", "100kb");
		try {
			this.browser.awaitText("#problems [data-kind=REDIS_FULL].danger", "Redis is full");
			this.browser.awaitText("#redis .badge.danger", "full");
			see("redis-full");
			this.browser.click("#problems [data-kind=REDIS_FULL] a");
			this.browser.open(this.base + "/queues/orders");
			this.browser.click("[data-action=pause]");
			this.browser.awaitText(".toast", "Redis is full: it refuses commands that need memory.");
		}
		finally {
			configure("maxmemory", "0");
		}
		// The refused action
		assertThat(this.browser.problems()).allMatch((problem) -> problem.contains("503"));
	}

	@Test
	void aSearchFindsNothingOnlyWhenItHasSearched() {
		queue("orders").enqueue("42");
		this.browser.open(this.base);
		intercept("/search", "() => new Promise((resolve) => { window.release = resolve; })");
		this.browser.find("#search").sendKeys("none" + Keys.ENTER);
		this.browser.await("it searches", () -> Long.valueOf(1).equals(this.browser.script("return window.asked")));
		this.browser.awaitThat(() -> assertThat(this.browser.find("#search-note").getText()).isEqualTo("Searching…"));
		assertThat(this.browser.find("main").getText()).doesNotContain("Nothing found", "0 jobs");
		this.browser.script("window.release(window.json({ now: Date.now(), hits: [], next: null, searched: 1 }))");
		this.browser.awaitText("main", "Nothing found.");
	}

	@Test
	void whatTookMoreThanOneCallIsNotSearchedAgain() {
		queue("orders").enqueue("42");
		this.browser.open(this.base);
		intercept("/jobs?state=due", """
				(call, url, options, original) => {
					if (call === 1) {
						return Promise.resolve(window.json({ now: Date.now(), jobs: [], next: "more" }));
					}
					const plain = new URL(url);
					plain.searchParams.delete("after");
					return original(plain, options);
				}""");
		this.browser.click(".queues tbody th a");
		this.browser.awaitText("#list-note", "not updated by itself");
		this.browser.await("the job", () -> jobIds().equals(List.of("42")));
		Object asked = this.browser.script("return window.asked");
		queue("orders").enqueue("43", "44");
		this.browser.awaitText("[data-total=enqueued]", "3");
		assertThat(this.browser.script("return window.asked")).isEqualTo(asked);
	}

	@Test
	void removingAQueueShowsWhatIsLostAndAsksForItsName() {
		queue("orders").bury("dead-1", "dead-2").enqueue("1", "2", "3");
		this.browser.open(this.base + "/queues/orders");
		this.browser.find("[data-action=pause]");
		assertThat(this.browser.all("[data-action=remove-queue]")).isEmpty();
		// What is shown may be a second old, and the dialog keeps what it began with
		this.browser.awaitText("[data-total=enqueued]", "3");
		this.browser.open(this.base + "/queues/orders?view=shards");
		this.browser.click("[data-action=remove-queue]");
		this.browser.awaitText("#affected", "3 waiting or unfinished jobs and 2 dead jobs will be deleted.");
		assertThat(this.browser.find("[data-dialog=go]").isEnabled()).isFalse();
		see("remove-queue");
		this.browser.find("#confirm-name").sendKeys("orders");
		this.browser.await("it can be removed", () -> this.browser.find("[data-dialog=go]").isEnabled());
	}

	@Test
	void aChangeHasNoTimeLimitAndMayHaveBeenCarriedOut() {
		queue("orders").node("shop-1");
		this.browser.open(this.base + "/queues/orders");
		intercept("/actions", "(call, url, options, original) => options.method "
				+ "? ((window.limited = Boolean(options.signal)), Promise.reject(new TypeError())) : original(url, options)");
		this.browser.click("[data-action=pause]");
		this.browser.awaitText(".toast", "The connection was lost. The action may have been carried out: see Audit.");
		assertThat(this.browser.script("return window.limited")).isEqualTo(false);
	}

	@Test
	void saysThatItIsRedisThatDoesNotRespond() throws Exception {
		queue("orders").node("shop-1");
		this.browser.open(this.base);
		this.redis.pause();
		try {
			this.browser.awaitText("#stale", "Redis hasn't responded for 3 seconds.");
		}
		finally {
			this.redis.resume();
		}
		this.browser.awaitText("#live[data-state=live]", "");
		// What was refused meanwhile
		this.browser.problems();
	}

	@Test
	void oneCauseIsOneLine() {
		this.application.queue("served", 1).node("shop-1");
		for (int i = 0; i < 12; i++) {
			this.application.queue("queue-" + i, 2).enqueue("1");
		}
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=UNSERVED_QUEUE].danger",
				"No running node serves 12 queues: queue-0, queue-1, queue-10 and 9 more.");
		this.browser.awaitThat(() -> assertThat(this.browser.all("#problems li")).hasSize(1));
		see("one-cause");
	}

	@Test
	void busyThreadsAreTheCauseOfOverdueJobs() {
		long before = System.currentTimeMillis() - 120_000;
		this.application.queue("orders", 1).busy("42");
		TestQueue queue = this.application.queue("mails", 1)
			.node("shop-1")
			.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, before, 0), "1", "2");
		report(queue, """
				{"threadCount":1,"threads":[{"name":"lowkiq-perform-0","queue":"orders","shard":0,"ids":["42"],
				"since":%d}]}""".formatted(ago(900)));
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=THREADS_BUSY]",
				"The only thread is busy for 15 min (job '42' of queue orders). 2 due jobs are waiting.");
		assertThat(this.browser.all("#problems [data-kind=OVERDUE]")).isEmpty();
		this.browser.click("#problems [data-kind=THREADS_BUSY] a");
		this.browser.awaitText("h1", "Running jobs");
	}

	@Test
	void manyLongRunsAreOneLine() {
		String[] ids = TestQueue.ids("job-", 6);
		TestQueue queue = this.application.queue("orders", 1).busy(ids).node("shop-1");
		report(queue,
				"{\"threadCount\":6,\"threads\":[%s]}".formatted(Stream.of(ids)
					.map((id) -> "{\"name\":\"%s\",\"queue\":\"orders\",\"shard\":0,\"ids\":[\"%s\"],\"since\":%d}"
						.formatted(id, id, ago(900)))
					.collect(Collectors.joining(","))));
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=LONG_RUNNING]",
				"6 jobs have been running for more than 10 minutes: ");
		assertThat(this.browser.all("#problems li")).hasSize(1);
		this.browser.click("#problems [data-kind=LONG_RUNNING] a");
		this.browser.await("all of them", () -> this.browser.all(".running tbody tr").size() == 6);
	}

	@Test
	void whileNothingIsKnownNobodyIsBlamed() {
		queue("orders").node("shop-1");
		this.browser.open(this.base);
		intercept("/overview", "() => new Promise(() => { })");
		this.browser.awaitText("#stale", "No new data has come. This data is");
	}

	@Test
	void deadJobsAreAProblem() {
		queue("orders").node("shop-1").bury(TestQueue.ids("", 7));
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=DEAD]", "Queue orders: 7 jobs");
		this.browser.click("#problems [data-kind=DEAD] a");
		this.browser.await("the dead ones", () -> jobIds().size() == 7);
	}

	@Test
	void aNodeThatHasNotReportedForLongerThanItsLeaseIsShownAsGone() {
		TestQueue queue = queue("orders").enqueue("42").node("shop-1");
		report(queue, "{\"threadCount\":1,\"reportedAt\":%d,\"threads\":[]}"
			.formatted(System.currentTimeMillis() - Duration.ofHours(2).toMillis()));
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=NO_NODES]", "No node is running.");
		this.browser.awaitText(".ended", "shop-1");
		// A heartbeat is better evidence
		this.application.bean(RedisStore.class)
			.nodes()
			.beat(queue.session(), new NodeInfo("shop-1", 1, Duration.ofHours(1), Set.of("orders"), false));
		this.browser.await("it lives", () -> this.browser.all("#problems [data-kind=NO_NODES]").isEmpty());
	}

	@Test
	void countsOnWhileTheDialogIsOpen() {
		queue("orders").node("shop-1").buryWith("a.B: boom", TestQueue.ids("", 3));
		this.browser.open(this.base + "/queues/orders?state=dead&prefix=1");
		this.browser.find(".bulk [data-action=delete-dead]");
		intercept("/count", "(call) => Promise.resolve(window.json(call === 1 "
				+ "? { now: 1, count: 23197, complete: false, next: 'x' } : { now: 1, count: 87914, complete: true, next: null }))");
		this.browser.click(".bulk [data-action=delete-dead]");
		this.browser.awaitText("#affected", "111,111 jobs are affected.");
	}

	private void report(TestQueue queue, String report) {
		this.application.bean(RedisStore.class).nodes().report(queue.session(), report);
	}

	private static long ago(long seconds) {
		return System.currentTimeMillis() - seconds * 1_000;
	}

	private static long usedMemory(StringRedisTemplate redis) {
		return Long.parseLong(String.valueOf(redis.execute((RedisCallback<String>) (
				connection) -> connection.serverCommands().info("memory").getProperty("used_memory"))));
	}

}
