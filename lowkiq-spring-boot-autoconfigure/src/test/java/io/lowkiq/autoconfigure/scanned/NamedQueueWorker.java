package io.lowkiq.autoconfigure.scanned;

import java.util.List;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;

/** A worker whose annotation names its queue. */
@LowkiqWorker("named")
class NamedQueueWorker implements Worker<String> {

	@Override
	public void perform(String id, List<String> payloads) {
	}

}
