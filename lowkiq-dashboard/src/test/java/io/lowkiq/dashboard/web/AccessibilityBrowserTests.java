package io.lowkiq.dashboard.web;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.lowkiq.admin.UnsentJob;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.testing.TestOutbox;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What axe-core says of every kind of page, of what opens on them, and of each dialog:
 * light, dark, and on a phone.
 */
class AccessibilityBrowserTests extends PageInBrowser {

	private static final String[] LISTS = { "due", "scheduled", "retries", "held", "suspects", "queued", "busy",
			"dead" };

	private static final String[] JOBS = { "due-1", "later", "failed-1", "held", "suspect", "busy", "dead-1",
			"nothing" };

	@Override
	TestDashboard application(boolean actions) {
		return TestDashboard.of(WebApplicationType.SERVLET)
			.autoConfigured()
			.with("spring.data.redis.url", this.redis.url())
			.with("lowkiq.key-prefix", "lowkiq")
			.with("lowkiq.dashboard.actions-enabled", actions)
			.with(IntakeBrowserTests.RecurringConfiguration.class)
			.with(StateTests.OutboxConfiguration.class)
			.start();
	}

	@Test
	void everyPageAndDialogIsClean() {
		fill();
		Map<String, List<String>> found = new LinkedHashMap<>();
		Stream.of(pages(), queues(), jobs(), opened(), dialogs()).flatMap((some) -> some).forEach((scene) -> {
			show(scene);
			judge(scene.toString(), found);
		});
		// Nodes are folded, and queues paged
		for (int i = 0; i < 30; i++) {
			this.application.queue("queue-" + i, 2).node("shop-" + (2 + i % 5));
		}
		show(new Scene("", "details.node"));
		judge("overview of many queues", found);
		assertThat(found).isEmpty();
		// The pages that don't exist
		assertThat(this.browser.problems()).allMatch((problem) -> problem.contains("404"));
	}

	private void show(Scene scene) {
		this.browser.size(1280, 900).open(this.base + scene.path());
		scene.clicks().forEach(this.browser::click);
		this.browser.find(scene.shown());
	}

	private void judge(String scene, Map<String, List<String>> found) {
		for (Look look : Look.values()) {
			this.browser.size(look.width, 900).dark(look.dark);
			List<String> problems = this.browser.accessibilityProblems();
			if (!problems.isEmpty()) {
				found.put(scene + " " + look, problems);
			}
		}
		this.browser.dark(false);
	}

	private static Stream<Scene> pages() {
		return Stream.of(new Scene("", ".queues tbody th"), new Scene("/running", ".running tbody tr"),
				new Scene("/errors", ".kind .groups"), new Scene("/errors?queue=orders", ".kind"),
				new Scene("/search", "#search-text"), new Scene("/search?text=d", ".hits li"),
				new Scene("/search?text=none", "main .empty"), new Scene("/schedules", ".schedules tbody tr"),
				new Scene("/sources", ".source"), new Scene("/outbox", ".aside tbody tr"),
				new Scene("/follow-ups", ".follow-ups tbody tr"), new Scene("/audit", ".audit tbody tr"),
				new Scene("/help", ".guide a"), new Scene("/help?about=order-42-doesnt-run", ".guide table"),
				new Scene("/nothing", "h1"), new Scene("/queues/nothing", "main .callout"));
	}

	private static Stream<Scene> queues() {
		return Stream.concat(Stream.of(LISTS).map((list) -> new Scene("/queues/orders?state=" + list, "tr.job")),
				Stream.of(new Scene("/queues/orders?state=dead&prefix=dead-", ".active-filters"),
						new Scene("/queues/mails?state=due", "main .empty"),
						new Scene("/queues/orders?view=shards", ".shards tbody tr"),
						new Scene("/queues/orders?view=history", "canvas"),
						new Scene("/queues/reports?view=schedules", ".schedules tbody tr"),
						new Scene("/queues/sync?view=groups", ".groups-of-queue tbody tr"),
						new Scene("/queues/" + InternalQueue.RECORDS.nameFor("billing") + "?state=dead", "tr.job")));
	}

	private static Stream<Scene> jobs() {
		return Stream.concat(Stream.of(JOBS).map((id) -> new Scene("/queues/orders/jobs/" + id, "#why:not(:empty)")),
				Stream.of(new Scene("/queues/letters/jobs/42", "#why.danger")));
	}

