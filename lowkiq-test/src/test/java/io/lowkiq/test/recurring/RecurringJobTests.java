package io.lowkiq.test.recurring;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;

import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.ScheduleStatus;
import io.lowkiq.admin.ScheduleStatus.Result;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.autoconfigure.LowkiqTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Recurring jobs in virtual time, and as people see them. */
@LowkiqTest
class RecurringJobTests {

	@Autowired
	private LowkiqTester lowkiq;

	@Autowired
	private LowkiqAdmin admin;

	@Autowired
	private ReportWorker worker;

	@BeforeEach
	void clear() {
		this.worker.times.clear();
		this.worker.isBroken = false;
	}

	private ScheduleStatus nightly() {
		assertThat(this.admin.schedules()).hasSize(1);
		return this.admin.schedules().get(0);
	}

	@Test
	void aDailyScheduleGivesAJobADay() {
		assertThat(this.lowkiq.drain()).isZero();
		assertThat(this.lowkiq.drainFor(Duration.ofDays(400))).isBetween(399L, 401L);
		assertThat(this.worker.times).hasSizeBetween(399, 401).isSorted().doesNotHaveDuplicates();
		assertThat(this.lowkiq.counts().performs()).isEqualTo(this.worker.times.size());
		assertThat(this.lowkiq.counts()).isEqualTo(this.lowkiq.counts("reports"));
	}

	@Test
	void theTimesOfATestAreThoseOfNoOther() {
		this.lowkiq.drainFor(Duration.ofDays(1).plusHours(1));
		assertThat(this.worker.times).hasSizeBetween(1, 2);
		this.lowkiq.reset();
		this.worker.times.clear();
		this.lowkiq.drainFor(Duration.ofDays(1).plusHours(1));
		assertThat(this.worker.times).hasSizeBetween(1, 2);
	}

	@Test
	void timesAreStepsOfTheirOwnInTheModeManual() {
		Instant next = nightly().next();
		this.lowkiq.advance(Duration.between(this.lowkiq.now(), next));
		assertThat(this.worker.times).isEmpty();
		assertThat(this.lowkiq.performNext()).isTrue();
		assertThat(this.worker.times).containsExactly(next);
		assertThat(this.lowkiq.performNext()).isFalse();
	}

	@Test
	void aScheduleSaysWhatComesAndWhatWas() {
		ScheduleStatus fresh = nightly();
		assertThat(fresh.queue()).isEqualTo("reports");
		assertThat(fresh.id()).isEqualTo("nightly");
		assertThat(fresh.cron()).isEqualTo("0 30 2 * * *");
		assertThat(fresh.zone()).isEqualTo("Europe/Berlin");
		assertThat(fresh.next()).isAfter(this.lowkiq.now());
		assertThat(fresh.last()).isNull();
		assertThat(fresh.lastResult()).isEqualTo(Result.NONE);
		this.lowkiq.drainFor(Duration.ofDays(2));
		assertThat(nightly().last()).isEqualTo(this.worker.times.get(this.worker.times.size() - 1));
		assertThat(nightly().lastResult()).isEqualTo(Result.DONE);
		this.worker.isBroken = true;
		this.lowkiq.advance(Duration.between(this.lowkiq.now(), nightly().next()));
		this.lowkiq.drain("reports.schedules");
		assertThat(nightly().lastResult()).isEqualTo(Result.WAITING);
		this.lowkiq.drain();
		assertThat(nightly().lastResult()).isEqualTo(Result.RETRYING);
		assertThat(nightly().error()).contains("No paper");
		this.lowkiq.drainFor(Duration.ofDays(30));
		assertThat(this.lowkiq.counts("reports").buried()).isPositive();
		assertThat(nightly().lastResult()).isIn(Result.RETRYING, Result.DEAD);
		assertThat(nightly().error()).contains("No paper");
	}

	@Test
	void aPausedScheduleGivesNoJobsAndContinuesWithItsNextTime() {
		this.lowkiq.drainFor(Duration.ofDays(2));
		Instant last = nightly().last();
		this.admin.pauseSchedule("reports", "nightly");
		assertThat(nightly().paused()).isTrue();
		assertThat(nightly().next()).isNull();
		this.worker.times.clear();
		this.lowkiq.drainFor(Duration.ofDays(21));
		assertThat(this.worker.times).isEmpty();
		this.admin.resumeSchedule("reports", "nightly");
		assertThat(nightly().paused()).isFalse();
		assertThat(nightly().last()).isEqualTo(last);
		assertThat(this.lowkiq.drain()).isZero();
		Instant next = nightly().next();
		assertThat(next).isBetween(this.lowkiq.now(), this.lowkiq.now().plus(Duration.ofHours(25)));
		this.lowkiq.drainFor(Duration.ofHours(25));
		assertThat(this.worker.times).contains(next).allMatch((time) -> !time.isBefore(next));
	}

	@Test
	void aScheduleRunsNowAlsoWhileItIsPaused() {
		this.admin.pauseSchedule("reports", "nightly");
		this.admin.runSchedule("reports", "nightly");
		this.lowkiq.drain();
		assertThat(this.worker.times).containsExactly(Instant.ofEpochMilli(this.lowkiq.now().toEpochMilli()));
		assertThat(nightly().paused()).isTrue();
	}

	@Test
	void anUnknownScheduleIsRefused() {
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> this.admin.pauseSchedule("reports", "weekly"))
			.withMessage("There is no schedule 'weekly' of queue 'reports'");
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> this.admin.runSchedule("reports", "weekly"));
	}

}
