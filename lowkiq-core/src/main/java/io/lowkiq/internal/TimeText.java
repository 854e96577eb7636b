package io.lowkiq.internal;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Times as people read them: "2030-01-31 09:12:00 UTC". */
public final class TimeText {

	private static final DateTimeFormatter FORMAT = DateTimeFormatter
		.ofPattern("uuuu-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
		.withZone(ZoneOffset.UTC);

	private TimeText() {
	}

	/** Of any number of milliseconds since 1970. */
	public static String of(long millis) {
		return FORMAT.format(Instant.ofEpochMilli(millis));
	}

}
