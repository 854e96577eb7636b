package io.lowkiq.benchmarks;

import java.util.Collection;

/** Where the figures come from. */
final class Machine {

	private Machine() {
	}

	/** The machine, its system and the versions of what is measured on it. */
	static String describe(Collection<String> storages) {
		return "%s, %d cores, %d GiB; %s %s; Java %s; %s".formatted(ProcFile.processor(),
				Runtime.getRuntime().availableProcessors(), ProcFile.memoryGib(), System.getProperty("os.name"),
				System.getProperty("os.version"), Runtime.version(), String.join(", ", storages));
	}

}
