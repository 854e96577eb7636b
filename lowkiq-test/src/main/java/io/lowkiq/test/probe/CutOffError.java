package io.lowkiq.test.probe;

/**
 * Ends a run as if its process had died. An error, so that few workers catch it; for one
 * that does, all further calls fail as well.
 */
class CutOffError extends Error {

	private static final long serialVersionUID = 1L;

	CutOffError() {
		super("WorkerProbe: the process has died at this call");
	}

}
