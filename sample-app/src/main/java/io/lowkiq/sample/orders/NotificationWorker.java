package io.lowkiq.sample.orders;

import java.time.Duration;
import java.util.List;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.PerformContext;
import io.lowkiq.Worker;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Tells customers of changes. A notification waits a little, so that a customer gets one
 * message for a burst of changes. The gateway for messages takes its time, and can't
 * reach some customers at first.
 */
@LowkiqWorker(queue = "notifications", shards = 8)
class NotificationWorker implements Worker<Notification> {

	private static final Duration GATEWAY_TIME = Duration.ofMillis(250);

	private static final Duration NEXT_TRY = Duration.ofSeconds(10);

	/** One in so many customers isn't reached at first. */
	private static final int OUT_OF_REACH = 8;

	private final PerformContext context;

	private final Counter sent;

	private final Counter spared;

	NotificationWorker(MeterRegistry meters, PerformContext context) {
		this.context = context;
		this.sent = meters.counter("sample.notifications.sent");
		this.spared = meters.counter("sample.notifications.spared");
	}

	@Override
	public void perform(String id, List<Notification> notifications) throws InterruptedException {
		Thread.sleep(GATEWAY_TIME.toMillis());
		if (this.context.retryCount() < 0 && id.hashCode() % OUT_OF_REACH == 0) {
			throw new IllegalStateException("Customer of order %s can't be reached".formatted(id));
		}
		this.sent.increment();
		this.spared.increment(notifications.size() - 1);
	}

	@Override
	public Duration retryIn(int retryCount, Throwable error) {
		return NEXT_TRY;
	}

}
