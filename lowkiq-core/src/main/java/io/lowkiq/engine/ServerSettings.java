package io.lowkiq.engine;

import java.time.Duration;

import io.lowkiq.internal.DurationText;

/**
 * The settings of a server.
 *
 * @param threads the number of performing threads, 1 to 1,000
 * @param pollInterval how often the node looks at the store while messages can't reach
 * it, 10 ms to 1 h
 * @param leaseDuration how long the node's leases last without a heartbeat, 1 s to 1 h
 * @param fetchAhead the maximum number of jobs fetched per call, 1 to 1,000; 1 switches
 * fetching ahead off
 */
public record ServerSettings(int threads, Duration pollInterval, Duration leaseDuration, int fetchAhead,
		boolean interruptOnLeaseLoss) {

	public static final ServerSettings DEFAULTS = new ServerSettings(5, Duration.ofSeconds(1), Duration.ofSeconds(15),
			100, false);

	public ServerSettings {
		check("threads", threads >= 1 && threads <= 1_000, threads, "1 and 1000");
		check("poll-interval", within(pollInterval, Duration.ofMillis(10), Duration.ofHours(1)), pollInterval,
				"10ms and 1h");
		check("lease-duration", within(leaseDuration, Duration.ofSeconds(1), Duration.ofHours(1)), leaseDuration,
				"1s and 1h");
		check("fetch-ahead", fetchAhead >= 1 && fetchAhead <= 1_000, fetchAhead, "1 and 1000");
	}

	private static boolean within(Duration value, Duration least, Duration most) {
		return value.compareTo(least) >= 0 && value.compareTo(most) <= 0;
	}

	private static void check(String name, boolean valid, Object value, String range) {
		if (!valid) {
			throw new IllegalArgumentException("lowkiq.server.%s is %s; it must be between %s".formatted(name,
					(value instanceof Duration duration) ? DurationText.of(duration) : value, range));
		}
	}

}
