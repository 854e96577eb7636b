package io.lowkiq.test.probe;

/** Thrown by a call of a repository that should fail. */
class FailedCallException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	FailedCallException(boolean applied) {
		super("WorkerProbe: this call has failed, " + (applied ? "after it took effect" : "without effect"));
	}

}
