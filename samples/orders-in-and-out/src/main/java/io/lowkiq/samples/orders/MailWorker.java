package io.lowkiq.samples.orders;

import java.util.List;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;

/**
 * Tells customers what has become of their orders. Its jobs come out of the transaction
 * that changes the order.
 */
@LowkiqWorker("mail")
class MailWorker implements Worker<OrderChange> {

	private final Journal journal;

	MailWorker(Journal journal) {
		this.journal = journal;
	}

	@Override
	public void perform(String id, List<OrderChange> changes) {
		this.journal.write(id, "mail", changes);
	}

}
