package io.lowkiq.redis.inmemory;

import io.lowkiq.redis.call.ErrorReplyException;

/** An error reply, such as {@code WRONGTYPE Operation against a key …}. */
public final class RedisErrorException extends ErrorReplyException {

	private static final long serialVersionUID = 1L;

	RedisErrorException(String message) {
		super(message);
	}

	static RedisErrorException syntax() {
		return new RedisErrorException("ERR syntax error");
	}

	static RedisErrorException wrongType() {
		return new RedisErrorException("WRONGTYPE Operation against a key holding the wrong kind of value");
	}

	static RedisErrorException arity(String command) {
		return new RedisErrorException("ERR wrong number of arguments for '%s' command".formatted(command));
	}

	/** The error for a feature that a real Redis has, and this one lacks. */
	static RedisErrorException unsupported(String what) {
		return new RedisErrorException("ERR the in-memory Redis does not support " + what);
	}

}
