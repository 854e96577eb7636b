package io.lowkiq.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;

/**
 * A worker that performs the id {@code slow} only when it is let through, and writes down
 * what it has performed.
 */
@LowkiqWorker(queue = "gated")
class GatedWorker implements Worker<String> {

	final List<String> performed = new CopyOnWriteArrayList<>();

	final CountDownLatch entered = new CountDownLatch(1);

	final CountDownLatch gate = new CountDownLatch(1);

	@Override
	public void perform(String id, List<String> payloads) throws InterruptedException {
		if (id.equals("slow")) {
			this.entered.countDown();
			this.gate.await();
		}
		payloads.forEach((payload) -> this.performed.add(id + "=" + payload));
	}

}
