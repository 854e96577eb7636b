package io.lowkiq.dashboard.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

import org.awaitility.Awaitility;
import org.json.JSONException;
import org.skyscreamer.jsonassert.JSONAssert;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls the dashboard as a browser or a program would. Immutable. */
final class Http {

	/** Nothing takes longer, not even on a busy machine. */
	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final HttpClient client = HttpClient.newHttpClient();

	private final String base;

	private final Map<String, String> headers;

	private Http(String base, Map<String, String> headers) {
		this.base = base;
		this.headers = headers;
	}

	static Http on(int port) {
		return new Http("http://127.0.0.1:" + port, Map.of());
	}

	/** As the dashboard's own page calls. */
	Http fromPage() {
		return with("X-Lowkiq-Request", "1").with("Content-Type", "application/json").with("Origin", this.base);
	}

	Http with(String name, String value) {
		Map<String, String> more = new LinkedHashMap<>(this.headers);
		more.put(name, value);
		return new Http(this.base, more);
	}

	Http without(String name) {
		Map<String, String> less = new LinkedHashMap<>(this.headers);
		less.remove(name);
		return new Http(this.base, less);
	}

	/** Asserts the values that a document has among others. */
	static void assertHas(JsonNode document, String expected) {
		try {
			JSONAssert.assertEquals(expected, document.toString(), false);
		}
		catch (JSONException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

	/** Waits for the end of an action, and returns its last state. */
	JsonNode ended(Answer begun) {
		assertThat(begun.status()).isEqualTo(200);
		String run = begun.json().at("/run").asString();
		return Awaitility.await()
			.until(() -> get("/lowkiq/api/v1/actions/" + run).json(),
					(status) -> !status.at("/state").asString().equals("RUNNING"));
	}

	Http as(String user) {
		return with("Authorization",
				"Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8)));
	}

	Answer get(String path) {
		return send("GET", path, HttpRequest.BodyPublishers.noBody());
	}

	Answer post(String path, String body) {
		return send("POST", path, HttpRequest.BodyPublishers.ofString(body));
	}

	Answer delete(String path) {
		return send("DELETE", path, HttpRequest.BodyPublishers.noBody());
	}

	/** The status of a request whose path needs not be a URI. */
	int status(String path) throws IOException {
		URI own = URI.create(this.base);
		try (Socket socket = new Socket(own.getHost(), own.getPort())) {
			socket.getOutputStream()
				.write("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(path, own.getAuthority())
					.getBytes(StandardCharsets.ISO_8859_1));
			String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
			return Integer.parseInt(answer.substring(9, 12));
		}
	}

	private Answer send(String method, String path, HttpRequest.BodyPublisher body) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(this.base + path))
			.timeout(PATIENCE)
			.method(method, body);
		this.headers.forEach(request::header);
		try {
			return new Answer(this.client.send(request.build(), HttpResponse.BodyHandlers.ofString()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	record Answer(HttpResponse<String> response) {

		int status() {
			return this.response.statusCode();
		}

		String body() {
			return this.response.body();
		}

		Optional<String> header(String name) {
			return this.response.headers().firstValue(name);
		}

		JsonNode json() {
			return JsonMapper.shared().readTree(body());
		}

	}

}
