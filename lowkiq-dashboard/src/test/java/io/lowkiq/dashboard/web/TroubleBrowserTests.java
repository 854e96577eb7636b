package io.lowkiq.dashboard.web;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.lowkiq.QueueDeclaration;
import io.lowkiq.admin.KeptJobs;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.UnsentJob;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.node.Forgotten;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.testing.TestOutbox;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the page says when things are at their worst, and how an operator finds the way.
 */
class TroubleBrowserTests extends PageInBrowser {

	@Test
	void saysThatAQueueIsNotServed() {
		queue("orders").enqueue(TestQueue.ids("", 50));
		this.application.queue("invoices", 8).enqueue("1").node("shop-1");
		this.browser.open(this.base);
		this.browser.awaitText("#problems", "Queue orders: no running node serves it.");
		assertThat(problems()).containsExactly("UNSERVED_QUEUE");
		this.browser.awaitThat(() -> assertThat(queueNames()).containsExactly("orders", "invoices"));
		see("unserved");
		this.browser.click("#problems [data-kind=UNSERVED_QUEUE] a");
		this.browser.awaitText("h1", "orders");
		this.browser.awaitText(".shards td", "no owner");
	}

	@Test
	void saysThatNobodyPerformsJobsOfALaterGeneration() {
		queue("orders").node("shop-1").strand("1", "2");
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=STRANDED_JOBS].danger",
				"Queue orders: nobody performs its 2 jobs in");
		this.browser.awaitText("#problems", "to '2:");
	}

	@Test
	void saysThatAllNodesHaveDied() {
		this.application.queue("orders", 542).node("shop-1").busy("42");
		this.application.queue("invoices", 542).node("shop-2");
		this.browser.open(this.base);
		this.browser.awaitText("#problems", "Nothing is wrong.");
		// They have a second to live, and nobody beats for them
		NodeRegistry nodes = this.application.bean(RedisStore.class).nodes();
		nodes.members()
			.members()
			.forEach((member) -> nodes.beat(member.session(), new NodeInfo(member.info().node(),
					member.info().startedAt(), Duration.ofSeconds(1), member.info().queues(), false)));
		this.browser.await("no node", () -> problems().contains("NO_NODES"));
		this.browser.awaitText(".ended", "shop-1");
		this.browser.awaitText(".ended", "crashed");
		assertThat(problems()).startsWith("NO_NODES").contains("NODE_ENDED").doesNotContain("UNOWNED_SHARDS");
		see("all-nodes-died");
		this.browser.open(this.base + "/queues/orders/jobs/42");
		this.browser.awaitText("#why", "The node that was performing it is gone.");
	}

	@Test
	void theLineOfAnEmptyRedisSaysWhatTheOutboxHasSentAgain() {
		queue("orders").node("shop-1");
		NodeRegistry nodes = this.application.bean(RedisStore.class).nodes();
		long now = nodes.now();
		nodes.recordForgotten(Forgotten.everything(now, now - 5_000, "shop-1", List.of("orders")));
		this.application.bean(TestOutbox.class).keep(new KeptJobs(70, Instant.now(), 70, Instant.now()));
		this.browser.open(this.base);
		this.browser.awaitText("#problems li:first-child[data-kind=FORGOTTEN]",
				"The outbox of this application has sent 70 jobs again, the last at");
	}

	@Test
	void showsWhatTheOutboxHasPutAside() {
		queue("orders").node("shop-1");
		TestOutbox outbox = this.application.bean(TestOutbox.class);
		outbox.putAside(new UnsentJob(8, "orders", "42", "The id is too long", Instant.now()));
		outbox.putAside(new UnsentJob(9, "orders", "43", "The id is too long", Instant.now()));
		outbox.waiting(Map.of("queue 'mails'", "No queue 'mails'"));
		outbox.keep(new KeptJobs(7, Instant.now(), 3, Instant.now()));
		this.browser.open(this.base);
		this.browser.awaitText("#problems", "2 jobs were put aside by the outbox");
		this.browser.awaitText("#problems [data-kind=OUTBOX_WAITS]",
				"wait in the outbox (1 job since " + pageTime(Instant.ofEpochMilli(7)) + ")");
		this.browser.click("#problems [data-kind=OUTBOX_ASIDE] a");
		this.browser.awaitText(".aside td", "The id is too long");
		this.browser.awaitText(".waiting td", "No queue 'mails'");
		this.browser.awaitText("[aria-labelledby=waiting-title]", "1 job since " + pageTime(Instant.ofEpochMilli(7)));
		this.browser.awaitText(".intro", "producers without a server, can't be seen here");
		this.browser.awaitText(".kept", "Sent again, because Redis had forgotten them: 3 jobs");
		see("outbox");
		this.browser.script("document.getElementById('time-from').value = '2026-01-02T03:04';"
				+ "document.getElementById('time-until').value = '2026-01-02T04:05'");
		this.browser.click(".kept button");
		this.browser.awaitText("dialog",
				"What was sent from 2026-01-02 03:04:00 until 2026-01-02 04:06:00 is enqueued again");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText(".toast", "The kept jobs of that time are sent again.");
		assertThat(outbox.resentKept()).extracting(TroubleBrowserTests::pageTime)
			.containsExactly("2026-01-02 03:04:00", "2026-01-02 04:06:00");
		outbox.keep(null);
		this.browser.awaitText(".kept", "no outbox that keeps what it has sent (lowkiq.outbox.keep-sent)");
		assertThat(this.browser.all(".kept button")).isEmpty();
		this.browser.click(".aside [data-action=send-unsent]");
		this.browser.await("one is left", () -> outbox.sentAgain().equals(List.of(8L)));
		this.browser.await("one is shown", () -> this.browser.all(".aside tbody tr").size() == 1);
		this.browser.click(".aside [data-action=drop-unsent]");
		this.browser.click("[data-dialog=go]");
		this.browser.await("none is left", () -> outbox.status(10).aside() == 0);
	}

	/** As the page shows it, which has the clock of this machine. */
	private static String pageTime(Instant time) {
		return DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT)
			.withZone(ZoneId.systemDefault())
			.format(time);
	}

	@Test
	void showsWhatWaitsForAQueueThatNobodyHasDeclared() {
		queue("mails").node("shop-1");
		queue("orders").node("shop-2")
			.done("42", List.of(followUp("prints", "1"), followUp("prints", "2"), followUp("copies", "3")));
		// They are a problem after a minute, as FollowUpReaderTests says
		this.browser.open(this.base + "/follow-ups");
		this.browser.awaitText(".follow-ups td", "no such queue");
		see("follow-ups");
		this.browser.click("[aria-label='Redirect: prints']");
		this.browser.find("#redirect-to").sendKeys("mails");
		this.browser.click("[data-dialog=go]");
		this.browser.await("one queue is left", () -> this.browser.all(".follow-ups tbody tr").size() == 1);
		LowkiqAdmin admin = this.application.bean(LowkiqAdmin.class);
		assertThat(admin.find("mails", "2").jobs()).hasSize(1);
		this.browser.click("[aria-label='Drop: copies']");
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText(".empty", "Nothing waits.");
		assertThat(admin.followUpQueues().queues()).isEmpty();
	}

	private static FollowUp followUp(String queue, String id) {
		return new FollowUp(queue, NewPayload.of(id, TestQueue.payload(id)));
	}

	@Test
	void saysWhoPausedAQueueAndSinceWhen() {
		queue("orders").node("shop-1");
		pause("orders");
		this.browser.open(this.base);
		this.browser.awaitText("#problems", "Queue orders was paused by someone who was not signed in at 2");
		see("paused");
		this.browser.click("#problems [data-kind=PAUSED] a");
		this.browser.awaitText(".badge", "paused");
	}

	/** Before, it was a red line about jobs that wait, without a cause. */
	@Test
	void jobsThatAPauseOrALimitHoldsBackAreNoFault() {
		RedisStore store = this.application.bean(RedisStore.class);
		long due = System.currentTimeMillis() - 700_000;
		TestQueue sync = new TestQueue(store, new QueueDeclaration("sync", 2, ":")).node("shop-1")
			.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, due, 0), "g1:1", "g1:2", "acme:1",
					"acme:2", "acme:3")
			.distribute(":", "g1", "acme");
		this.application.bean(LowkiqAdmin.class).as("anna").group("sync", "g1").pause();
		store.nodes()
			.report(sync.session(), """
					{"threadCount":4,"threads":[],"queues":{"sync":{"groups":{"separator":":",
					"paused":{"g1":{"by":"anna","at":%d}},
					"running":{"acme":{"jobs":2,"since":%2$d,"last":%2$d,"concurrency":2}}}}}}""".formatted(due,
					System.currentTimeMillis()));
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=GROUPS_PAUSED].note",
				"1 group of sync is paused: g1 by anna at 2");
		this.browser.awaitText("#problems [data-kind=LIMITED].note",
				"Group acme of sync has 2 of 2 running; 3 jobs wait.");
		assertThat(problems()).containsExactly("GROUPS_PAUSED", "LIMITED");
		this.browser.awaitText(".queues td", "held back: 11m");
		see("held-back");
		this.browser.click("[aria-label='Resume group: g1']");
		this.browser.await("it is resumed",
				() -> this.application.bean(LowkiqAdmin.class).group("sync", "g1").settings().pause() == null);
		this.browser.await("no notice is in the way", () -> this.browser.all(".toast").isEmpty());
		this.browser.click("#problems [data-kind=LIMITED] a");
		this.browser.awaitText(".groups-of-queue td", "full");
	}

	@Test
	void saysThatRedisMayDeleteJobs() {
		queue("orders").node("shop-1");
		configure("maxmemory-policy", "allkeys-lru");
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=EVICTION].warning",
				"Redis may delete jobs when its memory is full: maxmemory-policy is allkeys-lru.");
		configure("maxmemory", "1gb");
		this.browser.awaitText("#problems [data-kind=EVICTION].danger", "Redis may delete jobs");
		see("eviction");
		configure("maxmemory-policy", "noeviction");
		this.browser.awaitText("#problems", "Nothing is wrong.");
	}

	@Test
	void aJobThatRunsForAQuarterOfAnHourShowsItsStack() {
		TestQueue queue = queue("orders").busy("42").enqueue("42", "43").node("shop-1");
		long since = System.currentTimeMillis() - 900_000;
		this.application.bean(RedisStore.class)
			.nodes()
			.report(queue.session(),
					"""
							{"threadCount":2,"threads":[{"name":"lowkiq-perform-0","queue":"orders","shard":%d,"ids":["42"],
							"since":%d,"stack":{"takenAt":%d,"frames":["com.example.OrderWorker.perform(OrderWorker.java:42)"]}},
							{"name":"lowkiq-perform-1","ids":[],"since":%d}]}"""
						.formatted(queue.layout().shardOf("42").index(), since, System.currentTimeMillis(), since));
		this.browser.open(this.base);
		this.browser.awaitText("#problems", "15 min");
		assertThat(problems()).contains("LONG_RUNNING");
		this.browser.click("#problems [data-kind=LONG_RUNNING] a");
		this.browser.awaitText("#why", "15 min");
		this.browser.awaitText("#why", "lowkiq-perform-0");
		this.browser.open(this.base + "/running");
		this.browser.awaitText(".running td", "long");
		this.browser.click(".running button[aria-expanded=false]");
		this.browser.awaitText(".stack pre", "OrderWorker.java:42");
		see("long-running");
	}

	@Test
	void nothingIsWrongWhereNothingIs() {
		queue("orders").node("shop-1");
		this.browser.open(this.base);
		this.browser.awaitText("#problems", "Nothing is wrong.");
	}

	@Test
	void tellsThatRedisHangsAndHowOldTheNumbersAre() throws Exception {
		queue("orders").enqueue(TestQueue.ids("", 5));
		this.browser.open(this.base);
		this.browser.awaitText("#live", "Updated");
		this.redis.pause();
		try {
			this.browser.awaitText("#stale", "old, from");
			this.browser.awaitThat(
					() -> assertThat(this.browser.find("#live").getDomAttribute("data-state")).isEqualTo("lost"));
			see("redis-hangs");
		}
		finally {
			this.redis.resume();
		}
		this.browser.awaitText("#live", "Updated");
		assertThat(this.browser.all("#stale")).isEmpty();
		// What was asked meanwhile was refused or given up
		this.browser.problems();
	}

	@Test
	void updatesStopOnDemandAndThePageSaysSo() {
		TestQueue queue = queue("orders").enqueue("1");
		this.browser.open(this.base);
		this.browser.awaitText("[data-total=enqueued]", "1");
		this.browser.keys("p");
		this.browser.awaitText("#stale", "Updates are stopped.");
		queue.enqueue("2");
		this.browser.keys("p");
		this.browser.awaitText("[data-total=enqueued]", "2");
	}

	@Test
	void allRunningJobsAreListedLongestFirst() {
		queue("orders").busy("42", "43").node("shop-1", "42", "43");
		this.browser.open(this.base);
		this.browser.keys("g");
		this.browser.keys("r");
		this.browser.awaitText("h1", "Running jobs");
		this.browser.await("two of them", () -> this.browser.all(".running tbody tr").size() == 2);
		this.browser.awaitText("#running-note", "2 of 3 threads busy");
		this.browser.awaitText(".running td", "3 min");
		String shown = this.browser.find(".running lowkiq-elapsed").getText();
		this.browser.await("the time goes on",
				() -> !this.browser.find(".running lowkiq-elapsed").getText().equals(shown));
		see("running");
		this.browser.click(".running th a");
		this.browser.awaitText("#why", "It has been running");
	}

	@Test
	void allTimesFollowOneClock() {
		this.browser.timezone("Asia/Kolkata");
		queue("orders").fail("42").node("shop-1");
		this.browser.open(this.base + "/queues/orders/jobs/42");
		this.browser.awaitText("#clock", "UTC+5:30 local");
		this.browser.awaitText("#why", "waits for attempt");
		String local = performAt();
		assertThat(this.browser.find("#why").getText()).contains(local).doesNotContain("UTC");
		this.browser.keys("c");
		this.browser.awaitText("#clock", "UTC");
		String utc = performAt();
		assertThat(utc).isNotEqualTo(local);
		this.browser.awaitThat(() -> assertThat(this.browser.find("#why").getText()).contains(utc));
		see("clock-utc");
		this.browser.open(this.base);
		this.browser.awaitText("#clock", "UTC");
	}

	@Test
	void aLongListOfQueuesIsPagedTroubledOnesFirst() {
		for (int i = 0; i < 207; i++) {
			TestQueue queue = this.application.queue("queue-%03d".formatted(i), 2);
			if (i != 150) {
				queue.node("shop-" + i % 3);
			}
		}
		this.browser.open(this.base);
		this.browser.await("a page of them", () -> this.browser.all(".queues tbody tr").size() == 25);
		this.browser.awaitThat(() -> assertThat(queueNames().get(0)).isEqualTo("queue-150"));
		this.browser.awaitText("#queue-count", "207");
		see("many-queues");
		click("button", "Next");
		this.browser.awaitText(".queues tbody th", "queue-024");
		this.browser.find("#queue-filter").sendKeys("queue-19");
		this.browser.await("ten of them", () -> this.browser.all(".queues tbody tr").size() == 10);
		this.browser.find(".queues th:nth-child(3) button").sendKeys(Keys.ENTER);
		this.browser.click(".queues tbody th a");
		this.browser.awaitText(".tabs", "Shards");
		this.browser.back();
		this.browser.await("the ten again", () -> this.browser.all(".queues tbody tr").size() == 10);
		this.browser
			.awaitThat(() -> assertThat(this.browser.find(".queues th:nth-child(3)").getDomAttribute("aria-sort"))
				.isEqualTo("descending"));
	}

	@Test
	void manyNodesAreFolded() {
		for (int i = 0; i < 12; i++) {
			this.application.queue("queue-" + i, 2).node("shop-" + i);
		}
		this.browser.open(this.base);
		this.browser.await("twelve lines", () -> this.browser.all("details.node").size() == 12);
		assertThat(this.browser.all(".threads")).isEmpty();
		this.browser.click("details.node summary");
		this.browser.await("its threads", () -> this.browser.all(".threads").size() == 1);
	}

	@Test
	void anUnknownQueueIsNotFound() {
		this.browser.open(this.base + "/queues/nothing");
		this.browser.awaitText("main .callout", "There is no such queue");
		see("unknown-queue");
		assertThat(this.browser.problems()).allMatch((problem) -> problem.contains("404"));
	}

	@Test
	void aListRefreshesItselfUnlessSomeoneWorksOnIt() {
		TestQueue queue = queue("orders").bury("1");
		this.browser.open(this.base + "/queues/orders?state=dead");
		this.browser.await("one", () -> jobIds().size() == 1);
		queue.bury("2");
		this.browser.await("two", () -> jobIds().size() == 2);
		this.browser.click("tr.job[data-id='1'] input");
		this.browser.awaitText("#list-note", "not updated while you work on them");
		queue.bury("3");
		this.browser.awaitText("[data-total=dead]", "3");
		this.browser.awaitThat(() -> assertThat(jobIds()).containsExactlyInAnyOrder("1", "2"));
		this.browser.click("tr.job[data-id='1'] input");
		this.browser.await("three", () -> jobIds().size() == 3);
	}

	@Test
	void shortcutsAreExplained() {
		this.browser.open(this.base);
		this.browser.keys("?");
		this.browser.awaitText("dialog h2", "Keyboard shortcuts");
		assertThat(this.browser.accessibilityProblems()).isEmpty();
		this.browser.screenshot("shortcuts");
		this.browser.keys(Keys.ESCAPE);
		this.browser.await("the dialog is gone", () -> this.browser.all("dialog").isEmpty());
		for (List<String> way : List.of(List.of("e", "Errors"), List.of("a", "Audit log"), List.of("s", "Search"),
				List.of("o", "Overview"))) {
			this.browser.keys("g");
			this.browser.keys(way.get(0));
			this.browser.awaitText("h1", way.get(1));
		}
	}

	/** The last of the times of the job: when it was enqueued comes before. */
	private String performAt() {
		List<WebElement> times = this.browser.all("section[data-state=queued] time");
		return times.get(times.size() - 1).getText();
	}

}
