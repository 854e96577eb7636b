package io.lowkiq.autoconfigure.scanned;

import java.util.List;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;

/** A worker that is found by component scanning. */
@LowkiqWorker(beanName = "namedByTheAnnotation")
class ScannedWorker implements Worker<String> {

	@Override
	public void perform(String id, List<String> payloads) {
	}

}
