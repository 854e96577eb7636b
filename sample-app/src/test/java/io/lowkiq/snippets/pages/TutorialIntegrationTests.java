package io.lowkiq.snippets.pages;

import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Follows the tutorial: copies its files, starts its application, sends its requests in
 * their order, presses its button, and runs its test.
 */
@ExtendWith(OutputCaptureExtension.class)
class TutorialIntegrationTests {

	private static final String PAGE = "docs/tutorial.md";

	private static final Pattern CURL = Pattern.compile("(?m)^curl (.*)$");

	private static final Pattern URL = Pattern.compile("http://localhost:8080(\\S+)");

	private static final Pattern BODY = Pattern.compile("-d '([^']*)'");

	@TempDir
	private Path folder;

	@Test
	void jobRunsThenFailsThenIsRetriedOnTheDashboard(CapturedOutput output) throws Exception {
		PageFiles page = new PageFiles(PAGE, this.folder);
		List<String> requests = requests();
		try (URLClassLoader classes = page.compile();
				RunningApplication shop = new RunningApplication(classes, "com.example.shop.ShopApplication",
						"file:" + page.path("src/main/resources/application.yaml"))) {
			RestClient http = RestClient.create("http://localhost:" + shop.port());

			send(http, requests.get(0));
			await("Order 42: 1 change(s), now NEW", output);
			assertThat(send(http, requests.get(1))).isEqualTo("{\"42\":{\"version\":1,\"status\":\"NEW\"}}");

			send(http, requests.get(2));
			send(http, requests.get(3));
			await("Job '42' of queue 'orders' failed (attempt 1 of 26)", output);
			send(http, requests.get(4));
			JsonNode job = http.get().uri("/lowkiq/api/v1/queues/orders/job?id=42").retrieve().body(JsonNode.class);
			assertThat(job.path("why").path("sentence").asString()).startsWith("It failed and waits for attempt 2 at ");
			assertThat(job.path("jobs").path(0).path("payloads").findValuesAsString("text")).hasSize(2)
				.first()
				.asString()
				.contains("PAID");

			send(http, requests.get(5));
			http.post()
				.uri("/lowkiq/api/v1/queues/orders/actions")
				.header("X-Lowkiq-Request", "1")
				.contentType(MediaType.APPLICATION_JSON)
				.body("{\"action\":\"perform-now\",\"ids\":[\"42\"]}")
				.retrieve()
				.toBodilessEntity();
			await("Order 42: 2 change(s), now SENT", output);
			assertThat(requests).hasSize(6);
		}
	}

	@Test
	void testOfThePagePasses() throws Exception {
		PageFiles page = new PageFiles(PAGE, this.folder);
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		try (URLClassLoader classes = page.compile()) {
			thread.setContextClassLoader(classes);
			SummaryGeneratingListener summary = new SummaryGeneratingListener();
			LauncherFactory.create()
				.execute(LauncherDiscoveryRequestBuilder.request()
					.selectors(DiscoverySelectors.selectClass(classes.loadClass("com.example.shop.OrderWorkerTests")))
					.build(), summary);
			assertThat(summary.getSummary().getFailures()).extracting((failure) -> failure.getException().toString())
				.isEmpty();
			assertThat(summary.getSummary().getTestsSucceededCount()).isEqualTo(1);
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	@Test
	void versionsAreThoseOfThisBuild() throws Exception {
		String pom = new PageFiles(PAGE, this.folder).text("pom.xml");
		String parent = Files.readString(PageFiles.ROOT.resolve("pom.xml"));
		assertThat(pom).contains("<version>" + first("<spring-boot.version>([^<]+)<", parent) + "</version>");
		String version = first("<artifactId>lowkiq-parent</artifactId>\\s*<version>([^<]+)<", parent);
		for (String artifact : List.of("lowkiq-spring-boot-starter", "lowkiq-test")) {
			assertThat(pom).containsPattern(
					"<artifactId>" + artifact + "</artifactId>\\s*<version>" + Pattern.quote(version) + "</version>");
		}
	}

	private static String first(String pattern, String text) {
		Matcher matcher = Pattern.compile(pattern).matcher(text);
		assertThat(matcher.find()).as(pattern).isTrue();
		return matcher.group(1);
	}

	private static List<String> requests() throws Exception {
		return CURL.matcher(Files.readString(PageFiles.ROOT.resolve(PAGE)))
			.results()
			.map((request) -> request.group(1))
			.toList();
	}

	private static String send(RestClient http, String curl) {
		String path = URL.matcher(curl).results().map((url) -> url.group(1)).findFirst().orElseThrow();
		List<MatchResult> body = BODY.matcher(curl).results().toList();
		RestClient.RequestBodySpec request = http
			.method((body.isEmpty() && !curl.contains("-X POST")) ? HttpMethod.GET : HttpMethod.POST)
			.uri(path);
		if (!body.isEmpty()) {
			request.contentType(MediaType.APPLICATION_JSON).body(body.get(0).group(1));
		}
		String answer = request.retrieve().body(String.class);
		return (answer != null) ? answer : "";
	}

	private static void await(String line, CapturedOutput output) {
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(output.getOut()).contains(line));
	}

}
