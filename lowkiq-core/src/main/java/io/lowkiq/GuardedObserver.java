package io.lowkiq;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.lowkiq.internal.PrintableThrowable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies several observers. What one of them throws is logged, and the others are
 * notified nevertheless. Thread-safe.
 */
final class GuardedObserver implements LowkiqObserver {

	private static final Logger logger = LoggerFactory.getLogger(GuardedObserver.class);

	private final List<LowkiqObserver> observers;

	GuardedObserver(List<? extends LowkiqObserver> observers) {
		this.observers = List.copyOf(observers);
	}

	@Override
	public void enqueued(String queue, int jobs, int merged, Duration took) {
		notifyObservers((observer) -> observer.enqueued(queue, jobs, merged, took));
	}

	@Override
	public void enqueueFailed(String queue, int jobs, Duration took) {
		notifyObservers((observer) -> observer.enqueueFailed(queue, jobs, took));
	}

	@Override
	public void begins(String queue, int payloads, Duration waited) {
		notifyObservers((observer) -> observer.begins(queue, payloads, waited));
	}

	@Override
	public void performed(String queue, int done, int failed, Duration took) {
		notifyObservers((observer) -> observer.performed(queue, done, failed, took));
	}

	@Override
	public void performed(PerformedJob job) {
		notifyObservers((observer) -> observer.performed(job));
	}

	@Override
	public void buried(String queue, int payloads) {
		notifyObservers((observer) -> observer.buried(queue, payloads));
	}

	@Override
	public void buried(String queue, String id, int payloads, String error) {
		notifyObservers((observer) -> observer.buried(queue, id, payloads, error));
	}

	@Override
	public void fenced(String queue) {
		notifyObservers((observer) -> observer.fenced(queue));
	}

	@Override
	public void ungrouped(String queue, int jobs) {
		notifyObservers((observer) -> observer.ungrouped(queue, jobs));
	}

	@Override
	public void leaseLost() {
		notifyObservers(LowkiqObserver::leaseLost);
	}

	@Override
	public void everythingForgotten() {
		notifyObservers(LowkiqObserver::everythingForgotten);
	}

	@Override
	public void callsForgotten(int shards) {
		notifyObservers((observer) -> observer.callsForgotten(shards));
	}

	@Override
	public void restored(String queue, int jobs) {
		notifyObservers((observer) -> observer.restored(queue, jobs));
	}

	private void notifyObservers(Consumer<LowkiqObserver> notification) {
		this.observers.forEach((observer) -> notifyObserver(observer, notification));
	}

	private static void notifyObserver(LowkiqObserver observer, Consumer<LowkiqObserver> notification) {
		if (observer instanceof GuardedObserver) {
			notification.accept(observer);
			return;
		}
		try {
			notification.accept(observer);
		}
		catch (Throwable ex) {
			PrintableThrowable.log(ex, (printable) -> logger.warn("The observer {} threw an exception",
					observer.getClass().getName(), printable));
		}
	}

}
