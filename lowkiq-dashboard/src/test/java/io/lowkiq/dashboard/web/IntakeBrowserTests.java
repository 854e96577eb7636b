package io.lowkiq.dashboard.web;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.admin.SourceControl;
import io.lowkiq.admin.SourceStatus;
import io.lowkiq.admin.SourceStatus.Partition;
import io.lowkiq.admin.SourceStatus.State;
import io.lowkiq.internal.InternalQueue;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.WebElement;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/** Schedules and sources of a whole application: its own server keeps the schedules. */
class IntakeBrowserTests extends PageInBrowser {

	@Override
	TestDashboard application(boolean actions) {
		return TestDashboard.of(WebApplicationType.SERVLET)
			.autoConfigured()
			.with("spring.data.redis.url", this.redis.url())
			.with("lowkiq.key-prefix", "lowkiq")
			.with("lowkiq.dashboard.actions-enabled", actions)
			.with(RecurringConfiguration.class)
			.start();
	}

	private Performed performed() {
		return this.application.bean(Performed.class);
	}

	private Sources sources() {
		return this.application.bean(Sources.class);
	}

	private List<String> cells(String column) {
		return this.browser.all(".schedules tbody [data-label='%s']".formatted(column))
			.stream()
			.map(WebElement::getText)
			.toList();
	}

