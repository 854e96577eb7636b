package io.lowkiq;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store has no memory left for a write. The shard that refused was not
 * changed; other shards of a bulk enqueue may have been. Enqueue again when performed
 * jobs have freed memory, or give the store more memory.
 */
public class StoreFullException extends StoreException {

	private static final long serialVersionUID = 1L;

	public StoreFullException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
