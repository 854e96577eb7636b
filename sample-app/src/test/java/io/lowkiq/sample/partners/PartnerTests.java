package io.lowkiq.sample.partners;

import java.time.Instant;
import java.util.stream.IntStream;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.autoconfigure.LowkiqTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that the jobs of all partners are performed. */
@LowkiqTest(PartnerWorker.class)
@Import(PartnerWaits.class)
class PartnerTests {

	@Autowired
	private LowkiqClient client;

	@Autowired
	private LowkiqTester lowkiq;

	@Autowired
	private PartnerWaits waits;

	@Test
	void jobsOfEachPartnerAreCounted() {
		Instant sentAt = Instant.now().minusSeconds(3);
		this.client.enqueueAll("partner-sync",
				IntStream.range(0, 20).mapToObj((number) -> JobRequest.of("noisy:" + number, sentAt)).toList());
		this.client.enqueue("partner-sync", "calm:1", sentAt);
		this.lowkiq.drain("partner-sync");
		// How long a job waits beyond three seconds is up to the machine.
		assertThat(this.waits.next()).matches(
				"calm 1 jobs, at most ([3-9]|\\d+\\d),\\d{3} ms; noisy 20 jobs, at most ([3-9]|\\d+\\d),\\d{3} ms");
		assertThat(this.waits.next()).isEmpty();
	}

}
