package io.lowkiq.snippets;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.TransactionMode;
import io.lowkiq.Worker;

import org.springframework.modulith.events.Externalized;
import org.springframework.transaction.annotation.Transactional;

class Enqueueing {

	record OrderSnapshot(long version, String status) {
	}

	abstract class OrderWorker implements Worker<OrderSnapshot> {

	}

	void ways(LowkiqClient lowkiq, OrderSnapshot snapshot, List<JobRequest<OrderSnapshot>> requests) {
		// tag::enqueue[]
		// due at once, after everything enqueued for this id before
		lowkiq.enqueue(OrderWorker.class, "42", snapshot);
		// ordered by the version, whatever order the messages arrive in
		lowkiq.enqueue(OrderWorker.class, JobRequest.of("42", snapshot).score(snapshot.version()));
		// not before a time, or after a delay
		lowkiq.enqueue(OrderWorker.class,
				JobRequest.of("42", snapshot).performAt(Instant.parse("2030-01-01T00:00:00Z")));
		lowkiq.enqueue(OrderWorker.class, JobRequest.of("42", snapshot).performIn(Duration.ofMinutes(5)));
		// many in few round trips
		lowkiq.enqueueAll(OrderWorker.class, requests);
		// by the queue's name, where the worker's class is not on the class path
		lowkiq.enqueue("orders", "42", snapshot);
		// without waiting for Redis
		CompletableFuture<Void> confirmed = lowkiq.enqueueAsync("orders", JobRequest.of("42", snapshot));
		// end::enqueue[]
	}

	void chain(LowkiqClient lowkiq, OrderSnapshot order, String address) {
		// tag::chain[]
		lowkiq.enqueue("payments", JobRequest.of("42", order)
			.then("shipments", JobRequest.of("42", address))
			.then("mails",
					JobRequest.of("anna@example.com", "Your order is on its way").performIn(Duration.ofHours(1))));
		// end::chain[]
	}

	class Payments {

		private final LowkiqClient lowkiq;

		Payments(LowkiqClient lowkiq) {
			this.lowkiq = lowkiq;
		}

		// tag::in-transaction[]
		@Transactional
		public void pay(String order) {
			OrderSnapshot paid = update(order, "PAID");
			this.lowkiq.enqueue(OrderWorker.class, order, paid);
		}
		// end::in-transaction[]

		void correct(List<JobRequest<OrderSnapshot>> requests) {
			// tag::per-call-mode[]
			LowkiqClient direct = this.lowkiq.transactional(TransactionMode.OFF);
			direct.enqueueAll(OrderWorker.class, requests);
			// end::per-call-mode[]
		}

		private OrderSnapshot update(String order, String status) {
			return new OrderSnapshot(1, status);
		}

	}

	// tag::externalized[]
	@Externalized("lowkiq:orders::#{#this.orderId}")
	record OrderPaid(String orderId, long version) {
	}
	// end::externalized[]

}
