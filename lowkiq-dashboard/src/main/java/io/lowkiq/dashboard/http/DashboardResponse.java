package io.lowkiq.dashboard.http;

import org.springframework.http.HttpHeaders;

/** The answer to a request. */
@SuppressWarnings("ArrayRecordComponent")
public record DashboardResponse(int status, HttpHeaders headers, byte[] body) {
}
