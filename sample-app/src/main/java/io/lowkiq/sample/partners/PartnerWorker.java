package io.lowkiq.sample.partners;

import java.time.Duration;
import java.time.Instant;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.PayloadWorker;

/**
 * Calls the API of a partner, which takes a while. A job {@code noisy:42} is of the
 * partner {@code noisy}: partners take turns, and each has a limit of its own.
 */
@LowkiqWorker(queue = "partner-sync", shards = 12, groupSeparator = ":", oneShardPerGroup = true)
class PartnerWorker implements PayloadWorker<Instant> {

	private static final Duration CALL = Duration.ofMillis(20);

	private final PartnerWaits waits;

	PartnerWorker(PartnerWaits waits) {
		this.waits = waits;
	}

	@Override
	public void perform(String id, Instant sentAt) throws InterruptedException {
		this.waits.add(id.substring(0, id.indexOf(':')), Duration.between(sentAt, Instant.now()));
		Thread.sleep(CALL.toMillis());
	}

}
