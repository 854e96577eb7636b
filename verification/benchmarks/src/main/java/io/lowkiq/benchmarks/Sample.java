package io.lowkiq.benchmarks;

/**
 * The readings of the sampler at one mark.
 *
 * @param nanos the monotonic clock
 * @param clientCpu CPU seconds of the measured process
 * @param machineCpu CPU seconds of the whole machine
 * @param storage what the storage has used
 */
record Sample(long nanos, double clientCpu, double machineCpu, Storage.Usage storage) {
}
