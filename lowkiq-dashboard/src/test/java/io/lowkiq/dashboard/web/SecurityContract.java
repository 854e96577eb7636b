package io.lowkiq.dashboard.web;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import io.lowkiq.dashboard.PayloadMasker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Who may do what, the same in Spring MVC and WebFlux. */
@ExtendWith(OutputCaptureExtension.class)
abstract class SecurityContract {

	private static final String API = "/lowkiq/api/v1/";

	private static final String PAUSE = "{\"action\":\"pause\"}";

	private static final String PAUSE_GROUP = "{\"action\":\"pause\",\"group\":\"acme\"}";

	private final WebApplicationType type;

	private final Class<?> security;

	SecurityContract(WebApplicationType type, Class<?> security) {
		this.type = type;
		this.security = security;
	}

	@Test
	void isReadOnlyByDefault() {
		try (TestDashboard application = TestDashboard.of(this.type).start()) {
			application.queue("orders", 2);
			Http http = Http.on(application.port());
			assertThat(http.get(API + "session").json().at("/actionsEnabled").asBoolean()).isFalse();
			Http.Answer refused = http.fromPage().post(API + "queues/orders/actions", PAUSE);
			assertThat(refused.status()).isEqualTo(403);
			assertThat(refused.json().at("/error").asString()).contains("lowkiq.dashboard.actions-enabled");
			assertThat(http.get(API + "queues/orders").json().at("/queue/paused").asBoolean()).isFalse();
		}
	}

	@Test
	void acceptsChangesFromTheSameOriginOnly() {
		try (TestDashboard application = TestDashboard.of(this.type)
			.with("lowkiq.dashboard.actions-enabled", true)
			.start()) {
			application.queue("orders", 2);
			Http page = Http.on(application.port()).fromPage();
			String path = API + "queues/orders/actions";
			assertThat(page.with("Origin", "https://evil.example").post(path, PAUSE).status()).isEqualTo(403);
			assertThat(page.with("Origin", "null").post(path, PAUSE).status()).isEqualTo(403);
			assertThat(page.with("Sec-Fetch-Site", "cross-site").post(path, PAUSE).status()).isEqualTo(403);
			assertThat(page.with("Sec-Fetch-Site", "same-site").post(path, PAUSE).status()).isEqualTo(403);
			assertThat(page.without("X-Lowkiq-Request").post(path, PAUSE).status()).isEqualTo(403);
			assertThat(page.with("Content-Type", "text/plain").post(path, PAUSE).status()).isEqualTo(403);
			assertThat(page.without("Content-Type").post(path, PAUSE).status()).isEqualTo(403);
			assertThat(page.with("Origin", "https://evil.example").delete(API + "actions/x").status()).isEqualTo(403);
			assertThat(Http.on(application.port()).get(API + "queues/orders").json().at("/queue/paused").asBoolean())
				.isFalse();
			assertThat(page.post(path, PAUSE).status()).isEqualTo(200);
			assertThat(page.with("Sec-Fetch-Site", "same-origin").post(path, PAUSE).status()).isEqualTo(200);
			assertThat(page.with("Origin", "https://shop.example")
				.with("X-Forwarded-Host", "shop.example")
				.post(path, PAUSE)
				.status()).isEqualTo(200);
		}
	}

	@Test
	void anonymousUsersSeeNothing() {
		try (TestDashboard application = secured()) {
			Http http = Http.on(application.port());
			for (String path : new String[] { "/lowkiq", "/lowkiq/assets/app.js", API + "overview", API + "session" }) {
				assertThat(http.get(path).status()).isEqualTo(401);
			}
			assertThat(http.fromPage().post(API + "queues/orders/actions", PAUSE).status()).isIn(401, 403);
		}
	}

	@Test
	void restOfTheApplicationIsProtected() {
		try (TestDashboard application = TestDashboard.of(this.type)
			.with("management.endpoints.web.exposure.include", "*")
			.secured(this.security)
			.start()) {
			Http http = Http.on(application.port());
			for (String path : new String[] { "/private", "/actuator", "/actuator/env" }) {
				assertThat(http.get(path).status()).as(path).isEqualTo(401);
			}
			assertThat(http.as("reader").get("/actuator/env").status()).isEqualTo(403);
			assertThat(http.as("operator").get("/actuator/env").status()).isEqualTo(200);
		}
	}

