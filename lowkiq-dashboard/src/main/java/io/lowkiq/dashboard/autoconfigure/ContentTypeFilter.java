package io.lowkiq.dashboard.autoconfigure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.core.Ordered;
import org.springframework.http.MediaType;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses a content type with a wildcard, such as <code>*&#47;*</code>. Spring MVC can't
 * read the headers of such a request, so it would fail before any route is asked, and
 * once more for each error page. The answer is written here, without an error page.
 */
final class ContentTypeFilter extends OncePerRequestFilter {

	private static final byte[] ANSWER = "{\"error\":\"The content type must not contain a wildcard\"}"
		.getBytes(StandardCharsets.UTF_8);

	static FilterRegistrationBean<ContentTypeFilter> registration(BasePath base) {
		FilterRegistrationBean<ContentTypeFilter> registration = new FilterRegistrationBean<>(new ContentTypeFilter());
		registration.addUrlPatterns(base.path() + "/*");
		// Behind Spring Security
		registration.setOrder(Ordered.LOWEST_PRECEDENCE);
		return registration;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		String type = request.getContentType();
		if (type == null || type.indexOf('*') < 0) {
			chain.doFilter(request, response);
			return;
		}
		response.setStatus(HttpServletResponse.SC_UNSUPPORTED_MEDIA_TYPE);
		response.setContentType(MediaType.APPLICATION_JSON_VALUE);
		response.getOutputStream().write(ANSWER);
	}

}
