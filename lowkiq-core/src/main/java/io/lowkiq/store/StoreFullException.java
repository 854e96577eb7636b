package io.lowkiq.store;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store has no memory left for what was to be written. The shard that
 * refused was not changed, others of a bulk may have been. Enqueue again when performing
 * has made room, or give the store more memory.
 */
public class StoreFullException extends StoreException {

	private static final long serialVersionUID = 1L;

	public StoreFullException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