	@Test
	void readersLookAndCantAct() {
		try (TestDashboard application = secured()) {
			Http reader = Http.on(application.port()).as("reader");
			assertThat(reader.get("/lowkiq").status()).isEqualTo(200);
			Http.Answer session = reader.get(API + "session");
			assertThat(session.json().at("/user").asString()).isEqualTo("reader");
			Http page = page(reader, session);
			assertThat(page.post(API + "access", "").status()).isEqualTo(403);
			assertThat(page.post(API + "queues/orders/actions", PAUSE).status()).isEqualTo(403);
			assertThat(page.post(API + "queues/orders/dead-payload", "{}").status()).isEqualTo(403);
			assertThat(page.post(API + "queues/orders/groups", PAUSE_GROUP).status()).isEqualTo(403);
			assertThat(paused(reader)).isFalse();
			for (String path : new String[] { "errors", "search?text=1", "audit", "actions", "queues/orders/count",
					"queues/orders/export" }) {
				assertThat(reader.get(API + path).status()).isEqualTo(200);
				assertThat(Http.on(application.port()).get(API + path).status()).isEqualTo(401);
			}
		}
	}

	@Test
	void operatorsActWithTheTokenOfTheSession() {
		try (TestDashboard application = secured()) {
			Http operator = Http.on(application.port()).as("operator");
			Http page = page(operator, operator.get(API + "session"));
			assertThat(page.post(API + "access", "").status()).isEqualTo(204);
			Http.Answer done = page.post(API + "queues/orders/actions", PAUSE);
			assertThat(done.status()).isEqualTo(200);
			assertThat(done.json().at("/user").asString()).isEqualTo("operator");
			assertThat(paused(operator)).isTrue();
			assertThat(page.post(API + "queues/orders/groups", PAUSE_GROUP).status()).isEqualTo(204);
			assertThat(operator.get(API + "queues/orders/groups").json().at("/groups/0/pause/by").asString())
				.isEqualTo("operator");
		}
	}

	@Test
	void operatorsCantActWithoutTheToken() {
		try (TestDashboard application = secured()) {
			Http operator = Http.on(application.port()).as("operator");
			Http.Answer session = operator.get(API + "session");
			String header = session.json().at("/csrf/name").asString();
			Http page = page(operator, session);
			assertThat(page.without(header).post(API + "queues/orders/actions", PAUSE).status()).isEqualTo(403);
			assertThat(page.with(header, "wrong").post(API + "queues/orders/actions", PAUSE).status()).isEqualTo(403);
			assertThat(paused(operator)).isFalse();
		}
	}

	@Test
	void operatorsCantActFromAnotherOrigin() {
		try (TestDashboard application = secured()) {
			Http operator = Http.on(application.port()).as("operator");
			Http page = page(operator, operator.get(API + "session"));
			assertThat(page.with("Origin", "https://evil.example").post(API + "queues/orders/actions", PAUSE).status())
				.isEqualTo(403);
			assertThat(paused(operator)).isFalse();
		}
	}

	@ParameterizedTest
	@CsvSource({ "shown, true", "masked, false", "hidden, false" })
	void payloadsCanBeKeptBack(String visibility, boolean shown) {
		try (TestDashboard application = TestDashboard.of(this.type)
			.with("lowkiq.dashboard.payloads", visibility)
			.start()) {
			application.queue("orders", 2).enqueue("42");
			Http http = Http.on(application.port());
			for (String path : new String[] { "jobs", "job?id=42", "payload?id=42&state=queued", "export" }) {
				assertThat(http.get(API + "queues/orders/" + path).body().contains("PAID")).isEqualTo(shown);
			}
			Http.Answer found = http.get(API + "search?text=42");
			assertThat(found.json().at("/hits/0/job/enqueuedAt").asLong()).isPositive();
			assertThat(found.body().contains("PAID")).isEqualTo(shown);
		}
	}

	@Test
	void byDefaultPayloadsAreHiddenFromWhoeverIsNotSignedIn() {
		try (TestDashboard application = TestDashboard.of(this.type)
			.without("lowkiq.dashboard.payloads")
			.with("lowkiq.dashboard.actions-enabled", true)
			.start()) {
			application.queue("orders", 2).enqueue("42");
			Http http = Http.on(application.port());
			for (String path : new String[] { "jobs", "job?id=42", "payload?id=42&state=queued" }) {
				Http.Answer answer = http.get(API + "queues/orders/" + path);
				assertThat(answer.status()).isEqualTo(200);
				assertThat(answer.body()).doesNotContain("PAID");
			}
			assertThat(http.get(API + "session").json().at("/payloads").asString()).isEqualTo("HIDDEN");
			for (String path : new String[] { "held-payload", "dead-payload" }) {
				Http.Answer edit = http.fromPage()
					.post(API + "queues/orders/" + path, "{\"id\":\"42\",\"known\":\"{}\",\"text\":\"[]\"}");
				assertThat(edit.status()).isEqualTo(403);
			}
		}
	}

