package io.lowkiq.redis.call;

/**
 * An error that Redis replied. Nothing was executed, unless a script failed after its
 * first write.
 */
public class ErrorReplyException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public ErrorReplyException(String message) {
		super(message);
	}

}
