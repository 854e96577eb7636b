package io.lowkiq.dashboard.jobs;

import org.jspecify.annotations.Nullable;

/**
 * Jobs as newline-delimited JSON.
 *
 * @param next the token of the next page; null if this is the last one
 */
@SuppressWarnings("ArrayRecordComponent")
public record JobLines(byte[] body, @Nullable String next) {

	public static final String TYPE = "application/x-ndjson";

	public static final String NEXT = "X-Lowkiq-Next";

}
