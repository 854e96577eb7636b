package io.lowkiq.engine;

/**
 * Tells the throwables for which a job is blamed from those that stop the server.
 */
final class JobFailure {

	private JobFailure() {
	}

	/**
	 * Throws what no job can be blamed for.
	 * @param thrown what user code threw
	 */
	static void rethrowUnlessOfJob(Throwable thrown) {
		if (thrown instanceof Error error && !(error instanceof LinkageError) && !(error instanceof AssertionError)
				&& !(error instanceof StackOverflowError)) {
			throw error;
		}
	}

}
