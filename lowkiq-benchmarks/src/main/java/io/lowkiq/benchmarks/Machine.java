package io.lowkiq.benchmarks;

/**
 * Where the figures come from.
 */
final class Machine {

	private Machine() {
	}

	/**
	 * The machine, its system and the versions of what is measured on it.
	 * @param redis the version of Redis
	 * @return one line
	 */
	static String describe(String redis) {
		return "%s, %d cores, %d GiB; %s %s; Java %s; Redis %s".formatted(ProcFile.processor(),
				Runtime.getRuntime().availableProcessors(), ProcFile.memoryGib(), System.getProperty("os.name"),
				System.getProperty("os.version"), Runtime.version(), redis);
	}

}
