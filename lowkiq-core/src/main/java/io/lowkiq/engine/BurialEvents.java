package io.lowkiq.engine;

import java.util.function.Consumer;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.LowkiqServerEvent;

/** Publishes an event for each job whose payloads went to the morgue. */
record BurialEvents(String node, Consumer<LowkiqServerEvent> events) implements LowkiqObserver {

	@Override
	public void buried(String queue, String id, int payloads, String error) {
		this.events.accept(new LowkiqServerEvent.PayloadsBuried(this.node, queue, id, payloads, error));
	}

}
