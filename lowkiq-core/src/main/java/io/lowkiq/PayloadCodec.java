package io.lowkiq;

import java.lang.reflect.Type;

/**
 * Turns payloads into bytes and back. Thread-safe.
 * <p>
 * Encoding is canonical: equal payloads give equal bytes, because two payloads of an id
 * are equal when their bytes are. Decoding ignores properties it doesn't know, so that
 * old and new versions of an application can run side by side, and never turns a type
 * name in the bytes into a class.
 */
public interface PayloadCodec {

	/**
	 * Turns a payload into bytes.
	 * @param payload the payload
	 * @param type the worker's payload type; where this application doesn't have the
	 * worker of the queue, the payload's own class
	 * @return the bytes
	 * @throws PayloadException if it can't be done
	 */
	byte[] encode(Object payload, Type type);

	/**
	 * Turns bytes into a payload.
	 * @param bytes what {@link #encode} returned, though nothing is certain about bytes
	 * that come from a store
	 * @param type the worker's payload type
	 * @return the payload, not null
	 * @throws PayloadException if it can't be done
	 */
	Object decode(byte[] bytes, Type type);

	/**
	 * Fails if payloads of a type can certainly not be read back. Called at start for the
	 * payload type of each worker.
	 * @param type the worker's payload type
	 * @throws PayloadException if {@link #decode} would fail whatever the bytes are
	 */
	default void check(Type type) {
	}

}
