package io.lowkiq.dashboard.web;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.dashboard.api.DashboardApi;
import io.lowkiq.dashboard.history.RecordedHistory;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.redis.RedisStore;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.WebElement;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** What the page says of the past: of a queue, and of a job. */
class PastBrowserTests extends PageInBrowser {

	private static final int MAX_RETRY_COUNT = 25;

	@Test
	void theHistoryOf48HoursIsShown() {
		queue("orders").node("shop-1");
		// Nothing is recorded any more while it is looked at
		this.application.bean(DashboardApi.class).loop().close();
		RecordedHistory.write(this.application.bean(StringRedisTemplate.class), "orders", 48 * 60);
		this.browser.open(this.base);
		this.browser.click(".chart-table summary");
		assertTable(60, "Processed/s", "Failed/s");
		choose("Lag");
		awaitValue("1m 5s");
		choose("6 h");
		choose("Backlog");
		assertTable(360, "Enqueued", "Dead");
		awaitValue("5,000");
		see("history-backlog");
		this.browser.open(this.base + "/queues/orders?view=history");
		this.browser.click(".chart-table summary");
		choose("48 h");
		choose("Duration");
		assertTable(48 * 60 - 1, "p50", "p95");
		// Most take 4 to 8 ms, and in the incident every second one 32 to 64 ms
		awaitValue("61ms");
		choose("Throughput");
		// axe-core would take long for so many rows
		this.browser.click(".chart-table summary");
		this.browser.await("no rows", () -> rows() == 0);
		see("history-48-hours");
	}

	private void choose(String label) {
		click(".segments button", label);
		this.browser.await(label, () -> this.browser
			.script("return [...document.querySelectorAll('.segments button[aria-pressed=true]')].some((each) =>"
					+ " each.textContent === arguments[0])", label)
			.equals(true));
	}

	/** Asked by one script, as the table may be drawn again meanwhile. */
	private void awaitValue(String value) {
		this.browser.await(value,
				() -> this.browser
					.script("return [...document.querySelectorAll('.chart-table td')].some((each) =>"
							+ " each.textContent === arguments[0])", value)
					.equals(true));
	}

	/** Counted there: the driver takes long for thousands of elements. */
	private long rows() {
		return (Long) this.browser.script("return document.querySelectorAll('.chart-table tbody tr').length");
	}

	private void assertTable(int rows, String... columns) {
		// A minute may have passed since the history was recorded
		this.browser.await(rows + " rows", () -> {
			long shown = rows();
			return shown <= rows && shown > rows - 5;
		});
		this.browser.awaitThat(() -> assertThat(
				this.browser.script("return [...document.querySelectorAll('.chart-table thead th')].slice(1)"
						+ ".map((each) => each.textContent)"))
			.isEqualTo(List.of(columns)));
	}

	@Test
	void aJobTellsWhenAndWhereItHasFailedBefore() {
		queue("orders").enqueue("42");
		FailingWorker worker = new FailingWorker();
		LowkiqServer server = new LowkiqServer(new ServerOptions(
				new WorkerRegistry(List.of(new RegisteredWorker("orders", FailingWorker.class, Object.class,
						new RegisteredWorker.Settings(5, 1, MAX_RETRY_COUNT, 1_000, 1, 0), () -> worker))),
				this.application.bean(RedisStore.class))
			.node("shop-1"));
		server.start();
		try {
			this.browser.open(this.base + "/queues/orders/jobs/42");
			this.browser.awaitText("section[data-state=queued]", "attempt 4 of 26");
			this.browser.awaitText(".attempts summary", "3 failed attempts");
			this.browser.click(".attempts summary");
			List<String> attempts = this.browser.all(".attempts li").stream().map(WebElement::getText).toList();
			assertThat(attempts).hasSize(3).allSatisfy((attempt) -> assertThat(attempt).contains("on shop-1"));
			assertThat(attempts.get(0)).startsWith("Attempt 3").contains("The order is locked (retry 1)");
			assertThat(attempts.get(2)).startsWith("Attempt 1").contains("The order is locked (retry -1)");
			see("attempts");
			this.browser.open(this.base + "/queues/orders?state=retries");
			this.browser.click("tr.job .toggle button");
			this.browser.awaitText(".attempts summary", "3 failed attempts");
		}
		finally {
			server.stop(Duration.ofSeconds(10));
		}
	}

	/** Fails three times at once, and is tried again in an hour. */
	private static final class FailingWorker implements Worker<Object> {

		/**
		 * Written and read by the threads that perform the only job, one after the other.
		 */
		private final AtomicInteger retries = new AtomicInteger(-1);

		@Override
		public void perform(String id, List<Object> payloads) {
			throw new IllegalStateException("The order is locked (retry %d)".formatted(this.retries.get()));
		}

		@Override
		public Duration retryIn(int retryCount, Throwable error) {
			this.retries.set(retryCount);
			return (retryCount < 2) ? Duration.ofMillis(1) : Duration.ofHours(1);
		}

	}

}
