package io.lowkiq.sample.partners;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * One partner sends 5,000 jobs at a time; two send one a second, and don't wait for them.
 */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
@ConditionalOnBooleanProperty(name = "sample.traffic.enabled", matchIfMissing = true)
class PartnerTraffic {

	private static final Logger logger = LoggerFactory.getLogger(PartnerTraffic.class);

	static final int MANY = 5_000;

	private final LowkiqClient client;

	private final PartnerWaits waits;

	/** Used by the thread of the schedules. */
	private long calls;

	PartnerTraffic(LowkiqClient client, PartnerWaits waits) {
		this.client = client;
		this.waits = waits;
	}

	@Scheduled(initialDelay = 5, fixedDelay = 120, timeUnit = TimeUnit.SECONDS)
	void sendMany() {
		Instant now = Instant.now();
		this.client.enqueueAll("partner-sync",
				LongStream.range(0, MANY).mapToObj((number) -> JobRequest.of("noisy:" + number, now)).toList());
	}

	@Scheduled(initialDelay = 1, fixedRate = 1, timeUnit = TimeUnit.SECONDS)
	void sendOneOfEach() {
		this.calls++;
		this.client.enqueue("partner-sync", "calm:" + this.calls, Instant.now());
		this.client.enqueue("partner-sync", "quiet:" + this.calls, Instant.now());
	}

	@Scheduled(initialDelay = 30, fixedRate = 30, timeUnit = TimeUnit.SECONDS)
	void tell() {
		String text = this.waits.next();
		if (!text.isEmpty()) {
			logger.info("Waits of the partners: {}", text);
		}
	}

}
