package io.lowkiq.engine;

import java.time.Duration;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.LowkiqServerEvent;
import io.lowkiq.internal.PrintableThrowable;

/**
 * Keeps what an observer throws from the server, and publishes what everybody should
 * know.
 */
final class GuardedObserver implements LowkiqObserver {

	private static final Logger logger = LoggerFactory.getLogger(GuardedObserver.class);

	private final LowkiqObserver observer;

	private final String node;

	private final Consumer<LowkiqServerEvent> events;

	/**
	 * An observer.
	 * @param events doesn't throw
	 */
	GuardedObserver(LowkiqObserver observer, String node, Consumer<LowkiqServerEvent> events) {
		this.observer = observer;
		this.node = node;
		this.events = events;
	}

	@Override
	public void begins(String queue, int payloads, Duration waited) {
		tell(() -> this.observer.begins(queue, payloads, waited));
	}

	@Override
	public void performed(String queue, int done, int failed, Duration took) {
		tell(() -> this.observer.performed(queue, done, failed, took));
	}

	@Override
	public void buried(String queue, int payloads) {
		tell(() -> this.observer.buried(queue, payloads));
	}

	@Override
	public void buried(String queue, String id, int payloads, String error) {
		tell(() -> this.observer.buried(queue, id, payloads, error));
		this.events.accept(new LowkiqServerEvent.PayloadsBuried(this.node, queue, id, payloads, error));
	}

	@Override
	public void fenced(String queue) {
		tell(() -> this.observer.fenced(queue));
	}

	@Override
	public void leaseLost() {
		tell(this.observer::leaseLost);
	}

	@Override
	public void restored(String queue, int jobs) {
		tell(() -> this.observer.restored(queue, jobs));
	}

	private static void tell(Runnable notification) {
		try {
			notification.run();
		}
		catch (Throwable ex) {
			logger.warn("An observer threw an exception", PrintableThrowable.of(ex));
		}
	}

}
