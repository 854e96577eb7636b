package io.lowkiq.benchmarks;

/**
 * What the sampler read at one mark.
 *
 * @param nanos the monotonic clock
 * @param clientCpu CPU seconds of the measured process
 * @param redisCpu CPU seconds of Redis, all masters
 * @param machineCpu CPU seconds of the whole machine
 * @param memory bytes in use by Redis
 * @param commands commands that Redis has processed, those inside scripts included
 */
record Sample(long nanos, double clientCpu, double redisCpu, double machineCpu, long memory, long commands) {
}
