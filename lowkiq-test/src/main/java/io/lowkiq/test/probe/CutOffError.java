package io.lowkiq.test.probe;

/**
 * Ends a perform whose process is to have died. An error, so that few workers catch it;
 * for one that does, all further calls fail as well.
 */
class CutOffError extends Error {

	private static final long serialVersionUID = 1L;

	CutOffError() {
		super("WorkerProbe: the process has died at this call");
	}

}
