package io.lowkiq.dashboard.autoconfigure;

import java.io.IOException;
import java.security.Principal;
import java.util.function.Function;

import io.lowkiq.dashboard.api.CsrfHeader;
import io.lowkiq.dashboard.http.Dashboard;
import io.lowkiq.dashboard.http.DashboardRequest;

import io.lowkiq.dashboard.http.DashboardResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Brings requests of Spring MVC to the dashboard. */
final class WebMvcDashboard {

	private static final String CSRF = "org.springframework.security.web.csrf.CsrfToken";

	private final Dashboard dashboard;

	private final BasePath base;

	private final Function<ServerRequest, @Nullable CsrfHeader> csrf;

	WebMvcDashboard(Dashboard dashboard, BasePath base) {
		this.dashboard = dashboard;
		this.base = base;
		this.csrf = ClassUtils.isPresent(CSRF, getClass().getClassLoader()) ? new SecurityCsrf() : (request) -> null;
	}

	RouterFunction<ServerResponse> routes() {
		return RouterFunctions.route(RequestPredicates.path(this.base.pattern()), this::handle);
	}

	private ServerResponse handle(ServerRequest request) throws IOException {
		byte[] body = request.servletRequest().getInputStream().readNBytes(BasePath.MAX_BODY + 1);
		if (body.length > BasePath.MAX_BODY) {
			return ServerResponse.status(413).build();
		}
		PathContainer path = request.requestPath().pathWithinApplication();
		DashboardResponse response = this.dashboard.respond(new DashboardRequest(request.method().name(), request.uri(),
				this.base.segments(path), this.base.isRoot(path), this.base.endsInSlash(path), request.params(),
				request.headers().asHttpHeaders(), body, request.principal().map(Principal::getName).orElse(null),
				this.csrf.apply(request)));
		return ServerResponse.status(response.status())
			.headers((headers) -> headers.putAll(response.headers()))
			.build((servletRequest, servletResponse) -> {
				servletResponse.setContentLength(response.body().length);
				servletResponse.getOutputStream().write(response.body());
				return null;
			});
	}

	/** Only loaded where there is Spring Security. */
	private static final class SecurityCsrf implements Function<ServerRequest, @Nullable CsrfHeader> {

		@Override
		public @Nullable CsrfHeader apply(ServerRequest request) {
			return (request.servletRequest().getAttribute(CSRF) instanceof CsrfToken token)
					? new CsrfHeader(token.getHeaderName(), token.getToken()) : null;
		}

	}

}
