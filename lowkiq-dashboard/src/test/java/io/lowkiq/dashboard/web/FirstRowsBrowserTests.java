package io.lowkiq.dashboard.web;

import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** What is loaded before the first rows on a slow line. */
class FirstRowsBrowserTests extends PageInBrowser {

	private static final Logger logger = LoggerFactory.getLogger(FirstRowsBrowserTests.class);

	private static final int LOADS = 5;

	@BeforeEach
	void fill() {
		for (int i = 0; i < 30; i++) {
			this.application.queue("queue-" + i, 2).enqueue("1");
		}
		// The server has answered once
		this.browser.open(this.base);
		this.browser.leave();
		this.browser.rememberFirstRows();
		this.browser.line(1_600_000 / 8, 150);
	}

	/**
	 * What the time depends on: how much is asked for, and that nothing is asked for
	 * twice.
	 */
	@Test
	void littleIsLoadedBeforeTheFirstRows() {
		FirstRows overview = cold("");
		FirstRows again = load("");
		FirstRows queue = cold("/queues/queue-7?state=due");
		assertThat(queue.requests()).isLessThanOrEqualTo(22);
		assertThat(queue.bytes()).isLessThan(80_000);
		assertThat(overview.requests()).isLessThanOrEqualTo(18);
		assertThat(overview.bytes()).isLessThan(60_000);
		assertThat(again.bytes()).isLessThan(10_000);
	}

	/** Measures. Machines differ, so the time is told, not asserted. */
	@Test
	@Tag("long")
	void theTimesOfTheFirstRowsAreTold() {
		for (String page : List.of("", "/queues/queue-7?state=due", "/queues/queue-7")) {
			List<FirstRows> loads = Stream.generate(() -> cold(page)).limit(LOADS).toList();
			logger.warn("First rows of '{}' on 1.6 Mbit/s with 150 ms: {} ms after {} requests and {} bytes, of {}",
					page, median(loads, FirstRows::millis), median(loads, FirstRows::requests),
					median(loads, FirstRows::bytes), loads.stream().map(FirstRows::millis).toList());
		}
	}

	private static int median(List<FirstRows> loads, ToIntFunction<FirstRows> figure) {
		return loads.stream().mapToInt(figure).sorted().toArray()[LOADS / 2];
	}

	/** With nothing in the cache. */
	private FirstRows cold(String page) {
		this.browser.clearCache();
		return load(page);
	}

	private FirstRows load(String page) {
		this.browser.visit(this.base + page);
		List<?> numbers = this.browser.firstRows();
		return new FirstRows(((Number) numbers.get(0)).intValue(), ((Number) numbers.get(1)).intValue(),
				((Number) numbers.get(2)).intValue());
	}

	private record FirstRows(int millis, int requests, int bytes) {
	}

}