	@Test
	void byDefaultPayloadsAreShownToUsersWhoAreSignedIn() {
		try (TestDashboard application = TestDashboard.of(this.type)
			.without("lowkiq.dashboard.payloads")
			.secured(this.security)
			.start()) {
			application.queue("orders", 2).enqueue("42");
			Http reader = Http.on(application.port()).as("reader");
			assertThat(reader.get(API + "queues/orders/job?id=42").body()).contains("PAID");
			assertThat(reader.get(API + "session").json().at("/payloads").asString()).isEqualTo("SHOWN");
		}
	}

	@Test
	void aForeignHostNameIsRefused() throws IOException {
		try (TestDashboard application = TestDashboard.of(this.type)
			.with("lowkiq.dashboard.actions-enabled", true)
			.start()) {
			application.queue("orders", 2).enqueue("42");
			String queue = API + "queues/orders";
			for (String path : new String[] { "/lowkiq", "/lowkiq/assets/app.js", API + "overview", queue + "/jobs" }) {
				assertThat(answer(application, "GET", path, "evil.example")).startsWith("HTTP/1.1 403")
					.contains("lowkiq.dashboard.allowed-hosts")
					.doesNotContain("PAID");
			}
			assertThat(answer(application, "POST", queue + "/actions", "evil.example")).startsWith("HTTP/1.1 403");
			assertThat(paused(Http.on(application.port()))).isFalse();
			assertThat(answer(application, "GET", "/lowkiq", "localhost:" + application.port()))
				.startsWith("HTTP/1.1 200");
		}
	}

	@Test
	void moreHostNamesCanBeAllowed() throws IOException {
		try (TestDashboard application = TestDashboard.of(this.type)
			.with("lowkiq.dashboard.allowed-hosts", "jobs.example,shop.example")
			.start()) {
			assertThat(answer(application, "GET", API + "overview", "shop.example")).startsWith("HTTP/1.1 200");
			assertThat(answer(application, "GET", API + "overview", "evil.example")).startsWith("HTTP/1.1 403");
		}
	}

	@Test
	void usersWhoAreSignedInMayUseAnyHostName() throws IOException {
		try (TestDashboard application = secured()) {
			String reader = "Authorization: Basic "
					+ Base64.getEncoder().encodeToString("reader:secret".getBytes(StandardCharsets.UTF_8));
			assertThat(answer(application, "GET", API + "overview", "shop.example", reader)).startsWith("HTTP/1.1 200");
		}
	}

	/** The client of the JDK doesn't let the header Host be set. */
	private static String answer(TestDashboard application, String method, String path, String host, String... headers)
			throws IOException {
		String body = method.equals("POST") ? PAUSE : "";
		String request = "%s %s HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nContent-Type: application/json\r\nX-Lowkiq-Request: 1\r\nContent-Length: %d\r\nConnection: close\r\n%s\r\n%s"
			.formatted(method, path, host, host, body.length(),
					headers.length > 0 ? String.join("\r\n", headers) + "\r\n" : "", body);
		try (Socket socket = new Socket("127.0.0.1", application.port())) {
			socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	@Test
	void saysAtStartThatWhoeverReachesThePortSeesIt(CapturedOutput output) {
		try (TestDashboard application = TestDashboard.of(this.type)
			.without("lowkiq.dashboard.payloads")
			.with("logging.level.io.lowkiq", "info")
			.start()) {
			assertThat(output).contains("Dashboard: /lowkiq on port " + application.port()
					+ ", read-only. Everyone who can reach the port can see it; payloads are hidden. Secure the path with Spring "
					+ "Security, or set lowkiq.dashboard.port=management or lowkiq.dashboard.enabled=false");
		}
	}

	@Test
	void saysAtStartThatSpringSecurityDecides(CapturedOutput output) {
		try (TestDashboard application = TestDashboard.of(this.type)
			.without("lowkiq.dashboard.payloads")
			.with("logging.level.io.lowkiq", "info")
			.with("lowkiq.dashboard.port", "management")
			.with("management.server.port", 0)
			.with("management.server.base-path", "/manage")
			.secured(this.security)
			.start()) {
			assertThat(output).contains("Dashboard: /manage/lowkiq on port " + application.managementPort()
					+ ", read-only. Spring Security decides who can see it; payloads are shown to users who are signed in");
		}
	}

	@Test
	void aManagementPortThatIsNotThereIsRefused(CapturedOutput output) {
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> TestDashboard.of(this.type).with("lowkiq.dashboard.port", "management").start());
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Invalid value 'management' for configuration property 'lowkiq.dashboard.port'")
			.contains("it needs Actuator and a management.server.port that is not the port of the application");
	}

	@ParameterizedTest
	@ValueSource(strings = { "lowkiq", "", "/lowkiq/*", "//", "lowkiq/" })
	void aPathThatIsNoneIsRefused(String path, CapturedOutput output) {
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> TestDashboard.of(this.type).with("lowkiq.dashboard.path", path).start());
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Invalid value '%s' for configuration property 'lowkiq.dashboard.path'".formatted(path))
			.contains("it must begin with a slash");
	}

