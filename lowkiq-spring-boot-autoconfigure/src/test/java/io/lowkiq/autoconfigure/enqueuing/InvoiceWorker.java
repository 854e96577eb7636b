package io.lowkiq.autoconfigure.enqueuing;

import java.util.List;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;

/** A worker that enqueues. */
@LowkiqWorker(queue = "invoices")
class InvoiceWorker implements Worker<String> {

	private final LowkiqClient client;

	InvoiceWorker(LowkiqClient client) {
		this.client = client;
	}

	@Override
	public void perform(String id, List<String> payloads) {
		this.client.enqueue("audit", id, payloads.get(0));
	}

}
