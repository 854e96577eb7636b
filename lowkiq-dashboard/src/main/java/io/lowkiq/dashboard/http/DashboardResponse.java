package io.lowkiq.dashboard.http;

import org.springframework.http.HttpHeaders;

/**
 * The answer to a request.
 *
 * @param status the HTTP status
 * @param headers the headers
 * @param body the body
 */
@SuppressWarnings("ArrayRecordComponent")
public record DashboardResponse(int status, HttpHeaders headers, byte[] body) {
}
