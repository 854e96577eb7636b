package io.lowkiq.benchmarks.jmh;

import java.util.concurrent.TimeUnit;

import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.PayloadCodec;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A payload to bytes and back.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CodecBenchmark {

	private final PayloadCodec codec = new JacksonPayloadCodec();

	private final Snapshot snapshot = new Snapshot(7, "PAID", 1299);

	private final byte[] snapshotBytes = this.codec.encode(this.snapshot, Snapshot.class);

	private final byte[] textBytes = this.codec.encode("12345", String.class);

	/**
	 * A record to JSON.
	 * @return the bytes
	 */
	@Benchmark
	public byte[] encodeRecord() {
		return this.codec.encode(this.snapshot, Snapshot.class);
	}

	/** JSON to a record. */
	@Benchmark
	public Object decodeRecord() {
		return this.codec.decode(this.snapshotBytes, Snapshot.class);
	}

	/**
	 * A short string to JSON.
	 * @return the bytes
	 */
	@Benchmark
	public byte[] encodeText() {
		return this.codec.encode("12345", String.class);
	}

	/** JSON to a short string. */
	@Benchmark
	public Object decodeText() {
		return this.codec.decode(this.textBytes, String.class);
	}

	/**
	 * A payload as users have them.
	 *
	 * @param version the version
	 * @param status the status
	 * @param cents the amount
	 */
	public record Snapshot(long version, String status, long cents) {
	}

}
