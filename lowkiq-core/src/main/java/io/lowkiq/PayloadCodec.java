package io.lowkiq;

import java.lang.reflect.Type;

/**
 * Turns payloads into bytes and back. Thread-safe.
 * <p>
 * Encoding is canonical: equal payloads have equal bytes, because two payloads of an id
 * are equal if their bytes are equal. Decoding ignores properties it doesn't know, so
 * that old and new versions of an application can run side by side, and never turns a
 * type name in the bytes into a class.
 */
public interface PayloadCodec {

	/**
	 * Turns a payload into bytes.
	 * @param payload the payload
	 * @param type the worker's payload type; if this application doesn't have the queue's
	 * worker, the payload's own class
	 * @return the bytes
	 * @throws PayloadException if this fails
	 */
	byte[] encode(Object payload, Type type);

	/**
	 * Turns bytes into a payload.
	 * @param bytes what {@link #encode} returned; bytes from a store must not be trusted
	 * @param type the worker's payload type
	 * @return the payload, not null
	 * @throws PayloadException if this fails
	 */
	Object decode(byte[] bytes, Type type);

	/**
	 * Fails if payloads of a type can certainly not be read back. Called at startup for
	 * the payload type of each worker.
	 * @param type the worker's payload type
	 * @throws PayloadException if {@link #decode} would fail for any bytes
	 */
	default void check(Type type) {
	}

}
