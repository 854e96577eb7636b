package io.lowkiq.memory;

import java.time.Instant;
import java.time.temporal.ChronoField;

/**
 * The time of one step, as the rules use it.
 *
 * @param millis milliseconds since 1970
 * @param score the same with microseconds as fractions: the default score (rule 2)
 */
record StoreTime(long millis, double score) {

	static StoreTime of(Instant instant) {
		double micros = instant.get(ChronoField.MICRO_OF_SECOND);
		return new StoreTime(instant.toEpochMilli(), instant.getEpochSecond() * 1000.0 + micros / 1000.0);
	}

}
