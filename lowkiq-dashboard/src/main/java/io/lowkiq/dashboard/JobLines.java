package io.lowkiq.dashboard;

import org.jspecify.annotations.Nullable;

/**
 * Jobs as newline-delimited JSON.
 *
 * @param body a document a line
 * @param next the token of the next page; null if this is the last one
 */
@SuppressWarnings("ArrayRecordComponent")
record JobLines(byte[] body, @Nullable String next) {

	static final String TYPE = "application/x-ndjson";

	static final String NEXT = "X-Lowkiq-Next";

}
