package io.lowkiq.test.app;

import java.time.Duration;
import java.util.List;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.PerformContext;
import io.lowkiq.Worker;

@LowkiqWorker(queue = "orders", shards = 3, maxRetryCount = 3)
class OrderWorker implements Worker<Order> {

	private final OrderBook book;

	private final LowkiqClient lowkiq;

	private final PerformContext context;

	OrderWorker(OrderBook book, LowkiqClient lowkiq, PerformContext context) {
		this.book = book;
		this.lowkiq = lowkiq;
		this.context = context;
	}

	@Override
	public void perform(String id, List<Order> orders) {
		this.book.write(id, orders);
		if (this.context.fencingToken() > 0) {
			this.lowkiq.enqueue(MailWorker.class, id, orders.get(orders.size() - 1).status());
		}
	}

	@Override
	public Duration retryIn(int retryCount, Throwable error) {
		return Duration.ofDays(10);
	}

}
