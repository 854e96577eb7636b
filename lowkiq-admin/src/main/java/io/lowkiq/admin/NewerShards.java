package io.lowkiq.admin;

import java.util.function.LongSupplier;

import io.lowkiq.store.NewerVersionException;
import org.jspecify.annotations.Nullable;

/**
 * The shards that a newer version has written, as an action on several shards meets them:
 * each refuses, and holds up no others. Used by one thread.
 */
final class NewerShards {

	private @Nullable NewerVersionException refusal;

	/** Changes a shard, unless it refuses. */
	void pass(Runnable change) {
		count(() -> {
			change.run();
			return 0;
		});
	}

	/** Changes a shard. Returns how much was changed; 0 if it refuses. */
	long count(LongSupplier change) {
		try {
			return change.getAsLong();
		}
		catch (NewerVersionException ex) {
			this.refusal = ex;
			return 0;
		}
	}

	/** Ends the action with the refusal, if there was one. */
	void rethrow() {
		if (this.refusal != null) {
			throw this.refusal;
		}
	}

}
