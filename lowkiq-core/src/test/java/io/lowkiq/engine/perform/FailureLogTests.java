package io.lowkiq.engine.perform;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.read.ListAppender;
import io.lowkiq.engine.perform.FailureLog.Rank;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;

/** How much of many failures is logged. */
class FailureLogTests {

	private final Logger logger = (Logger) LoggerFactory.getLogger(FailureLog.class);

	private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 10);

	private final FailureLog log = new FailureLog(this.nanos::get);

	@BeforeEach
	void listen() {
		this.lines.start();
		this.logger.addAppender(this.lines);
	}

	@AfterEach
	void stop() {
		this.logger.detachAppender(this.lines);
		this.logger.setLevel(null);
	}

	private void fail(String queue, String id, Throwable error, Rank rank) {
		this.log.failed(queue, id, error, rank, () -> "Job '" + id + "' failed");
	}

	private List<String> messages() {
		return this.lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
	}

	private long traces() {
		return this.lines.list.stream().filter((line) -> line.getThrowableProxy() != null).count();
	}

	@Test
	void theFirstAndTheLastFailureOfAJobHaveATraceTheOthersOneLine() {
		fail("orders", "a", new IllegalStateException("boom"), Rank.FIRST);
		fail("orders", "a", new IllegalStateException("boom"), Rank.REPEATED);
		fail("orders", "a", new IllegalStateException("boom"), Rank.LAST);
		assertThat(this.lines.list).extracting((line) -> line.getThrowableProxy() != null)
			.containsExactly(true, false, true);
		assertThat(messages().get(1)).isEqualTo("Job 'a' failed: java.lang.IllegalStateException: boom");
	}

	@Test
	void errorTrackersSeeTheClassOfTheExceptionAndOfItsCause() {
		fail("orders", "a", new IllegalStateException("boom", new IllegalArgumentException("why")), Rank.FIRST);
		IThrowableProxy logged = this.lines.list.get(0).getThrowableProxy();
		assertThat(logged.getClassName()).isEqualTo("java.lang.IllegalStateException");
		assertThat(logged.getCause().getClassName()).isEqualTo("java.lang.IllegalArgumentException");
	}

	@Test
	void eachLineHasTheClassOfTheExceptionAsAKey() {
		for (Rank rank : Rank.values()) {
			fail("orders", "a", new IllegalStateException("a\nforged line"), rank);
		}
		assertThat(this.lines.list).hasSize(3)
			.allSatisfy((line) -> assertThat(line.getMDCPropertyMap()).containsEntry("lowkiq.error",
					"java.lang.IllegalStateException"));
		assertThat(MDC.get("lowkiq.error")).isNull();
	}

	@Test
	void anExceptionThatCouldForgeALineIsACopy() {
		fail("orders", "a", new IllegalStateException("fine", new IllegalStateException("a\nforged line")), Rank.FIRST);
		IThrowableProxy logged = this.lines.list.get(0).getThrowableProxy();
		assertThat(logged.getMessage()).isEqualTo("java.lang.IllegalStateException: fine");
		assertThat(logged.getCause().getMessage()).isEqualTo("java.lang.IllegalStateException: a\\nforged line");
	}

	@Test
	void aThousandFailuresAMinuteAreTenLinesAndASummary() {
		for (int i = 0; i < 1_000; i++) {
			fail("orders", "id-" + i, new IllegalStateException("boom"), Rank.FIRST);
		}
		assertThat(messages()).hasSize(10);
		assertThat(traces()).isEqualTo(1);
		this.nanos.addAndGet(Duration.ofSeconds(59).toNanos());
		this.log.summarize(false);
		assertThat(messages()).hasSize(10);
		this.nanos.addAndGet(Duration.ofSeconds(1).toNanos());
		this.log.summarize(false);
		assertThat(messages()).last()
			.isEqualTo("… 990 more failures of queue 'orders' with java.lang.IllegalStateException within a minute, "
					+ "the last one of job 'id-999'");
		this.log.summarize(false);
		assertThat(messages()).hasSize(11);
	}

	@Test
	void theNextMinuteBeginsWithTheSummaryAndATrace() {
		for (int i = 0; i < 12; i++) {
			fail("orders", "a", new IllegalStateException("boom"), Rank.LAST);
		}
		this.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
		fail("orders", "b", new IllegalStateException("boom"), Rank.LAST);
		assertThat(messages()).hasSize(12);
		assertThat(messages().get(10)).startsWith("… 2 more last failures of queue 'orders' with");
		assertThat(this.lines.list.get(11).getThrowableProxy()).isNotNull();
	}

	@Test
	void queuesClassesAndLastFailuresCountByThemselves() {
		for (int i = 0; i < 50; i++) {
			fail("orders", "a", new IllegalStateException("boom"), Rank.FIRST);
			fail("orders", "a", new IllegalStateException("boom"), Rank.LAST);
			fail("orders", "a", new IllegalArgumentException("boom"), Rank.FIRST);
			fail("mails", "a", new IllegalStateException("boom"), Rank.FIRST);
		}
		assertThat(messages()).hasSize(40);
		this.log.summarize(true);
		assertThat(messages()).hasSize(44);
	}

	@Test
	void manyQueuesCostLittleMemory() {
		for (int i = 0; i < 10_000; i++) {
			fail("queue-" + i, "a", new IllegalStateException("boom"), Rank.FIRST);
		}
		assertThat(messages()).hasSize(210);
		this.log.summarize(true);
		assertThat(messages()).hasSize(211).last().asString().startsWith("… 9790 more failures of queue '(others)'");
	}

	@Test
	void withTheLevelDebugEachFailureIsLoggedInFull() {
		this.logger.setLevel(Level.DEBUG);
		for (int i = 0; i < 100; i++) {
			fail("orders", "a", new IllegalStateException("boom"), Rank.REPEATED);
		}
		assertThat(traces()).isEqualTo(100);
	}

	@Test
	void theLinesNameTheJobInTheirContext() {
		fail("orders", "a\nb", new IllegalStateException("boom"), Rank.REPEATED);
		assertThat(this.lines.list.get(0).getMDCPropertyMap()).containsEntry("lowkiq.queue", "orders")
			.containsEntry("lowkiq.id", "a\\nb");
		assertThat(MDC.get("lowkiq.id")).isNull();
	}

}
