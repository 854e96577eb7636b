package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoField;

import org.jspecify.annotations.Nullable;

/**
 * Milliseconds with microseconds as fraction, or empty for the clock of Redis itself, so
 * that nodes with wrong clocks do no harm.
 */
final class StoreClock {

	private final @Nullable InstantSource source;

	StoreClock(@Nullable InstantSource source) {
		this.source = source;
	}

	byte[][] before(byte[]... arguments) {
		byte[][] all = new byte[arguments.length + 1][];
		all[0] = now();
		System.arraycopy(arguments, 0, all, 1, arguments.length);
		return all;
	}

	byte[] now() {
		if (this.source == null) {
			return new byte[0];
		}
		Instant now = this.source.instant();
		double micros = now.get(ChronoField.MICRO_OF_SECOND);
		double millis = now.getEpochSecond() * 1000.0 + micros / 1000.0;
		return Double.toString(millis).getBytes(StandardCharsets.US_ASCII);
	}

}
