package io.lowkiq.dashboard.api;

/** The header that Spring Security requires of a request that changes something. */
public record CsrfHeader(String name, String token) {
}
