package io.lowkiq.autoconfigure;

import org.springframework.beans.factory.SmartInitializingSingleton;

import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.InspectableStore;

/**
 * Fails the start if the store doesn't answer, or if the node would serve no queue, and
 * {@code lowkiq.fail-fast} is set.
 */
class FailFast implements SmartInitializingSingleton {

	private final boolean isWanted;

	private final InspectableStore store;

	private final ServedWorkers workers;

	FailFast(boolean isWanted, InspectableStore store, ServedWorkers workers) {
		this.isWanted = isWanted;
		this.store = store;
		this.workers = workers;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (!this.isWanted) {
			return;
		}
		if (this.workers.serverProblem() != null) {
			throw new LowkiqConfigurationException(this.workers.serverProblem() + ", and lowkiq.fail-fast is set",
					"Correct include and exclude, or set lowkiq.server.enabled=false on a node that only enqueues");
		}
		try {
			this.store.queues().all();
		}
		catch (StoreException ex) {
			throw new LowkiqConfigurationException(
					"The store of the jobs doesn't answer, and lowkiq.fail-fast is set: %s".formatted(ex.getMessage()),
					"Start Redis, or correct its address. Without lowkiq.fail-fast, the application starts and waits for Redis",
					ex);
		}
	}

}
