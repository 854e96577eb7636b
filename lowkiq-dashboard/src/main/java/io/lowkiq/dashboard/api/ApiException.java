package io.lowkiq.dashboard.api;

/** Thrown where a request can't be answered, with the HTTP status that says so. */
public final class ApiException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final int status;

	ApiException(int status, String message) {
		super(message, null, false, false);
		this.status = status;
	}

	/** The HTTP status. */
	public int status() {
		return this.status;
	}

	static ApiException badRequest(String message) {
		return new ApiException(400, message);
	}

	static ApiException forbidden(String message) {
		return new ApiException(403, message);
	}

	static ApiException unavailable(String message) {
		return new ApiException(503, message);
	}

	static ApiException notFound(String message) {
		return new ApiException(404, message);
	}

	static ApiException unknown(String what) {
		return notFound("There is no such " + what);
	}

}
