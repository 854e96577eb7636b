package io.lowkiq.dashboard.web;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.store.inspection.ErrorKind;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.testing.TestQueue;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;

/** What the API answers about many jobs at once and does to them, in Redis. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobsApiIntegrationTests {

	private static final String API = "/lowkiq/api/v1/";

	private static final String LOCKED = "java.lang.IllegalStateException: order %d is locked\n\tat a.B.c(B.java:1)";

	private static final String REFUSED = "java.net.ConnectException: Connection refused: shop.example:%d";

	private static final String LOCKED_KEY = ErrorKind.of(LOCKED.formatted(1)).key();

	private TestDashboard application;

	private Http http;

	@BeforeAll
	void start() {
		this.application = TestDashboard.of(WebApplicationType.REACTIVE)
			.with("spring.data.redis.url", TestRedis.shared().url())
			.with("lowkiq.key-prefix", TestRedis.uniquePrefix())
			.with("lowkiq.dashboard.actions-enabled", true)
			.start();
		this.http = Http.on(this.application.port());
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	// Selections

	@ParameterizedTest
	@CsvSource(nullValues = "-", value = { "-, 8", "state=queued, 8", "state=ready, 5", "state=delayed, 3",
			"state=delayed&descending=true, 3", "state=retries, 3", "state=suspects, 0", "state=busy, 0",
			"state=dead, 350", "state=dead&descending=true, 350", "state=dead&limit=7, 350",
			"state=dead&prefix=A-1, 111", "state=dead&error=KEY, 300",
			"state=dead&descending=true&limit=7&error=KEY, 300", "state=retries&error=KEY, 2",
			"state=queued&error=KEY, 2", "state=dead&prefix=A-29&error=KEY, 11", "state=dead&prefix=B&error=KEY, 0" })
	void listsAndCountsASelection(String query, int expected) {
		failed("counted");
		String selection = (query != null) ? query.replace("KEY", LOCKED_KEY) : "";
		List<String> ids = ids("counted", selection);
		assertThat(ids).hasSize(expected).doesNotHaveDuplicates();
		if (selection.contains("descending")) {
			// Those of one millisecond come in the order of their shards
			assertThat(ids).hasSameElementsAs(ids("counted", selection.replace("descending=true", "")));
			if (selection.contains("delayed")) {
				List<Long> times = new ArrayList<>();
				this.http.get(API + "queues/counted/jobs?" + selection)
					.json()
					.at("/jobs")
					.forEach((job) -> times.add(job.at("/performAt").asLong()));
				assertThat(times).hasSize(expected).isSortedAccordingTo(Comparator.reverseOrder());
			}
		}
		if (selection.contains("state=dead&error=")) {
			assertThat(ids).allMatch((id) -> id.startsWith("A-"));
		}
		JsonNode count = this.http
			.get(API + "queues/counted/count?" + selection.replaceAll("&?(limit|descending)=\\w+", ""))
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
			"export?state=x", "jobs?state=x", "jobs?state=READY", "jobs?limit=0", "jobs?limit=9999", "jobs?limit=x",
			"jobs?descending=true", "jobs?state=busy&descending=true", "jobs?shard=99", "jobs?after=x", "jobs?after=0",
			"jobs?after=0.!", "jobs?after=9." })
	void refusesASelectionThatMakesNoSense(String question) {
		this.application.queue("plain", 2).enqueue("1");
		Http.Answer answer = this.http.get(API + "queues/plain/" + question);
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.json().at("/error").asString()).isNotBlank();
	}

	@Test
	void actsOnASelection() {
		failed("acted");
		JsonNode done = this.http.ended(act("acted", "{\"action\":\"delete-dead\",\"selection\":{\"state\":\"dead\","
				+ "\"prefix\":\"A-\",\"error\":\"" + LOCKED_KEY + "\"}}"));
		Http.assertHas(done, """
				{"message": "300 jobs were deleted.", "changed": 300, "total": 300, "selection": {"prefix": "A-"}}""");
		assertThat(ids("acted", "state=dead")).hasSize(50).allMatch((id) -> id.startsWith("B-"));
		this.http.ended(act("acted", "{\"action\":\"perform-now\",\"selection\":{\"state\":\"retries\"}}"));
		this.http.ended(act("acted", "{\"action\":\"hold\",\"selection\":{\"state\":\"ready\",\"shard\":null}}"));
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

	// Errors

	@Test
	void groupsErrorsByKeysThatSelectTheirJobs() {
		failed("grouped");
		// Whatever it does, an action makes the next reading a fresh one
		this.http.ended(act("grouped", "{\"action\":\"perform-now\",\"ids\":[\"fresh-0\"]}"));
		JsonNode errors = this.http.get(API + "errors?queue=grouped").json();
		assertThat(errors.at("/complete").asBoolean()).isTrue();
		assertThat(errors.at("/now").asLong()).isPositive();
		assertThat(errors.at("/groups")).hasSize(2);
		JsonNode group = errors.at("/groups/0");
		Http.assertHas(group, """
				{"key": "%s", "queue": "grouped", "type": "java.lang.IllegalStateException",
				"message": "order # is locked", "dead": 300, "retrying": 2}""".formatted(LOCKED_KEY));
		assertThat(group.at("/first").asLong()).isPositive();
		assertThat(group.at("/example/id").asString()).isNotBlank();
		String key = errors.at("/groups/1/key").asString();
		assertThat(this.http.get(API + "queues/grouped/count?state=dead&error=" + key).json().at("/count").asInt())
			.isEqualTo(50);
		assertThat(this.http.get(API + "errors").json().at("/groups").size()).isGreaterThanOrEqualTo(2);
		assertThat(this.http.get(API + "errors?queue=unknown").status()).isEqualTo(404);
		assertThat(this.http.get(API + "errors?queue=a/b").status()).isEqualTo(400);
	}

	// Search

	@Test
	void searchesAllQueuesForIds() {
		this.application.queue("search-1", 3).enqueue("find-me", "find-me-too").bury("find-me-1");
		this.application.queue("search-2", 2).bury(TestQueue.ids("find-me-", 70)).enqueue("no-find-me").busy("find-me");
		JsonNode first = this.http.get(API + "search?text=find-me&limit=3").json();
		assertThat(first.at("/hits/0/queue").asString()).isEqualTo("search-1");
		assertThat(first.at("/hits/0/job/state").asString()).isEqualTo("queued");
		assertThat(first.at("/hits/0/job/payloads/0/text").asString()).contains("PAID");
		assertThat(first.at("/hits/1/queue").asString()).isEqualTo("search-2");
		assertThat(first.at("/hits/1/job/state").asString()).isEqualTo("busy");
		assertThat(first.at("/hits").size()).isBetween(3, 5);
		assertThat(first.at("/now").asLong()).isPositive();
		assertThat(hits("text=find-me&limit=7")).hasSize(74)
			.doesNotHaveDuplicates()
			.noneMatch((hit) -> hit.contains("no-find-me"));
		assertThat(hits("text=find-me-6")).hasSize(11);
		assertThat(hits("text=nobody-has-this-id")).isEmpty();
	}

	@Test
	void searchesTheErrorsOfAllQueues() {
		this.application.queue("searched", 3)
			.buryWith("a.B: Sesame-7 is closed\n\tat x.Y", TestQueue.ids("", 230))
			.failWith("a.B: no luck\nCaused by: c.D: SESAME-7 opened", "retry")
			.fail("other");
		assertThat(hits("in=errors&text=sesaMe-7&limit=100")).hasSize(231).doesNotHaveDuplicates();
		assertThat(hits("in=errors&text=" + encoded("sesame-7 is closed"))).hasSize(230);
		assertThat(this.http.get(API + "search?in=errors&text=sesame-7&limit=200").json().at("/searched").asLong())
			.isGreaterThanOrEqualTo(200);
	}

	private List<String> hits(String query) {
		List<String> hits = new ArrayList<>();
		String next = "";
		do {
			JsonNode page = this.http.get(API + "search?" + query + (next.isEmpty() ? "" : "&after=" + next)).json();
			page.at("/hits")
				.forEach((hit) -> hits.add(hit.at("/queue").asString() + " " + hit.at("/job/id").asString() + " "
						+ hit.at("/job/state").asString()));
			next = page.at("/next").asString("");
		}
		while (!next.isEmpty());
		return hits;
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "text=", "text=x&in=payloads", "text=x&limit=0", "text=x&limit=201", "text=x&after=!",
			"text=x&after=eA", "text=x&after=YQpiCmM" })
	void refusesASearchThatMakesNoSense(String query) {
		Http.Answer answer = this.http.get(API + "search?" + query);
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.json().at("/error").asString()).isNotBlank();
	}

	@Test
	void saysWhenAJobWasEnqueued() {
		long before = System.currentTimeMillis() - 60_000;
		this.application.queue("dated", 1)
			.enqueue("now")
			.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), 7.0, null, 0), "version");
		JsonNode jobs = this.http.get(API + "queues/dated/jobs?prefix=now").json();
		assertThat(jobs.at("/jobs/0/enqueuedAt").asLong()).isBetween(before, System.currentTimeMillis() + 60_000);
		JsonNode version = this.http.get(API + "queues/dated/jobs?prefix=version").json();
		assertThat(version.at("/jobs")).hasSize(1);
		assertThat(version.at("/jobs/0/enqueuedAt").isNull()).isTrue();
	}

	// Who did what

	@Test
	void remembersWhoDidWhat() {
		this.application.queue("audited", 2).bury(TestQueue.ids("", 12));
		String ids = IntStream.range(0, 12).mapToObj((i) -> "\"" + i + "\"").collect(Collectors.joining(","));
		this.http.ended(act("audited", "{\"action\":\"pause\"}"));
		this.http.ended(act("audited", "{\"action\":\"delete-dead\",\"ids\":[" + ids + "]}"));
		JsonNode audit = this.http.get(API + "audit").json();
		assertThat(audit.at("/now").asLong()).isPositive();
		JsonNode newest = audit.at("/entries/0");
		assertThat(newest.at("/ids")).hasSize(10);
		Http.assertHas(newest, """
				{"user": "unknown", "action": "delete-dead", "queue": "audited", "moreIds": 2, "changed": 12,
				"result": "DONE", "message": "12 jobs were deleted."}""");
		assertThat(newest.at("/at").asLong()).isGreaterThanOrEqualTo(audit.at("/entries/1/at").asLong());
		assertThat(audit.at("/entries/1/action").asString()).isEqualTo("pause");
		assertThat(this.http.get(API + "audit?limit=1").json().at("/entries")).hasSize(1);
		assertThat(this.http.get(API + "audit?limit=1001").status()).isEqualTo(400);
		// Also what is not done by the dashboard
		this.application.bean(LowkiqAdmin.class).as("anna").resume("audited");
		assertThat(this.http.get(API + "audit?limit=1").json().at("/entries/0/user").asString()).isEqualTo("anna");
	}

	@Test
	void aRemovedQueueIsNotFound() {
		this.application.queue("removed", 2).enqueue("1");
		JsonNode removed = this.http.ended(act("removed", "{\"action\":\"remove-queue\"}"));
		assertThat(removed.at("/message").asString()).isEqualTo("Queue removed was removed, with 1 job.");
		for (String path : List.of("queues/removed", "queues/removed/jobs", "queues/removed/count",
				"errors?queue=removed")) {
			assertThat(this.http.get(API + path).status()).isEqualTo(404);
		}
		assertThat(act("removed", "{\"action\":\"pause\"}").status()).isEqualTo(404);
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

}
