package io.lowkiq;

import java.lang.reflect.Type;

/**
 * Converts payloads to bytes and back. Implementations must be thread-safe.
 * <p>
 * Encoding must be canonical: equal payloads must have equal bytes, because two payloads
 * of an id are equal if their bytes are equal. Decoding must ignore unknown properties,
 * so that old and new versions of an application can run side by side. It must never turn
 * a type name in the bytes into a class.
 */
public interface PayloadCodec {

	/**
	 * Converts a payload to bytes.
	 * @param payload the payload
	 * @param type the worker's payload type; if this application doesn't have the queue's
	 * worker, the payload's own class
	 * @return the bytes
	 * @throws PayloadException if this fails
	 */
	byte[] encode(Object payload, Type type);

	/**
	 * Converts bytes to a payload.
	 * @param bytes what {@link #encode} returned; bytes from a store must not be trusted
	 * @param type the worker's payload type
	 * @return the payload, not null
	 * @throws PayloadException if this fails
	 */
	Object decode(byte[] bytes, Type type);

	/**
	 * Fails if it is certain that payloads of a type can't be read back. Called at
	 * startup for the payload type of each worker.
	 * @param type the worker's payload type
	 * @throws PayloadException if {@link #decode} would fail for any bytes
	 */
	default void check(Type type) {
	}

}
