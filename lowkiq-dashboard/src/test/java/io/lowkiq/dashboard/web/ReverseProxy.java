package io.lowkiq.dashboard.web;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A reverse proxy that shows an application under a prefix, which it takes off, and that
 * has nothing else to show.
 */
final class ReverseProxy implements AutoCloseable {

	/** What concerns one connection only, or is made anew for the other. */
	private static final Set<String> OWN_HEADERS = Set.of("connection", "content-length", "expect", "host",
			"keep-alive", "transfer-encoding", "upgrade");

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final HttpClient client = HttpClient.newBuilder()
		.version(HttpClient.Version.HTTP_1_1)
		.executor(this.threads)
		.build();

	private final HttpServer server;

	private final String prefix;

	private final int target;

	private ReverseProxy(HttpServer server, String prefix, int target) {
		this.server = server;
		this.prefix = prefix;
		this.target = target;
	}

	static ReverseProxy start(String prefix, int target) throws IOException {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		ReverseProxy proxy = new ReverseProxy(server, prefix, target);
		server.setExecutor(proxy.threads);
		server.createContext(prefix + "/", proxy::pass);
		server.start();
		return proxy;
	}

	int port() {
		return this.server.getAddress().getPort();
	}

	private void pass(HttpExchange exchange) throws IOException {
		try (exchange) {
			String path = exchange.getRequestURI().toString().substring(this.prefix.length());
			HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.target + path))
				.method(exchange.getRequestMethod(),
						HttpRequest.BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
			exchange.getRequestHeaders().forEach((name, values) -> {
				if (isPassed(name)) {
					values.forEach((value) -> request.header(name, value));
				}
			});
			request.setHeader("X-Forwarded-Prefix", this.prefix)
				.setHeader("X-Forwarded-Host", exchange.getRequestHeaders().getFirst("Host"))
				.setHeader("X-Forwarded-Proto", "http");
			HttpResponse<byte[]> response = this.client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
			response.headers().map().forEach((name, values) -> {
				if (isPassed(name)) {
					exchange.getResponseHeaders().put(name, values);
				}
			});
			byte[] body = response.body();
			exchange.sendResponseHeaders(response.statusCode(), (body.length > 0) ? body.length : -1);
			exchange.getResponseBody().write(body);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static boolean isPassed(String header) {
		return !OWN_HEADERS.contains(header.toLowerCase(Locale.ROOT));
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

}