	@Test
	void aBeanMasksPayloads() {
		try (TestDashboard application = TestDashboard.of(this.type)
			.with("lowkiq.dashboard.payloads", "masked")
			.with(OwnMasker.class)
			.start()) {
			application.queue("orders", 2).enqueue("42");
			JsonNode job = Http.on(application.port()).get(API + "queues/orders/job?id=42").json();
			assertThat(job.at("/jobs/0/payloads/0/text").asString()).isEqualTo("masked orders/42");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "/admin/queues", "/x-y" })
	void isServedUnderItsPathAndTheContextPath(String path) {
		String context = (this.type == WebApplicationType.SERVLET) ? "server.servlet.context-path"
				: "spring.webflux.base-path";
		try (TestDashboard application = TestDashboard.of(this.type)
			.with("lowkiq.dashboard.path", path.isEmpty() ? "/" : path)
			.with(context, "/shop")
			.start()) {
			Http http = Http.on(application.port());
			String root = path.isEmpty() ? "./" : path.substring(path.lastIndexOf('/') + 1) + "/";
			assertThat(http.get("/shop" + (path.isEmpty() ? "/" : path)).body()).contains("\"" + root + "assets/v-");
			assertThat(http.get("/shop" + path + "/queues/orders/jobs/1").body()).contains("\"../../../assets/v-");
			assertThat(http.get("/shop" + path + "/api/v1/overview").status()).isEqualTo(200);
			if (!path.isEmpty()) {
				assertThat(http.get("/shop/lowkiq").status()).isEqualTo(404);
			}
		}
	}

	@Test
	void isServedOnTheManagementPort() {
		try (TestDashboard application = TestDashboard.of(this.type)
			.with("lowkiq.dashboard.port", "management")
			.with("management.server.port", 0)
			.start()) {
			assertThat(Http.on(application.managementPort()).get("/lowkiq").status()).isEqualTo(200);
			assertThat(Http.on(application.managementPort()).get(API + "overview").status()).isEqualTo(200);
			assertThat(Http.on(application.port()).get("/lowkiq").status()).isEqualTo(404);
		}
	}

	@Test
	void theManagementPortIsProtectedToo() {
		try (TestDashboard application = TestDashboard.of(this.type)
			.with("lowkiq.dashboard.port", "management")
			.with("management.server.port", 0)
			.secured(this.security)
			.start()) {
			Http http = Http.on(application.managementPort());
			assertThat(http.get("/lowkiq").status()).isEqualTo(401);
			assertThat(http.as("reader").get("/lowkiq").status()).isEqualTo(200);
		}
	}

	private TestDashboard secured() {
		TestDashboard application = TestDashboard.of(this.type)
			.with("lowkiq.dashboard.actions-enabled", true)
			.secured(this.security)
			.start();
		application.queue("orders", 2);
		return application;
	}

	private static Http page(Http user, Http.Answer session) {
		String cookie = session.header("Set-Cookie").map((value) -> value.split(";", 2)[0]).orElse("none=1");
		return user.fromPage()
			.with("Cookie", cookie)
			.with(session.json().at("/csrf/name").asString(), session.json().at("/csrf/token").asString());
	}

	private static boolean paused(Http user) {
		return user.get(API + "queues/orders").json().at("/queue/paused").asBoolean();
	}

	/** A masker of the application. */
	@Configuration(proxyBeanMethods = false)
	static class OwnMasker {

		@Bean
		PayloadMasker masker() {
			return (queue, id, payload) -> "masked " + queue + "/" + id;
		}

	}

}
