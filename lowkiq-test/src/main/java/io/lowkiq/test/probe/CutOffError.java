package io.lowkiq.test.probe;

/** Ends a run as if its process had died, and all further calls of who catches it. */
class CutOffError extends Error {

	private static final long serialVersionUID = 1L;

	CutOffError() {
		super("WorkerProbe: the process has died at this call");
	}

}
