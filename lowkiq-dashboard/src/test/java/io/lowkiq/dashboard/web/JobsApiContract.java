package io.lowkiq.dashboard.web;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.inspection.ErrorKind;
import io.lowkiq.testing.TestQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the API answers about many jobs at once and does to them, the same in Spring MVC
 * and WebFlux, in memory and in Redis.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JobsApiContract {

	private static final String API = "/lowkiq/api/v1/";

	private static final String LOCKED = "java.lang.IllegalStateException: order %d is locked\n\tat a.B.c(B.java:1)";

	private static final String REFUSED = "java.net.ConnectException: Connection refused: shop.example:%d";

	private static final String LOCKED_KEY = ErrorKind.of(LOCKED.formatted(1)).key();

	private TestDashboard application;

	private Http http;

	abstract TestDashboard.Starter starter();

	@BeforeAll
	void start() {
		this.application = starter().with("lowkiq.dashboard.actions-enabled", true).start();
		this.http = Http.on(this.application.port());
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	// Selections

	@Test
	void listsTheJobsWithAnError() {
		failed("listed");
		for (String query : List.of("state=dead", "state=dead&descending=true", "state=dead&limit=7")) {
			assertThat(ids("listed", query + "&error=" + LOCKED_KEY)).hasSize(300)
				.doesNotHaveDuplicates()
				.allMatch((id) -> id.startsWith("A-"));
		}
		assertThat(ids("listed", "state=retries&error=" + LOCKED_KEY)).containsExactlyInAnyOrder("R-0", "R-1");
		assertThat(ids("listed", "state=queued&error=" + LOCKED_KEY)).containsExactlyInAnyOrder("R-0", "R-1");
		assertThat(ids("listed", "state=dead&prefix=A-29&error=" + LOCKED_KEY)).hasSize(11);
		JsonNode job = this.http.get(API + "queues/listed/jobs?state=dead&limit=1&error=" + LOCKED_KEY).json();
		assertThat(job.at("/jobs/0/payloads/0/text").asString()).contains("PAID");
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-",
			value = { "state=dead, 350", "state=retries, 3", "-, 8", "state=ready, 5", "state=delayed, 3",
					"state=suspects, 0", "state=dead&prefix=A-1, 111", "state=dead&error=KEY, 300",
					"state=queued&error=KEY, 2", "state=dead&prefix=B&error=KEY, 0", "state=busy, 0" })
	void countsASelection(String query, int expected) {
		failed("counted");
		JsonNode count = this.http
			.get(API + "queues/counted/count?" + ((query != null) ? query.replace("KEY", LOCKED_KEY) : ""))
			.json();
		assertThat(count.at("/count").asInt()).isEqualTo(expected);
		assertThat(count.at("/complete").asBoolean()).isTrue();
		assertThat(count.at("/now").asLong()).isPositive();
	}

	@Test
	void countsTheJobsOfAShard() {
		TestQueue queue = failed("sharded");
		long of2 = List.of(TestQueue.ids("A-", 300))
			.stream()
			.filter((id) -> queue.layout().shardOf(id).index() == 2)
			.count();
		String shard = API + "queues/sharded/count?state=dead&shard=2";
		assertThat(this.http.get(shard + "&error=" + LOCKED_KEY).json().at("/count").asLong()).isEqualTo(of2);
		assertThat(this.http.get(shard).json().at("/count").asLong()).isGreaterThan(of2).isLessThan(300);
	}

	@ParameterizedTest
	@CsvSource({ "state=dead, 1000, 350", "state=dead, 60, 350", "state=dead, 7, 350", "state=dead&error=KEY, 60, 300",
			"state=queued, 3, 8", "state=dead&prefix=A-29, 5, 11" })
	void exportsASelectionPageByPage(String query, int limit, int expected) {
		failed("exported");
		String url = API + "queues/exported/export?limit=" + limit + "&" + query.replace("KEY", LOCKED_KEY);
		List<String> ids = new ArrayList<>();
		String next = "";
		do {
			Http.Answer page = this.http.get(url + (next.isEmpty() ? "" : "&after=" + next));
			assertThat(page.status()).isEqualTo(200);
			assertThat(page.header("Content-Type")).hasValue("application/x-ndjson");
			List<String> lines = page.body().lines().toList();
			assertThat(lines).hasSizeLessThanOrEqualTo(limit);
			for (String line : lines) {
				JsonNode job = JsonMapper.shared().readTree(line);
				ids.add(job.at("/id").asString());
				assertThat(job.at("/payloads/0/text").asString()).contains("PAID");
			}
			next = page.header("X-Lowkiq-Next").orElse("");
		}
		while (!next.isEmpty());
		assertThat(ids).hasSize(expected).doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@ValueSource(strings = { "count?state=x", "count?error=x", "count?shard=99", "jobs?error=ABCDEF0123456789",
			"export?limit=0", "export?limit=1001", "export?after=x", "export?after=0.~", "export?after=0..",
			"export?state=x" })
	void refusesASelectionThatMakesNoSense(String question) {
		this.application.queue("plain", 2).enqueue("1");
		Http.Answer answer = this.http.get(API + "queues/plain/" + question);
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.json().at("/error").asString()).isNotBlank();
	}

	@Test
	void actsOnASelection() {
		failed("acted");
		JsonNode done = ended(act("acted", "{\"action\":\"delete-dead\",\"selection\":{\"state\":\"dead\","
				+ "\"prefix\":\"A-\",\"error\":\"" + LOCKED_KEY + "\"}}"));
		assertThat(done.at("/message").asString()).isEqualTo("300 jobs were deleted from the morgue.");
		assertThat(done.at("/changed").asInt()).isEqualTo(300);
		assertThat(done.at("/total").asInt()).isEqualTo(300);
		assertThat(done.at("/selection/prefix").asString()).isEqualTo("A-");
		assertThat(ids("acted", "state=dead")).hasSize(50).allMatch((id) -> id.startsWith("B-"));
		ended(act("acted", "{\"action\":\"perform-now\",\"selection\":{\"state\":\"retries\"}}"));
		ended(act("acted", "{\"action\":\"hold\",\"selection\":{\"state\":\"ready\",\"shard\":null}}"));
		assertThat(ids("acted", "state=held")).hasSize(5);
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"action\":\"delete\",\"selection\":{}}",
			"{\"action\":\"delete\",\"selection\":{\"state\":\"x\"}}",
			"{\"action\":\"delete\",\"selection\":{\"state\":\"dead\"}}",
			"{\"action\":\"delete\",\"selection\":{\"state\":\"busy\"}}",
			"{\"action\":\"delete-dead\",\"selection\":{\"state\":\"retries\"}}",
			"{\"action\":\"erase\",\"selection\":{\"state\":\"queued\"}}",
			"{\"action\":\"pause\",\"selection\":{\"state\":\"queued\"}}",
			"{\"action\":\"kill-all-failed\",\"selection\":{\"state\":\"retries\"}}",
			"{\"action\":\"delete\",\"ids\":[\"1\"],\"selection\":{\"state\":\"queued\"}}",
			"{\"action\":\"delete\",\"ids\":[],\"selection\":{\"state\":\"queued\"}}",
			"{\"action\":\"delete\",\"selection\":{\"state\":\"queued\",\"prefx\":\"9\"}}",
			"{\"action\":\"delete\",\"selection\":{\"state\":\"queued\",\"shard\":2}}",
			"{\"action\":\"delete\",\"selection\":{\"state\":\"queued\",\"shard\":\"x\"}}",
			"{\"action\":\"delete\",\"selection\":{\"state\":\"queued\",\"error\":\"x\"}}",
			"{\"action\":\"delete\",\"selection\":[]}", "{\"action\":\"delete\",\"selection\":null}" })
	void refusesAnActionOnASelectionThatMakesNoSense(String body) {
		this.application.queue("plain", 2).enqueue("1");
		Http.Answer answer = act("plain", body);
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.json().at("/error").asString()).isNotBlank();
		assertThat(ids("plain", "state=queued")).contains("1");
	}

	/**
	 * 300 dead jobs of one cause and 50 of another, 2 and 1 retries, and 5 fresh jobs.
	 */
	private TestQueue failed(String name) {
		TestQueue queue = this.application.queue(name, 3);
		if (ids(name, "state=queued").isEmpty()) {
			queue.buryWith(LOCKED.formatted(17), TestQueue.ids("A-", 300))
				.buryWith(REFUSED.formatted(80), TestQueue.ids("B-", 50))
				.failWith(LOCKED.formatted(18), TestQueue.ids("R-", 2))
				.failWith(REFUSED.formatted(443), "R-refused")
				.enqueue(TestQueue.ids("fresh-", 5));
		}
		return queue;
	}

	/** All ids of a list, page by page. */
	private List<String> ids(String queue, String query) {
		List<String> ids = new ArrayList<>();
		String next = "";
		do {
			JsonNode page = this.http
				.get(API + "queues/" + queue + "/jobs?" + query + (next.isEmpty() ? "" : "&after=" + encoded(next)))
				.json();
			page.at("/jobs").forEach((job) -> ids.add(job.at("/id").asString()));
			next = page.at("/next").asString("");
		}
		while (!next.isEmpty());
		return ids;
	}

	private static String encoded(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8);
	}

	private Http.Answer act(String queue, String body) {
		return this.http.fromPage().post(API + "queues/" + queue + "/actions", body);
	}

	private JsonNode ended(Http.Answer begun) {
		assertThat(begun.status()).isEqualTo(200);
		String run = begun.json().at("/run").asString();
		return Awaitility.await()
			.until(() -> this.http.get(API + "actions/" + run).json(),
					(status) -> !status.at("/state").asString().equals("RUNNING"));
	}

}
