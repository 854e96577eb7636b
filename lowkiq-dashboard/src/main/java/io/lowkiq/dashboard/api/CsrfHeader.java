package io.lowkiq.dashboard.api;

/**
 * The header that Spring Security requires of a request that changes something.
 *
 * @param name the name of the header
 * @param token its value
 */
public record CsrfHeader(String name, String token) {
}
