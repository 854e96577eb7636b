package io.lowkiq.snippets;

import java.util.List;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;

class FirstJob {

	// tag::first-job[]
	record OrderSnapshot(long version, String status) {
	}

	@LowkiqWorker(queue = "orders", shards = 24)
	class OrderWorker implements Worker<OrderSnapshot> {

		@Override
		public void perform(String id, List<OrderSnapshot> snapshots) {
			// ascending by score: the last one is the newest
			save(id, snapshots.get(snapshots.size() - 1));
		}

	}
	// end::first-job[]

	void use(LowkiqClient lowkiq) {
		// tag::first-enqueue[]
		lowkiq.enqueue(OrderWorker.class, "42", new OrderSnapshot(7, "PAID"));
		// end::first-enqueue[]
	}

	static void save(String id, OrderSnapshot snapshot) {
	}

}
