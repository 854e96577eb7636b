package io.lowkiq.test.caching;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;

@LowkiqWorker(queue = "prices")
class PriceWorker implements Worker<String> {

	final List<String> performed = new ArrayList<>();

	@Override
	public void perform(String id, List<String> payloads) {
		this.performed.add(id);
	}

}
