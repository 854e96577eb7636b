package io.lowkiq.redis.call;

/**
 * An error that Redis replied. Nothing was executed, unless a script failed after its
 * first write.
 */
public class ErrorReplyException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * An error reply.
	 * @param message what Redis said, to the letter, such as
	 * {@code OOM command not allowed when used memory > 'maxmemory'.}
	 */
	public ErrorReplyException(String message) {
		super(message);
	}

}
