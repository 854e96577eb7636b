package io.lowkiq;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The workers of an application. Immutable.
 */
public final class WorkerRegistry {

	private final Map<String, RegisteredWorker> byQueue = new LinkedHashMap<>();

	private final Map<Class<?>, RegisteredWorker> byClass = new LinkedHashMap<>();

	/**
	 * A registry of workers.
	 * @param workers the workers
	 * @throws InvalidQueueException if two workers serve one queue
	 */
	public WorkerRegistry(Collection<RegisteredWorker> workers) {
		for (RegisteredWorker worker : workers) {
			RegisteredWorker other = this.byQueue.putIfAbsent(worker.queue(), worker);
			if (other != null) {
				throw new InvalidQueueException("Two workers serve queue '%s': %s and %s".formatted(worker.queue(),
						other.workerClass().getName(), worker.workerClass().getName()));
			}
			this.byClass.putIfAbsent(worker.workerClass(), worker);
		}
	}

	/**
	 * All workers.
	 * @return the workers in the order of their registration
	 */
	public Collection<RegisteredWorker> all() {
		return this.byQueue.values();
	}

	/**
	 * The worker of a queue.
	 * @param queue the queue's name
	 * @return the worker
	 */
	public Optional<RegisteredWorker> ofQueue(String queue) {
		return Optional.ofNullable(this.byQueue.get(queue));
	}

	/**
	 * The worker of a class.
	 * @param workerClass the worker's class, or an interface or superclass if only one
	 * worker has it
	 * @return the worker
	 */
	public Optional<RegisteredWorker> ofClass(Class<?> workerClass) {
		RegisteredWorker exact = this.byClass.get(workerClass);
		if (exact != null) {
			return Optional.of(exact);
		}
		var candidates = this.byQueue.values().stream().filter((w) -> workerClass.isAssignableFrom(w.workerClass()));
		var found = candidates.limit(2).toList();
		return (found.size() == 1) ? Optional.of(found.get(0)) : Optional.empty();
	}

}
