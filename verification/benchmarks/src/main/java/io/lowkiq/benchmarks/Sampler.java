package io.lowkiq.benchmarks;

/** Reads from outside what a measured process and its storage have used. */
final class Sampler {

	private final Storage storage;

	/** A sampler. */
	Sampler(Storage storage) {
		this.storage = storage;
	}

	/** Takes a sample. */
	Sample take(long pid) {
		long nanos = System.nanoTime();
		double client = ProcFile.processCpu(pid);
		double machine = ProcFile.machineCpu();
		return new Sample(nanos, client, machine, this.storage.usage());
	}

}
