package io.lowkiq.benchmarks.jmh;

import java.util.concurrent.TimeUnit;

import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * An id to its shard.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ShardingBenchmark {

	private final QueueLayout layout = new QueueLayout("orders", 1, 24);

	@Param({ "12345", "order-7f3c2a10-5b7e-4a55-9f04-0d6f3c1e9b42", "Bestellung-Nürnberg-☃" })
	private String id = "";

	/** CRC-32 of the id's UTF-8 modulo the number of shards. */
	@Benchmark
	public Shard shardOf() {
		return this.layout.shardOf(this.id);
	}

}
