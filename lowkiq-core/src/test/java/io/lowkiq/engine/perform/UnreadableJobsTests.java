package io.lowkiq.engine.perform;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
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
			.containsValue("1 job: '42' has been unreadable for 1 min and is dead in 14 min. "
					+ "io.lowkiq.PayloadException: no enum constant");
		tried("orders", "43", 600);
		tried("mails", "m", 0);
		assertThat(this.jobs.sentences()).containsOnlyKeys("mails", "orders");
		assertThat(this.jobs.sentences().get("orders"))
			.startsWith("2 jobs, such as the next to die: '43' has been unreadable for 10 min and is dead in 5 min.");
	}

	@Test
	void aJobIsForgottenThatCanBeReadOrThatAnotherNodeHas() {
		tried("orders", "42", 0);
		tried("orders", "43", 0);
		this.jobs.remove("orders", "42");
		assertThat(this.jobs.sentences().get("orders")).startsWith("1 job: '43'");
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