	/** What is folded at first, and what is chosen. */
	private static Stream<Scene> opened() {
		return Stream.of(new Scene("", ".chart-table[open]", ".chart-table summary"),
				new Scene("", "[data-choice='2880'][aria-pressed=true]", "[data-choice='2880']"),
				new Scene("/queues/orders?state=dead", ".detail pre", "tr.job .toggle button"),
				new Scene("/queues/orders?state=retries", ".selection", "tr.job input"),
				new Scene("/queues/orders/jobs/dead-1", ".error-block pre", ".error-block summary"),
				new Scene("/running", ".stack pre", ".running button[aria-expanded=false]"));
	}

	private static Stream<Scene> dialogs() {
		return Stream.of(new Scene("", "dialog .keys", "#keys"),
				new Scene("/queues/orders?state=dead", "dialog #affected", "[data-action=delete-all-dead]"),
				new Scene("/queues/orders?state=retries", "dialog .done-text", "[data-action=kill-all-failed]",
						"[data-dialog=go]"),
				new Scene("/queues/mails?view=shards", "dialog #confirm-name", "[data-action=remove-queue]"),
				new Scene("/queues/orders/jobs/held", "dialog .curls", "#curl"),
				new Scene("/queues/orders/jobs/held", "dialog .edit-problem:not(:empty)", "[data-action=edit]",
						"[data-dialog=save]"),
				new Scene("/schedules", "dialog", "[data-action=run-schedule]"),
				new Scene("/queues/sync?view=groups", "dialog #group-weight", "[data-action=change-group]"),
				new Scene("/follow-ups", "dialog #redirect-to", "[data-action=redirect-follow-ups]"),
				new Scene("/follow-ups", "dialog", "[data-action=drop-follow-ups]"),
				new Scene("/outbox", "dialog", "[data-action=drop-unsent]"));
	}

	/** A queue with jobs in each state, and something on each page. */
	private void fill() {
		RedisStore store = this.application.bean(RedisStore.class);
		TestQueue orders = queue("orders").buryWith("a.Declined: Card 1 declined", TestQueue.ids("declined-", 3))
			.bury(TestQueue.ids("dead-", 6))
			.fail(TestQueue.ids("failed-", 3))
			.exhaustMemory("suspect")
			.hold("held")
			.busy("busy")
			.node("shop-1", "busy")
			.enqueue(TestQueue.ids("due-", 60))
			.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null,
					System.currentTimeMillis() + Duration.ofHours(1).toMillis(), 0), "later");
		store.nodes()
			.report(orders.session(),
					"""
							{"threadCount":2,"reportedAt":%d,"threads":[{"name":"lowkiq-perform-0","queue":"orders","shard":%d,"ids":["busy"],
							"since":%d,"stack":{"takenAt":%d,"frames":["com.example.OrderWorker.perform(OrderWorker.java:42)"]}}]}"""
						.formatted(System.currentTimeMillis(), orders.layout().shardOf("busy").index(),
								System.currentTimeMillis() - 900_000, System.currentTimeMillis()));
		queue("letters").unreadable("42").node("shop-2");
		queue("refunds").buryWith("a.Declined: Card 22 declined", "1")
			.done("2", List.of(new FollowUp("prints", NewPayload.of("3", TestQueue.payload("3")))));
		queue("sync").enqueue("acme:1").distribute(":");
		queue("mails");
		this.application.queue(InternalQueue.RECORDS.nameFor("billing"), 1).bury("billing-0-17");
		TestOutbox outbox = this.application.bean(TestOutbox.class);
		outbox.putAside(new UnsentJob(8, "orders", "42", "The id is too long", Instant.now()));
		outbox.waiting(Map.of("queue 'prints'", "No queue 'prints'"));
		pause("mails");
	}

	/** A page, what is clicked there, and what is shown then. */
	private record Scene(String path, String shown, List<String> clicks) {

		Scene(String path, String shown, String... clicks) {
			this(path, shown, List.of(clicks));
		}

		@Override
		public String toString() {
			return this.clicks.isEmpty() ? this.path : "%s after %s".formatted(this.path, this.clicks);
		}

	}

	private enum Look {

		LIGHT(1280, false), DARK(1280, true), PHONE(360, false);

		private final int width;

		private final boolean dark;

		Look(int width, boolean dark) {
			this.width = width;
			this.dark = dark;
		}

	}

}
