package io.lowkiq.snippets;

import java.util.List;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;

class FirstJob {

	// tag::first-job[]
	record OrderSnapshot(long version, String status) {
	}

	@LowkiqWorker("orders")
	class OrderWorker implements Worker<OrderSnapshot> {

		@Override
		public void perform(String id, List<OrderSnapshot> snapshots) {
			// ascending by score: the last one is the newest
			save(id, snapshots.get(snapshots.size() - 1));
		}

	}
	// end::first-job[]

	static void save(String id, OrderSnapshot snapshot) {
	}

}
