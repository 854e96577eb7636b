package io.lowkiq.admin.store;

import io.lowkiq.NewerVersionException;
import org.jspecify.annotations.Nullable;

/**
 * Collects refusals of newer shards, so that they hold up no others. Used by one thread.
 */
final class NewerShards {

	private @Nullable NewerVersionException refusal;

	/** Changes a shard, unless it refuses. */
	void run(Runnable change) {
		try {
			change.run();
		}
		catch (NewerVersionException ex) {
			this.refusal = ex;
		}
	}

	/** Ends the action with the refusal, if there was one. */
	void rethrow() {
		if (this.refusal != null) {
			throw this.refusal;
		}
	}

}
