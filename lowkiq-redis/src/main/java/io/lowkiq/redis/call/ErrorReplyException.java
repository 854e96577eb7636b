package io.lowkiq.redis.call;

/** An error reply. Nothing was executed, unless a script failed after a write. */
public class ErrorReplyException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public ErrorReplyException(String message) {
		super(message);
	}

}
