package io.lowkiq.consumer.aot;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;

/** Takes payments. */
@LowkiqWorker(queue = "payments")
class PaymentWorker implements Worker<Payment> {

	final BlockingQueue<Payment> taken = new LinkedBlockingQueue<>();

	@Override
	public void perform(String id, List<Payment> payments) {
		this.taken.addAll(payments);
	}

}
