package io.lowkiq.dashboard.http;

import java.net.URI;
import java.util.List;
import java.util.Map;

import io.lowkiq.dashboard.api.CsrfHeader;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * A request as the dashboard sees it, whatever the web framework.
 *
 * @param method the HTTP method in upper case
 * @param uri the URI of the request as the web framework sees it
 * @param path the decoded segments of the path after the base path
 * @param atRoot whether the path is the base path itself without a slash at its end
 * @param slash whether the path ends in a slash
 * @param user who is signed in; null if nobody is
 * @param csrf what a changing call has to bring along; null if nothing
 */
@SuppressWarnings("ArrayRecordComponent")
public record DashboardRequest(String method, URI uri, List<String> path, boolean atRoot, boolean slash,
		Map<String, List<String>> query, HttpHeaders headers, byte[] body, @Nullable String user,
		@Nullable CsrfHeader csrf) {
}
