package io.lowkiq.dashboard.http;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.lowkiq.dashboard.api.ApiDocuments;
import io.lowkiq.dashboard.api.ApiException;
import io.lowkiq.dashboard.api.ApiRequest;
import io.lowkiq.dashboard.api.DashboardApi;
import io.lowkiq.dashboard.jobs.JobLines;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpHeaders;
import org.springframework.util.function.SingletonSupplier;

/**
 * The dashboard: answers requests, whatever the web framework they came by. Thread-safe.
 * Answering blocks on the store.
 */
public final class Dashboard {

	/** Besides the overview and the pages of queues and jobs. */
	private static final Set<String> PAGES = Set.of("running", "errors", "search", "audit", "outbox", "follow-ups",
			"schedules", "sources", "help");

	/** Made for the first request: perhaps nobody ever looks. */
	private final Supplier<JsonMapper> mapper = SingletonSupplier.of(() -> JsonMapper.builder().build());

	/** As the mapper. */
	private final Supplier<Page> page = SingletonSupplier.of(Page::new);

	private final DashboardApi api;

	private final AllowedHosts allowedHosts;

	public Dashboard(DashboardApi api, Collection<String> allowedHosts) {
		this.api = api;
		this.allowedHosts = new AllowedHosts(allowedHosts);
	}

	/** Answers a request. */
	public DashboardResponse respond(DashboardRequest request) {
		return Gzip.compress(answer(request), request.headers());
	}

	private DashboardResponse answer(DashboardRequest request) {
		if (request.user() == null && !this.allowedHosts.allow(request.headers().getFirst(HttpHeaders.HOST))) {
			return problem(403, "Callers who are not signed in can't use this host name: "
					+ "add it to lowkiq.dashboard.allowed-hosts to allow it");
		}
		List<String> path = request.path();
		if (path.size() >= 2 && path.get(0).equals("api") && path.get(1).equals("v1")) {
			return json(request, path.subList(2, path.size()));
		}
		if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
			return problem(405, "Pages support GET and HEAD only");
		}
		if (path.size() >= 2 && path.get(0).equals("assets")) {
			return asset(request, path.subList(1, path.size()));
		}
		HttpHeaders headers = headers("text/html;charset=UTF-8", "no-cache");
		return new DashboardResponse(isPage(path) ? 200 : 404, headers,
				this.page.get().shell(root(request), modules(path)));
	}

	/** The modules that the page imports besides those for every page. */
	private static List<String> modules(List<String> path) {
		if (!isPage(path) || path.isEmpty() || !path.get(0).equals("queues")) {
			return List.of();
		}
		return (path.size() == 2) ? List.of("queue.js", "jobs.js", "actions.js")
				: List.of("job.js", "jobs.js", "actions.js", "edit.js", "stack.js");
	}

	private static boolean isPage(List<String> path) {
		return switch (path.size()) {
			case 0 -> true;
			case 1 -> PAGES.contains(path.get(0));
			case 2 -> path.get(0).equals("queues");
			case 3, 4 -> path.get(0).equals("queues") && path.get(2).equals("jobs");
			default -> false;
		};
	}

	/** The way from a page to the base path, such as {@code ../../}. */
	private static String root(DashboardRequest request) {
		if (request.atRoot()) {
			String own = request.uri().getRawPath();
			return own.substring(own.lastIndexOf('/') + 1) + "/";
		}
		int depth = request.path().size() - (request.slash() ? 0 : 1);
		return (depth > 0) ? "../".repeat(depth) : "./";
	}

	/**
	 * Answers with a file. Its address holds the version of the page, so that a browser
	 * can keep it; one of another version, as while nodes are replaced, gets the present
	 * file and doesn't keep it.
	 */
	private DashboardResponse asset(DashboardRequest request, List<String> path) {
		boolean versioned = path.size() > 1 && path.get(0).startsWith(Page.VERSION_MARK);
		Page.Asset asset = this.page.get()
			.asset(String.join("/", versioned ? path.subList(1, path.size()) : path))
			.orElse(null);
		if (asset == null) {
			return problem(404, "There is no such file");
		}
		boolean keep = versioned && path.get(0).equals(this.page.get().version());
		HttpHeaders headers = headers(asset.type(), keep ? "private, max-age=31536000, immutable" : "no-cache");
		headers.set(HttpHeaders.ETAG, asset.tag());
		// As text: parsing fails for a header that makes no sense
		if (request.headers()
			.getOrEmpty(HttpHeaders.IF_NONE_MATCH)
			.stream()
			.anyMatch((tags) -> tags.contains(asset.tag()))) {
			return new DashboardResponse(304, headers, new byte[0]);
		}
		return new DashboardResponse(200, headers, asset.content());
	}

	private DashboardResponse json(DashboardRequest request, List<String> path) {
		boolean changes = request.method().equals("POST") || request.method().equals("DELETE");
		if (changes && !SameOrigin.holds(request)) {
			return problem(403, "Requests that change something are only accepted from the dashboard's own page: "
					+ "same origin, JSON, and the header " + SameOrigin.HEADER);
		}
		try {
			Object document = this.api.answer(new ApiRequest(request.method(), path, request.query(), request.body(),
					request.user(), request.csrf()));
			if (document instanceof JobLines lines) {
				return lines(lines);
			}
			return (document != null) ? json(200, document)
					: new DashboardResponse(204, headers(null, "no-store"), new byte[0]);
		}
		catch (ApiException ex) {
			return problem(ex.status(), String.valueOf(ex.getMessage()));
		}
	}

	private static DashboardResponse lines(JobLines lines) {
		HttpHeaders headers = headers(JobLines.TYPE, "no-store");
		if (lines.next() != null) {
			headers.set(JobLines.NEXT, lines.next());
		}
		return new DashboardResponse(200, headers, lines.body());
	}

	private DashboardResponse problem(int status, String sentence) {
		return json(status, new ApiDocuments.Problem(sentence));
	}

	private DashboardResponse json(int status, Object document) {
		byte[] body = this.mapper.get().writeValueAsString(document).getBytes(StandardCharsets.UTF_8);
		return new DashboardResponse(status, headers("application/json", "no-store"), body);
	}

	private static HttpHeaders headers(@Nullable String type, String cacheControl) {
		HttpHeaders headers = new HttpHeaders();
		if (type != null) {
			headers.set(HttpHeaders.CONTENT_TYPE, type);
		}
		headers.set(HttpHeaders.CACHE_CONTROL, cacheControl);
		headers.set("Content-Security-Policy",
				"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
						+ "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
		headers.set("X-Content-Type-Options", "nosniff");
		headers.set("X-Frame-Options", "DENY");
		headers.set("Referrer-Policy", "no-referrer");
		headers.set("Cross-Origin-Resource-Policy", "same-origin");
		headers.set("Cross-Origin-Opener-Policy", "same-origin");
		return headers;
	}

}
