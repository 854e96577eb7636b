package io.lowkiq.dashboard.http;

import java.net.URI;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/**
 * Tells whether a changing call comes from the dashboard's own page, or from no browser
 * at all. It has to carry a header that no form can send, and JSON; a page of another
 * origin can send neither without being asked by the browser whether it may, and is never
 * answered that it may. What the browser says of the caller's origin is checked besides.
 */
final class SameOrigin {

	/** The header that a changing call carries, with any value. */
	static final String HEADER = "X-Lowkiq-Request";

	private SameOrigin() {
	}

	static boolean holds(DashboardRequest request) {
		HttpHeaders headers = request.headers();
		if (headers.getFirst(HEADER) == null || !isJson(headers)) {
			return false;
		}
		String site = headers.getFirst("Sec-Fetch-Site");
		if (site != null) {
			return site.equals("same-origin");
		}
		String origin = headers.getFirst(HttpHeaders.ORIGIN);
		return origin == null || isOwn(origin, request);
	}

	private static boolean isJson(HttpHeaders headers) {
		try {
			return MediaType.APPLICATION_JSON.isCompatibleWith(headers.getContentType());
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	/** A browser lets no page set Host or, unasked, X-Forwarded-Host. */
	private static boolean isOwn(String origin, DashboardRequest request) {
		try {
			URI from = URI.create(origin);
			String authority = authority(from.getAuthority(), from.getScheme());
			return authority != null
					&& (authority.equals(authority(request.headers().getFirst(HttpHeaders.HOST), from.getScheme()))
							|| authority
								.equals(authority(request.headers().getFirst("X-Forwarded-Host"), from.getScheme()))
							|| authority.equals(authority(request.uri().getAuthority(), from.getScheme())));
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	private static @Nullable String authority(@Nullable String authority, @Nullable String scheme) {
		if (authority == null || scheme == null) {
			return null;
		}
		String lower = authority.toLowerCase(Locale.ROOT);
		String port = scheme.equals("https") ? ":443" : ":80";
		return lower.endsWith(port) ? lower.substring(0, lower.length() - port.length()) : lower;
	}

}
