package io.lowkiq.dashboard.autoconfigure;

import java.security.Principal;
import java.util.Optional;
import java.util.function.Function;

import io.lowkiq.dashboard.api.CsrfHeader;
import io.lowkiq.dashboard.http.Dashboard;
import io.lowkiq.dashboard.http.DashboardRequest;

import io.lowkiq.dashboard.http.DashboardResponse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.server.PathContainer;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;

/**
 * Brings requests of WebFlux to the dashboard. What blocks on the store runs on threads
 * that may block.
 */
final class WebFluxDashboard {

	private static final String CSRF = "org.springframework.security.web.server.csrf.CsrfToken";

	private static final String ANONYMOUS = "org.springframework.security.authentication.AnonymousAuthenticationToken";

	private final Dashboard dashboard;

	private final BasePath base;

	private final Function<ServerRequest, Mono<CsrfHeader>> csrf;

	WebFluxDashboard(Dashboard dashboard, BasePath base) {
		this.dashboard = dashboard;
		this.base = base;
		this.csrf = ClassUtils.isPresent(CSRF, getClass().getClassLoader()) ? new SecurityCsrf()
				: (request) -> Mono.empty();
	}

	RouterFunction<ServerResponse> routes() {
		return RouterFunctions.route(RequestPredicates.path(this.base.pattern()), this::handle);
	}

	private Mono<ServerResponse> handle(ServerRequest request) {
		Mono<Optional<String>> user = request.principal()
			.filter(WebFluxDashboard::isSignedIn)
			.map(Principal::getName)
			.singleOptional();
		Mono<Optional<CsrfHeader>> token = this.csrf.apply(request).singleOptional();
		return Mono.zip(body(request), user, token)
			.map((all) -> dashboardRequest(request, all.getT1(), all.getT2(), all.getT3()))
			.flatMap((asked) -> Mono.fromCallable(() -> this.dashboard.respond(asked))
				.subscribeOn(Schedulers.boundedElastic()))
			.flatMap(WebFluxDashboard::answer)
			.onErrorResume(DataBufferLimitException.class, (ex) -> ServerResponse.status(413).build());
	}

	/** In WebFlux, Spring Security may give anonymous callers a principal. */
	private static boolean isSignedIn(Principal principal) {
		return !principal.getClass().getName().equals(ANONYMOUS);
	}

	private DashboardRequest dashboardRequest(ServerRequest request, byte[] body, Optional<String> user,
			Optional<CsrfHeader> token) {
		PathContainer path = request.requestPath().pathWithinApplication();
		return new DashboardRequest(request.method().name(), request.uri(), this.base.segments(path),
				this.base.isRoot(path), this.base.endsInSlash(path), request.queryParams(),
				request.headers().asHttpHeaders(), body, user.orElse(null), token.orElse(null));
	}

	private static Mono<byte[]> body(ServerRequest request) {
		return DataBufferUtils.join(request.bodyToFlux(DataBuffer.class), BasePath.MAX_BODY).map((buffer) -> {
			byte[] bytes = new byte[buffer.readableByteCount()];
			buffer.read(bytes);
			DataBufferUtils.release(buffer);
			return bytes;
		}).defaultIfEmpty(new byte[0]);
	}

	private static Mono<ServerResponse> answer(DashboardResponse response) {
		ServerResponse.BodyBuilder builder = ServerResponse.status(response.status())
			.headers((headers) -> headers.putAll(response.headers()));
		if (response.body().length == 0) {
			return builder.build();
		}
		return builder.contentLength(response.body().length)
			.body((outgoing, context) -> outgoing
				.writeWith(Mono.fromSupplier(() -> outgoing.bufferFactory().wrap(response.body()))));
	}

	/** Only loaded where there is Spring Security. */
	private static final class SecurityCsrf implements Function<ServerRequest, Mono<CsrfHeader>> {

		@Override
		public Mono<CsrfHeader> apply(ServerRequest request) {
			Object attribute = request.attribute(CSRF).orElse(null);
			if (!(attribute instanceof Mono<?> token)) {
				return Mono.empty();
			}
			return token.ofType(CsrfToken.class)
				.map((found) -> new CsrfHeader(found.getHeaderName(), found.getToken()));
		}

	}

}
