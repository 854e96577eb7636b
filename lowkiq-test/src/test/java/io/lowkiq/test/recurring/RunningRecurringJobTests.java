package io.lowkiq.test.recurring;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;

import io.lowkiq.test.LowkiqMode;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.autoconfigure.LowkiqTest;

import static org.assertj.core.api.Assertions.assertThat;

/** Recurring jobs in virtual time that threads perform. */
@LowkiqTest(mode = LowkiqMode.RUNNING)
class RunningRecurringJobTests {

	@Autowired
	private LowkiqTester lowkiq;

	@Autowired
	private ReportWorker worker;

	@Test
	void aDailyScheduleGivesAJobADay() {
		this.lowkiq.drainFor(Duration.ofDays(3));
		assertThat(this.worker.times).hasSizeBetween(2, 4).isSorted().doesNotHaveDuplicates();
	}

}
