package io.lowkiq;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.springframework.util.ClassUtils;

/** The workers of an application. Immutable. */
public final class WorkerRegistry {

	private final Map<String, RegisteredWorker> byQueue = new LinkedHashMap<>();

	private final Map<Class<?>, List<RegisteredWorker>> byClass = new LinkedHashMap<>();

	/**
	 * Creates a registry.
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
			this.byClass.computeIfAbsent(worker.workerClass(), (workerClass) -> new ArrayList<>()).add(worker);
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
	 * The workers of a class, each serving a queue of its own.
	 * @param workerClass the workers' class, or the class of a CGLIB proxy of them, or an
	 * interface or superclass if no worker has exactly that class
	 * @return the workers in the order of their registration
	 */
	public List<RegisteredWorker> ofClass(Class<?> workerClass) {
		Class<?> userClass = ClassUtils.getUserClass(workerClass);
		List<RegisteredWorker> exact = this.byClass.get(userClass);
		if (exact != null) {
			return Collections.unmodifiableList(exact);
		}
		return this.byQueue.values()
			.stream()
			.filter((worker) -> userClass.isAssignableFrom(worker.workerClass()))
			.toList();
	}

}
