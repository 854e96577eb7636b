package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.LowkiqObserver;

/**
 * Notifies every observer bean. An exception of one is logged, and the others are
 * notified nevertheless. Thread-safe.
 */
public final class ForwardingObserver implements LowkiqObserver {

	private static final Logger logger = LoggerFactory.getLogger(ForwardingObserver.class);

	private final List<LowkiqObserver> observers;

	/**
	 * An observer that tells others.
	 * @param observers the others, in their order
	 */
	public ForwardingObserver(List<LowkiqObserver> observers) {
		this.observers = List.copyOf(observers);
	}

	@Override
	public void enqueued(String queue, int jobs, int merged, Duration took) {
		tell((observer) -> observer.enqueued(queue, jobs, merged, took));
	}

	@Override
	public void enqueueFailed(String queue, int jobs, Duration took) {
		tell((observer) -> observer.enqueueFailed(queue, jobs, took));
	}

	@Override
	public void begins(String queue, int payloads, Duration waited) {
		tell((observer) -> observer.begins(queue, payloads, waited));
	}

	@Override
	public void performed(String queue, int done, int failed, Duration took) {
		tell((observer) -> observer.performed(queue, done, failed, took));
	}

	@Override
	public void buried(String queue, int payloads) {
		tell((observer) -> observer.buried(queue, payloads));
	}

	@Override
	public void buried(String queue, String id, int payloads, String error) {
		tell((observer) -> observer.buried(queue, id, payloads, error));
	}

	@Override
	public void fenced(String queue) {
		tell((observer) -> observer.fenced(queue));
	}

	@Override
	public void leaseLost() {
		tell(LowkiqObserver::leaseLost);
	}

	@Override
	public void restored(String queue, int jobs) {
		tell((observer) -> observer.restored(queue, jobs));
	}

	private void tell(Consumer<LowkiqObserver> message) {
		for (LowkiqObserver observer : this.observers) {
			try {
				message.accept(observer);
			}
			catch (RuntimeException ex) {
				logger.warn("{} threw an exception", observer.getClass().getName(), ex);
			}
		}
	}

}
