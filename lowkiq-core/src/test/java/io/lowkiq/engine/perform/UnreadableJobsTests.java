package io.lowkiq.engine.perform;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.PayloadException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UnreadableJobsTests {

	private static final Duration GRACE = Duration.ofMinutes(15);

	/** Near the end of its range: the monotonic clock may overflow. */
	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - TimeUnit.MINUTES.toNanos(2));

	private final UnreadableJobs jobs = new UnreadableJobs(this.nanos::get);

	private boolean tried(String queue, String id, int waitedSeconds) {
		return this.jobs.add(queue, id, new PayloadException("no enum constant"), Duration.ofSeconds(waitedSeconds),
				GRACE);
	}

	private void advance(int seconds) {
		this.nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
	}

	@Test
	void aJobIsNewsOnceAMinute() {
		int news = 0;
		for (int second = 0; second < 180; second++) {
			news += tried("orders", "42", second) ? 1 : 0;
			advance(1);
		}
		assertThat(news).isEqualTo(3);
		assertThat(tried("orders", "43", 0)).isTrue();
		assertThat(tried("mails", "43", 0)).isTrue();
		assertThat(tried("mails", "43", 0)).isFalse();
	}

	@Test
	void aQueueHasASentenceAboutTheJobThatDiesNext() {
		tried("orders", "42", 60);
		assertThat(this.jobs.sentences()).containsOnlyKeys("orders")
			.containsValue("1 job can't be read: '42', for 1 min. It goes to the morgue in 14 min. "
					+ "io.lowkiq.PayloadException: no enum constant");
		tried("orders", "43", 600);
		tried("mails", "m", 0);
		assertThat(this.jobs.sentences()).containsOnlyKeys("mails", "orders");
		assertThat(this.jobs.sentences().get("orders")).startsWith(
				"2 jobs can't be read. The first to go to the morgue is '43', unreadable for 10 min, in 5 min.");
	}

	@Test
	void aGraceMayBeLongerThanTheClockCounts() {
		this.jobs.add("orders", "42", new PayloadException("no enum constant"), Duration.ofSeconds(60),
				Duration.ofDays(365_000));
		tried("orders", "43", 0);
		assertThat(this.jobs.sentences().get("orders"))
			.startsWith("2 jobs can't be read. The first to go to the morgue is '43'");
		this.jobs.remove("orders", "43");
		assertThat(this.jobs.sentences().get("orders"))
			.startsWith("1 job can't be read: '42', for 1 min. It goes to the morgue in 106751 d");
	}

	@Test
	void aMessageOfUsersHoldsUpNoOtherJob() {
		AtomicBoolean isHeldUp = new AtomicBoolean();
		this.jobs.add("orders", "42", new IllegalStateException() {

			private static final long serialVersionUID = 1L;

			@Override
			public String getMessage() {
				isHeldUp.set(Thread.holdsLock(UnreadableJobsTests.this.jobs));
				return "no enum constant";
			}

		}, Duration.ZERO, GRACE);
		assertThat(isHeldUp).isFalse();
		assertThat(this.jobs.sentences().get("orders")).endsWith("no enum constant");
	}

	@Test
	void aJobIsForgottenThatCanBeReadOrThatAnotherNodeHas() {
		tried("orders", "42", 0);
		tried("orders", "43", 0);
		this.jobs.remove("orders", "42");
		assertThat(this.jobs.sentences().get("orders")).startsWith("1 job can't be read: '43'");
		advance(200);
		assertThat(this.jobs.sentences()).isEmpty();
	}

	@Test
	void theMemoryIsBounded() {
		for (int i = 0; i < UnreadableJobs.MAX_JOBS; i++) {
			tried("orders", "" + i, 0);
		}
		assertThat(tried("orders", "more", 0)).isTrue();
		assertThat(tried("orders", "more", 0)).isTrue();
		assertThat(this.jobs.sentences().get("orders")).startsWith("1,000 jobs");
		advance(200);
		tried("orders", "more", 0);
		assertThat(this.jobs.sentences().get("orders")).startsWith("1 job");
	}

}
