package io.lowkiq.test.recurring;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;

/** Keeps the times of its jobs. */
@LowkiqWorker(value = "reports", maxRetryCount = 1)
@LowkiqSchedule(id = "nightly", cron = "0 30 2 * * *", zone = "Europe/Berlin")
class ReportWorker implements Worker<String> {

	final List<Instant> times = new CopyOnWriteArrayList<>();

	volatile boolean isBroken;

	@Override
	public void perform(String id, List<String> payloads) {
		if (this.isBroken) {
			throw new IllegalStateException("No paper");
		}
		payloads.forEach((time) -> this.times.add(Instant.parse(time)));
	}

	@Override
	public String payloadAt(String schedule, Instant time) {
		return time.toString();
	}

}