	@Test
	void schedulesOfAllQueuesAreListedRunAndPaused() {
		this.browser.open(this.base + "/schedules");
		this.browser
			.awaitThat(() -> assertThat(cells("Schedule")).containsExactly("hourly", "fiscal", "nightly", "often"));
		this.browser
			.awaitThat(() -> assertThat(cells("Queue")).containsExactly("billing", "reports", "reports", "reports"));
		this.browser.awaitThat(
				() -> assertThat(cells("Expression").get(2)).startsWith("0 30 2 * * *").endsWith("Europe/Berlin"));
		this.browser.awaitThat(() -> assertThat(cells("Next")).allMatch((next) -> next.contains("in ")));
		this.browser.awaitThat(() -> assertThat(cells("Last").get(3)).endsWith(" ago"));
		this.browser.awaitThat(() -> assertThat(cells("Result").get(3)).isEqualTo("done"));
		see("schedules");
		this.browser.click("[data-action=run-schedule][aria-label='Run now: nightly of reports']");
		this.browser.awaitText("dialog", "A job of schedule nightly is enqueued into queue reports for this moment.");
		assertThat(this.browser.accessibilityProblems()).isEmpty();
		this.browser.click("[data-dialog=go]");
		this.browser.awaitText(".toast", "A job of the schedule was enqueued.");
		this.browser.await("it was performed", () -> performed().ids().contains("nightly"));
		this.browser.click("[data-action=pause-schedule][aria-label='Pause: nightly of reports']");
		this.browser.awaitThat(() -> assertThat(cells("Next").get(2)).isEqualTo("paused"));
		// From then on it is counted as a job on hold
		this.browser.open(this.base + "/queues/" + InternalQueue.SCHEDULES.nameFor("reports"));
		this.browser.awaitThat(() -> assertThat(this.browser.find("[data-total=held]").getText()).isEqualTo("1"));
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=SCHEDULE_PAUSED]", "Schedule nightly of queue reports is paused.");
		this.browser.awaitThat(() -> assertThat(problems()).contains("SCHEDULE_PAUSED").doesNotContain("HELD"));
		this.browser.click("#problems [data-kind=SCHEDULE_PAUSED] a");
		this.browser.click("[data-action=resume-schedule]");
		this.browser.awaitThat(() -> assertThat(cells("Next").get(2)).contains("in "));
		this.browser.open(this.base + "/audit");
		this.browser.awaitText(".audit td", "Run schedule now");
		this.browser.awaitText(".audit td", "Pause schedule");
	}

	@Test
	void aQueueHasATabForItsSchedules() {
		this.browser.open(this.base + "/queues/reports");
		this.browser.awaitText(".tabs", "Schedules");
		click(".tabs a", "Schedules");
		this.browser.awaitThat(() -> assertThat(cells("Schedule")).containsExactly("fiscal", "nightly", "often"));
		assertThat(cells("Queue")).isEmpty();
		see("schedules-of-a-queue");
		this.browser.click("[data-action=pause-schedule][aria-label='Pause: fiscal of reports']");
		this.browser.awaitThat(() -> assertThat(cells("Next").get(0)).isEqualTo("paused"));
	}

	@Test
	void queuesThatAreKeptForOthersAreNoQueuesOfTheirOwn() {
		queue("reports");
		this.application.queue(InternalQueue.RECORDS.nameFor("billing"), 1).bury("billing-0-17", "billing-0-18");
		this.browser.open(this.base);
		this.browser.awaitText(".queues tbody th", "billing");
		this.browser.awaitThat(
				() -> assertThat(this.browser.all(".queues tbody th a").stream().map(WebElement::getText).toList())
					.containsExactly("billing", "reports"));
		this.browser.awaitThat(() -> assertThat(this.browser.find("[data-total=dead]").getText()).isEqualTo("0"));
		this.browser.awaitThat(() -> assertThat(this.browser.find("[data-total=enqueued]").getText()).isEqualTo("0"));
		this.browser.awaitText(".owned", "billing");
		assertThat(this.browser.find("#nodes").getText()).doesNotContain("reports.schedules", "billing.records");
		this.browser.awaitText("#problems [data-kind=GIVEN_UP]",
				"Queue billing: 2 records were given up, because they could not become jobs.");
		this.browser.awaitThat(() -> assertThat(problems()).doesNotContain("DEAD"));
		this.browser.open(this.base + "/queues/billing");
		click(".tabs a", "Given-up records 2");
		this.browser.await("the records", () -> jobIds().size() == 2);
		this.browser.awaitText(".crumbs", "billing");
		see("given-up-records");
		this.browser.click(".crumbs a");
		this.browser.awaitText("h1", "billing");
	}

	@Test
	void sourcesAreShownPausedAndResumed() {
		this.browser.open(this.base);
		click(".menu a", "Sources");
		this.browser.awaitText(".source h2", "lowkiq-kafka-billing");
		this.browser.awaitText(".source .badge", "running");
		this.browser.awaitThat(() -> assertThat(this.browser.find(".source-lag").getText()).isEqualTo("≥ 1,234"));
		this.browser.awaitThat(() -> assertThat(this.browser.all(".partitions tbody tr")).hasSize(2));
		see("sources");
		this.browser.click("[data-action=pause-source]");
		this.browser.awaitText(".source .badge.warn", "paused");
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=SOURCE_PAUSED]",
				"Source lowkiq-kafka-billing of queue billing is paused in this application.");
		this.browser.click("#problems [data-kind=SOURCE_PAUSED] a");
		this.browser.click("[data-action=resume-source]");
		this.browser.awaitText(".source .badge.ok", "running");
		sources().becomes(State.FAILED, null);
		this.browser.awaitText(".source .badge.danger", "stopped because of an error");
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=SOURCE_STOPPED].danger",
				"Source lowkiq-kafka-billing of queue billing has stopped because of an error");
		sources().becomes(State.RUNNING, "java.net.ConnectException: The schema registry is away");
		this.browser.awaitText("#problems [data-kind=SOURCE_WAITS]", "3 records wait that can't be enqueued");
		this.browser.click("#problems [data-kind=SOURCE_WAITS] a");
		this.browser.awaitText(".callout.warn", "3 records can't be enqueued now, and wait");
		see("source-waits");
		sources().isUnanswered();
		this.browser.awaitText(".callout.warn", "Nothing is read: No broker has answered for a minute");
		this.browser.open(this.base);
		this.browser.awaitText("#problems [data-kind=SOURCE_WAITS]",
				"Source lowkiq-kafka-billing of queue billing reads nothing");
	}

	/**
	 * The ids of the jobs that were performed. Written by the threads of the server, read
	 * by tests.
	 */
	record Performed(List<String> ids) {
	}

	/** Workers with schedules, and a source. */
	@TestConfiguration(proxyBeanMethods = false)
	static class RecurringConfiguration {

		@Bean
		Performed performed() {
			return new Performed(new CopyOnWriteArrayList<>());
		}

		@Bean
		Reports reports(Performed performed) {
			return new Reports(performed);
		}

		@Bean
		Billing billing() {
			return new Billing();
		}

		@Bean
		Sources sources() {
			return new Sources();
		}

	}

	@LowkiqWorker(queue = "reports", shards = 2)
	@LowkiqSchedule(id = "nightly", cron = "0 30 2 * * *", zone = "Europe/Berlin")
	@LowkiqSchedule(id = "fiscal", cron = "0 0 0 1 4 *", zone = "Asia/Kolkata")
	@LowkiqSchedule(id = "often", cron = "* * * * * *")
	static final class Reports implements Worker<String> {

		private final Performed performed;

		Reports(Performed performed) {
			this.performed = performed;
		}

		@Override
		public void perform(String id, List<String> payloads) {
			this.performed.ids().add(id);
		}

		@Override
		public String payloadAt(String schedule, Instant time) {
			return time.toString();
		}

	}

	@LowkiqWorker(queue = "billing", shards = 2)
	@LowkiqSchedule(id = "hourly", cron = "@hourly")
	static final class Billing implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

		@Override
		public String payloadAt(String schedule, Instant time) {
			return time.toString();
		}

	}

	/** A source as the application would have it. */
	static final class Sources implements SourceControl {

		/** Written by requests and tests, read by requests. */
		private volatile SourceStatus source = status(State.RUNNING, null);

		private static SourceStatus status(State state, String problem) {
			return new SourceStatus("lowkiq-kafka-billing", "billing", List.of("invoices"), "billing", state,
					(problem != null) ? 3 : 0, problem,
					List.of(new Partition("invoices", 0, 1_234L), new Partition("invoices", 1, null)));
		}

		void becomes(State state, String problem) {
			this.source = status(state, problem);
		}

		void isUnanswered() {
			this.source = new SourceStatus("lowkiq-kafka-billing", "billing", List.of("invoices"), "billing",
					State.RUNNING, 0, "No broker has answered for a minute", List.of());
		}

		@Override
		public List<SourceStatus> all() {
			return List.of(this.source);
		}

		@Override
		public void pause(String name) {
			becomes(State.PAUSED, null);
		}

		@Override
		public void resume(String name) {
			becomes(State.RUNNING, null);
		}

		@Override
		public void seek(String name, String topic, int partition, long offset) {
			throw new UnsupportedOperationException();
		}

	}

}
