package io.lowkiq.test.app;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

import io.lowkiq.LowkiqClient;
import io.lowkiq.test.LowkiqMode;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.autoconfigure.AutoConfigureLowkiq;
import io.lowkiq.test.autoconfigure.LowkiqTest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that JUnit runs in parallel: two classes share a context, and another one has the
 * whole application.
 */
class ParallelTests {

	@Test
	void testsThatRunInParallelDoNotDisturbEachOther() {
		SummaryGeneratingListener summary = new SummaryGeneratingListener();
		LauncherFactory.create()
			.execute(LauncherDiscoveryRequestBuilder.request()
				.selectors(List.of(DiscoverySelectors.selectClass(Slice.class),
						DiscoverySelectors.selectClass(SameSlice.class), DiscoverySelectors.selectClass(Whole.class)))
				.configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
				.configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
				.configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
				.configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "8")
				.build(), summary);
		StringWriter failures = new StringWriter();
		summary.getSummary().printFailuresTo(new PrintWriter(failures), 10);
		assertThat(failures.toString()).isEmpty();
		assertThat(summary.getSummary().getTestsSucceededCount()).isEqualTo(50);
	}

	private static void check(LowkiqClient client, LowkiqTester lowkiq, RepetitionInfo repetition) {
		String id = "mail-" + repetition.getCurrentRepetition();
		client.enqueue(MailWorker.class, id, "hello");
		assertThat(lowkiq.queue("mails")).hasOnlyJobs(id);
		assertThat(lowkiq.drain("mails")).isEqualTo(1);
		assertThat(lowkiq.queue("mails")).isEmpty();
	}

	@LowkiqTest
	@Import(OrderBook.class)
	static class Slice {

		@RepeatedTest(20)
		void jobsAreThoseOfTheTest(@Autowired LowkiqClient client, @Autowired LowkiqTester lowkiq,
				RepetitionInfo repetition) {
			check(client, lowkiq, repetition);
		}

	}

	@LowkiqTest
	@Import(OrderBook.class)
	static class SameSlice {

		@RepeatedTest(20)
		void jobsAreThoseOfTheTest(@Autowired LowkiqClient client, @Autowired LowkiqTester lowkiq,
				RepetitionInfo repetition) {
			check(client, lowkiq, repetition);
		}

	}

	@SpringBootTest(classes = ShopApplication.class)
	@AutoConfigureLowkiq(mode = LowkiqMode.MANUAL)
	static class Whole {

		@RepeatedTest(10)
		void jobsAreThoseOfTheTest(@Autowired LowkiqClient client, @Autowired LowkiqTester lowkiq,
				RepetitionInfo repetition) {
			check(client, lowkiq, repetition);
		}

	}

}
