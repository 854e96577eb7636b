package io.lowkiq.dashboard.web;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.QueueDeclaration;
import io.lowkiq.TraceParent;
import io.lowkiq.admin.GroupLimits;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.job.Failure;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.TracedProducer;
import io.lowkiq.store.node.NodeInfo;
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

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;

/** What the API and the page answer, the same in Spring MVC and WebFlux. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ApiContract {

	private static final String API = "/lowkiq/api/v1/";

	private final WebApplicationType type;

	private TestDashboard application;

	private Http http;

	ApiContract(WebApplicationType type) {
		this.type = type;
	}

	@BeforeAll
	void start() {
		this.application = TestDashboard.of(this.type).with("lowkiq.dashboard.actions-enabled", true).start();
		this.http = Http.on(this.application.port());
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	@ParameterizedTest
	@CsvSource({ "/lowkiq, lowkiq/", "/lowkiq/, ./", "/lowkiq/queues/orders, ../",
			"/lowkiq/queues/orders/jobs/42, ../../../", "/lowkiq/queues/orders/jobs?id=a%2Fb, ../../",
			"/lowkiq/queues/orders/, ../../" })
	void pagesReferToTheirFilesRelatively(String path, String root) {
		Http.Answer page = this.http.get(path);
		assertThat(page.status()).isEqualTo(200);
		assertThat(page.header("Content-Type")).hasValue("text/html;charset=UTF-8");
		assertThat(page.body()).containsPattern("src=\"" + Pattern.quote(root) + "assets/v-[0-9a-f]{16}/app.js\"")
			.doesNotContain("{{");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "/assets/app.js", "/api/v1/overview", "/api/v1/nothing" })
	void everythingIsSentWithAStrictPolicy(String path) {
		Http.Answer answer = this.http.get("/lowkiq" + path);
		assertThat(answer.header("Content-Security-Policy").orElseThrow()).startsWith("default-src 'none'; ")
			.contains("script-src 'self'; ", "frame-ancestors 'none'")
			.doesNotContain("unsafe");
		assertThat(answer.header("X-Content-Type-Options")).hasValue("nosniff");
		assertThat(answer.header("Referrer-Policy")).hasValue("no-referrer");
	}

	@Test
	void thePageHasNoInlineScriptOrStyle() {
		assertThat(this.http.get("/lowkiq").body()).doesNotContainPattern("<script(?![^>]*src=)")
			.doesNotContainPattern("<style|\\sstyle=|\\son[a-z]+=|https?:");
	}

	@Test
	void filesAreAnsweredAsUnchangedByTheirTag() {
		Http.Answer first = this.http.get("/lowkiq/assets/chart/chart.umd.min.js");
		assertThat(first.status()).isEqualTo(200);
		assertThat(first.header("Content-Type")).hasValue("text/javascript;charset=UTF-8");
		Http.Answer again = this.http.with("If-None-Match", first.header("ETag").orElseThrow())
			.get("/lowkiq/assets/chart/chart.umd.min.js");
		assertThat(again.status()).isEqualTo(304);
		assertThat(again.body()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "odd", "\"", "W/", "*", "\"a\", b", ",,", ";" })
	void aTagThatMakesNoSenseIsNoFailureOfTheServer(String tag) {
		assertThat(this.http.with("If-None-Match", tag).get("/lowkiq/assets/chart/chart.umd.min.js").status())
			.isEqualTo(200);
	}

	@Test
	void filesAreKeptByTheirVersion() {
		Matcher address = Pattern.compile("assets/v-[0-9a-f]{16}/").matcher(this.http.get("/lowkiq").body());
		assertThat(address.find()).isTrue();
		Http.Answer kept = this.http.get("/lowkiq/" + address.group() + "app.js");
		assertThat(kept.status()).isEqualTo(200);
		assertThat(kept.header("Cache-Control").orElseThrow()).contains("private", "immutable", "max-age=31536000");
		// A page of another node, with other files
		Http.Answer foreign = this.http.get("/lowkiq/assets/v-0000000000000000/app.js");
		assertThat(foreign.body()).isEqualTo(kept.body());
		assertThat(foreign.header("Cache-Control")).hasValue("no-cache");
	}

	@ParameterizedTest
	@CsvSource({ "gzip, true", "'br, gzip;q=0.5', true", "GZIP, true", "br, false", "gzip;q=0, false",
			"'gzip;q=0.0, br', false" })
	void longAnswersAreCompressedForThoseWhoTakeThem(String accepted, boolean compressed) {
		for (String path : List.of("/lowkiq/assets/app.js", "/lowkiq/assets/chart/chart.umd.min.js")) {
			Http.Answer answer = this.http.with("Accept-Encoding", accepted).get(path);
			assertThat(answer.status()).isEqualTo(200);
			assertThat(answer.header("Content-Encoding"))
				.isEqualTo(compressed ? Optional.of("gzip") : Optional.empty());
			assertThat(answer.header("Vary").orElseThrow()).contains("Accept-Encoding");
		}
		for (int i = 0; i < 10; i++) {
			this.application.queue("a-queue-with-a-long-name-" + i, 2);
		}
		Awaitility.await()
			.untilAsserted(() -> assertThat(
					this.http.with("Accept-Encoding", accepted).get(API + "overview").header("Content-Encoding"))
				.isEqualTo(compressed ? Optional.of("gzip") : Optional.empty()));
		// It holds the CSRF token
		assertThat(this.http.with("Accept-Encoding", accepted).get(API + "session").header("Content-Encoding"))
			.isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "assets/../claim-step.lua", "assets/v-0/../../claim-step.lua", "assets/v-0",
			"assets/%2e%2e/claim-step.lua", "assets/index.html", "assets/", "api/v1/x/y/z", "api/v1/queues/unknown",
			"api/v1/queues/unknown/jobs", "api/v1/actions/none", "nothing/here" })
	void whatIsNotThereIsNotFound(String path) {
		assertThat(this.http.get("/lowkiq/" + path).status()).isIn(400, 404);
	}

	@ParameterizedTest
	@ValueSource(strings = { "*/*", "text/plain", "text/html, application/xhtml+xml, */*;q=0.8", "odd", "a/b/c", ";;" })
	void answersJsonWhateverIsAccepted(String accepted) {
		this.application.queue("accepted", 2);
		Http.Answer answer = this.http.with("Accept", accepted).get(API + "overview");
		assertThat(answer.status()).isEqualTo(200);
		assertThat(answer.header("Content-Type")).hasValue("application/json");
		assertThat(this.http.with("Accept", accepted).get(API + "queues/none").status()).isEqualTo(404);
		assertThat(this.http.with("Accept", accepted).get("/lowkiq").status()).isEqualTo(200);
		assertThat(this.http.with("Accept", accepted).fromPage().post(API + "queues/accepted/actions", "{}").status())
			.isEqualTo(400);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "null", "0", "\"text\"", "[]", "{", "{\"action\":null}", "\uFFFF",
			"{\"action\":\"delete\",\"ids\":null}", "{\"action\":\"delete\",\"ids\":[null]}",
			"{\"action\":\"delete\",\"ids\":{}}", "{\"action\":{},\"ids\":[[]]}",
			"{\"action\":\"delete\",\"ids\":[\"\\ud800\"]}", "{\"action\":\"x\"}", "{\"action\":\"delete\"}",
			"{\"action\":\"pause\",\"ids\":[\"1\"]}", "{\"action\":\"delete\",\"ids\":[\"\"]}", "{\"ids\":[\"1\"]}",
			"{\"id\":\"1\"}", "{\"id\":\"1\",\"known\":\"\"}", "{\"known\":\"\",\"text\":\"\"}",
			"{\"id\":\"\",\"known\":\"\",\"text\":\"\"}" })
	void refusesABodyThatMakesNoSense(String body) {
		this.application.queue("odd", 2);
		assertThat(act("odd", body).status()).isEqualTo(400);
		assertThat(this.http.fromPage().post(API + "queues/odd/held-payload", body).status()).isEqualTo(400);
	}

	@ParameterizedTest
	@ValueSource(strings = { "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
			"odd", "application/", "application/json; charset=none" })
	void refusesOtherTypesOfBodies(String type) {
		this.application.queue("typed", 2);
		Http.Answer answer = this.http.fromPage()
			.with("Content-Type", type)
			.post(API + "queues/typed/actions", "{\"a\":null");
		assertThat(answer.status()).isBetween(400, 499);
		assertThat(this.http.with("Content-Type", type).get(API + "overview").status()).isEqualTo(200);
	}

	@ParameterizedTest
	@ValueSource(strings = { "queues/odd/jobs?prefix=%", "queues/odd/jobs?prefix=%zz", "queues/odd/jobs?shard=x",
			"queues/odd/jobs?limit=&after=%00", "queues/odd/jobs?state=READY", "queues/odd/job", "queues/odd/job?id=",
			"queues/odd/payload?id=1&place=-1", "history?minutes=", "history?queue=%20", "queues/odd/jobs?after=x",
			"queues/odd/jobs?state=ready&after=AAAA", "queues/%20/jobs", "queues/%00/jobs" })
	void oddParametersAreNoFailureOfTheServer(String path) throws Exception {
		this.application.queue("odd", 2);
		assertThat(this.http.status(API + path)).isLessThan(500);
	}

	@Test
	void overviewCountsTheQueues() {
		this.application.queue("counted", 3)
			.bury("1")
			.fail("2", "3")
			.busy("4")
			.node("node-a", "4")
			.enqueue(TestQueue.ids("fresh-", 12));
		Http.assertHas(eventuallyOverview("counted").at("/counts"), """
				{"enqueued": 14, "fresh": 12, "retries": 2, "busy": 1, "delayed": 2, "dead": 1, "failed": 3}""");
		JsonNode detail = this.http.get(API + "queues/counted").json();
		assertThat(detail.at("/shards")).hasSize(3);
		assertThat(detail.at("/shards/0/node").asString()).isEqualTo("node-a");
		assertThat(this.http.get(API + "stats").json().at("/by_worker/counted/length").asInt()).isEqualTo(14);
	}

	@ParameterizedTest
	@ValueSource(strings = { "42", "a/b", "a b", "ä€😀", "<script>alert(1)</script>", "..", "a%2Fb", "\u202Eabc",
			"\u0000\u0001", "\"'&?#" })
	void tellsWhyAnyIdIsNotPerformed(String id) {
		this.application.queue("any", 2).enqueue(id);
		JsonNode job = this.http.get(API + "queues/any/job?id=" + URLEncoder.encode(id, StandardCharsets.UTF_8)).json();
		assertThat(job.at("/id").asString()).isEqualTo(id);
		assertThat(job.at("/why/reason").asString()).isEqualTo("NO_OWNER");
		assertThat(job.at("/jobs/0/id").asString()).isEqualTo(id);
	}

	@Test
	void showsFromWhichTracesAJobWasEnqueued() {
		TestQueue queue = this.application.queue("traced", 2);
		for (int i = 1; i <= 3; i++) {
			TraceParent trace = new TraceParent(("" + i).repeat(32), "b".repeat(16), true);
			queue.enqueue((id) -> NewPayload.of(id, TestQueue.payload(id)).by(new TracedProducer(trace, 2)), "42");
		}
		JsonNode job = this.http.get(API + "queues/traced/job?id=42").json();
		assertThat(job.at("/jobs/0/producers")).hasSize(2);
		assertThat(job.at("/jobs/0/producers/1/traceId").asString()).isEqualTo("2".repeat(32));
		assertThat(job.at("/jobs/0/producers/1/spanId").asString()).isEqualTo("b".repeat(16));
		assertThat(job.at("/jobs/0/moreProducers").asLong()).isEqualTo(1);
	}

	@Test
	void aJobHasTheAttemptsThatFailedAndTheNumberOfItsRetries() {
		TestQueue queue = this.application.queue("tried", 2);
		assertThat(this.http.get(API + "queues/tried/job?id=none").json().at("/jobs")).isEmpty();
		List<Failure.Attempt> attempts = List.of(new Failure.Attempt(1, 1_000, "node-a", "a.B: first"),
				new Failure.Attempt(2, 2_000, "node-b", "a.B: last\n\tat c.D.e(D.java:1)"));
		Failure kept = new Failure("a.B: last\n\tat c.D.e(D.java:1)", attempts);
		queue.failWith(kept, "retry").buryWith(kept, "dead").failWith("a.B: plain", "plain").enqueue("fresh");
		queue.node("node-a");
		this.application.bean(RedisStore.class)
			.nodes()
			.report(queue.session(), "{\"threads\":[],\"queues\":{\"tried\":{\"maxRetryCount\":7}}}");
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.until(() -> job("tried", "dead").at("/maxRetryCount").asInt(-1) == 7);
		List<JsonNode> jobs = List.of(job("tried", "retry"), job("tried", "dead"),
				this.http.get(API + "queues/tried/jobs?state=retries&prefix=retry").json().at("/jobs/0"),
				this.http.get(API + "search?in=errors&text=a.b:%20LAST").json().at("/hits/0/job"),
				JsonMapper.shared().readTree(this.http.get(API + "queues/tried/export?state=dead").body()));
		assertThat(jobs).allSatisfy((job) -> {
			assertThat(job.at("/error").asString()).isEqualTo("a.B: last\n\tat c.D.e(D.java:1)");
			assertThat(job.at("/attempts").toString())
				.isEqualTo("[{\"attempt\":1,\"at\":1000,\"node\":\"node-a\",\"error\":\"a.B: first\"},"
						+ "{\"attempt\":2,\"at\":2000,\"node\":\"node-b\",\"error\":\"a.B: last\"}]");
			assertThat(job.at("/maxRetryCount").asInt()).isEqualTo(7);
		});
		assertThat(job("tried", "plain").at("/attempts").isEmpty()).isTrue();
		assertThat(job("tried", "plain").at("/error").asString()).isEqualTo("a.B: plain");
		assertThat(job("tried", "fresh").at("/attempts").isEmpty()).isTrue();
		assertThat(this.http.get(API + "search?in=errors&text=node-b").json().at("/hits")).isEmpty();
		assertThat(this.http.get(API + "search?in=errors&text=a.B:%20first").json().at("/hits")).isEmpty();
		this.application.queue("unserved", 1).enqueue("1");
		assertThat(job("unserved", "1").has("maxRetryCount")).isTrue();
		assertThat(job("unserved", "1").at("/maxRetryCount").isNull()).isTrue();
	}

	private JsonNode job(String queue, String id) {
		return this.http.get(API + "queues/" + queue + "/job?id=" + id).json().at("/jobs/0");
	}

	@Test
	void theFirstPayloadOfAJobOnHoldIsEdited() {
		this.application.queue("held", 2).hold("42").enqueue((id) -> NewPayload.of(id, "[7]".getBytes()), "42");
		String known = firstPayload("held", "42").at("/text").asString();
		assertThat(this.http.post(API + "queues/held/held-payload", "{}").status()).as("from another page")
			.isEqualTo(403);
		assertThat(known).contains("PAID");
		Http.Answer changed = edit("held", "42", "[]", "{}");
		assertThat(changed.status()).isEqualTo(409);
		assertThat(changed.json().at("/error").asString())
			.isEqualTo("Its first payload has changed. Nothing was saved.");
		Http.Answer wrong = edit("held", "42", known, "{\"order\":");
		assertThat(wrong.status()).isEqualTo(400);
		assertThat(wrong.json().at("/error").asString()).isEqualTo("The new payload is not valid JSON");
		assertThat(edit("held", "42", known, "{\n  \"order\": 12345678901234567890.10\n}").status()).isEqualTo(204);
		JsonNode edited = firstPayload("held", "42");
		assertThat(edited.at("/text").asString()).isEqualTo("{\n  \"order\": 12345678901234567890.10\n}");
		assertThat(edited.at("/bytes").asInt()).isEqualTo("{\"order\":12345678901234567890.10}".length());
		assertThat(edit("held", "42", known, "{}").status()).isEqualTo(409);
		act("held", "{\"action\":\"release\",\"ids\":[\"42\"]}");
		Http.Answer released = edit("held", "42", edited.at("/text").asString(), "{}");
		assertThat(released.status()).isEqualTo(409);
		assertThat(released.json().at("/error").asString())
			.isEqualTo("The job is no longer on hold. It is queued. Nothing was saved.");
		Http.Answer missing = edit("held", "43", known, "{}");
		assertThat(missing.status()).isEqualTo(409);
		assertThat(missing.json().at("/error").asString())
			.startsWith("The job is no longer on hold. No job with this id is queued, being performed, or dead. ")
			.endsWith(" Nothing was saved.");
	}

	@Test
	void textThatIsNotJsonIsEditedAsItIsAndOtherBytesAndLongTextAreNot() {
		this.application.queue("texts", 2)
			.enqueue((id) -> NewPayload.of(id, " a text ".getBytes()), "text")
			.hold("text")
			.enqueue((id) -> NewPayload.of(id, new byte[] { (byte) 0xff }), "bytes")
			.hold("bytes")
			.enqueue((id) -> NewPayload.of(id, "x".repeat(300_000).getBytes()), "long")
			.hold("long");
		assertThat(edit("texts", "text", " a text ", " another ").status()).isEqualTo(204);
		assertThat(firstPayload("texts", "text").at("/text").asString()).isEqualTo(" another ");
		assertThat(edit("texts", "bytes", "\uFFFD", "text").status()).isEqualTo(400);
		assertThat(edit("texts", "long", "x".repeat(300_000), "text").status()).isEqualTo(400);
	}

	@Test
	void groupsOfAQueueAreCounted() {
		TestQueue queue = grouped("counted-groups", "hooli", "initech");
		queue.enqueue("acme:2", "acme:3", "acme:4", "globex:1", "globex:2", "hooli:1", "none")
			.distribute(":", "globex");
		LowkiqAdmin admin = this.application.bean(LowkiqAdmin.class).as("anna");
		admin.group("counted-groups", "umbrella").rate(20, Duration.ofSeconds(2));
		admin.group("counted-groups", "umbrella").weight(3);
		eventually("counted-groups",
				"""
						{"complete": true, "separator": ":", "oneShardPerGroup": true, "groups": [
						{"name": "acme", "waiting": 3, "running": 0, "parked": false, "waitsUntil": null},
						{"name": "globex", "waiting": 2, "running": 0, "parked": true, "waitsUntil": null},
						{"name": "", "waiting": 1, "parked": false},
						{"name": "hooli", "waiting": 1, "running": 1, "parked": false, "waitsUntil": 4000000000000},
						{"name": "initech", "waiting": 0, "running": 1, "parked": false, "waitsUntil": null},
						{"name": "umbrella", "waiting": 0, "running": 0, "pause": null, "concurrency": null,
						 "rate": {"value": {"starts": 20, "period": 2000, "burst": 0}, "by": "anna"}, "weight": {"value": 3, "by": "anna"}}]}""");
		assertThat(this.http.get(API + "queues/counted-groups/groups").json().at("/groups"))
			.extracting((group) -> group.at("/name").asString())
			.containsExactly("acme", "globex", "", "hooli", "initech", "umbrella");
		assertThat(this.http.get(API + "queues/counted-groups").json().at("/groups").asBoolean()).isTrue();
		this.application.queue("without-groups", 2);
		assertThat(this.http.get(API + "queues/without-groups").json().at("/groups").asBoolean()).isFalse();
		assertThat(this.http.get(API + "queues/without-groups/groups").json().at("/groups")).isEmpty();
	}

	@Test
	void groupsWithTheMostWaitingJobsAreShown() {
		TestQueue queue = grouped("many-groups");
		for (int group = 0; group < 60; group++) {
			queue.enqueue(TestQueue.ids("g%02d:".formatted(group), 1 + group));
		}
		while (this.application.bean(RedisStore.class)
			.inspection()
			.groups(queue.layout().allShards(), "", 100)
			.groups()
			.size() < 60) {
			queue.distribute(":");
		}
		LowkiqAdmin admin = this.application.bean(LowkiqAdmin.class);
		admin.group("many-groups", "g03").pause();
		admin.limitGroups("many-groups",
				IntStream.range(0, 60)
					.boxed()
					.collect(Collectors.toMap("set-%02d"::formatted, (i) -> new GroupLimits(1, null, null))));
		this.application.bean(RedisStore.class)
			.nodes()
			.report(queue.session(),
					"{'queues': {'many-groups': {'groups': {'separator': ':', 'running': {'g01': {'jobs': 3}, 'g02': {'jobs': 9}}}}}}"
						.replace('\'', '"'));
		Awaitility.await()
			.untilAsserted(() -> assertThat(names("many-groups", "show=running")).containsExactly("g02", "g01"));
		JsonNode waiting = this.http.get(API + "queues/many-groups/groups").json();
		assertThat(waiting.at("/complete").asBoolean()).isFalse();
		assertThat(names(waiting)).hasSize(50).startsWith("g59").endsWith("g10");
		JsonNode set = this.http.get(API + "queues/many-groups/groups?show=set").json();
		assertThat(set.at("/set").asInt()).isEqualTo(61);
		assertThat(names(set)).hasSize(50).startsWith("g03", "set-00");
		assertThat(names("many-groups", "show=set&after=" + set.at("/next").asString())).hasSize(11)
			.startsWith("set-49")
			.endsWith("set-59");
		assertThat(names("many-groups", "find=g0")).hasSize(11).startsWith("g0", "g09").endsWith("g00");
		assertThat(names("many-groups", "find=acme:42")).as("one of which nothing is known, by an id")
			.containsExactly("acme");
		assertThat(this.http.get(API + "queues/many-groups/groups?show=all").status()).isEqualTo(400);
	}

	private List<String> names(String queue, String parameters) {
		return names(this.http.get(API + "queues/" + queue + "/groups?" + parameters).json());
	}

	private static List<String> names(JsonNode groups) {
		return groups.at("/groups").valueStream().map((group) -> group.at("/name").asString()).toList();
	}

	@Test
	void aPrefixIsCountedAndErasedInAllQueues() {
		grouped("leaving").enqueue("leaver:1", "leaver:2", "stayer:1");
		this.application.queue("mails", 2).enqueue("leaver:1");
		this.application.bean(LowkiqAdmin.class).group("leaving", "leaver").pause();
		assertThat(prefix("find-prefix").at("/message").asString())
			.isEqualTo("leaving: 2 queued, settings of 'leaver'; mails: 1 queued.");
		JsonNode erased = prefix("erase-prefix");
		assertThat(erased.at("/state").asString()).isEqualTo("DONE");
		assertThat(erased.at("/message").asString()).isEqualTo("4 jobs and settings of groups were erased.");
		assertThat(prefix("find-prefix").at("/message").asString())
			.isEqualTo("Nothing is kept of ids that begin with 'leaver:'.");
		for (String body : List.of("{}", "{'action': 'erase-prefix'}", "{'action': 'erase-prefix', 'prefix': ''}",
				"{'action': 'delete', 'prefix': 'a'}")) {
			assertThat(this.http.fromPage().post(API + "actions", body.replace('\'', '"')).status()).isEqualTo(400);
		}
		assertThat(this.http.post(API + "actions", "{}").status()).as("from another page").isEqualTo(403);
	}

	private JsonNode prefix(String action) {
		JsonNode begun = this.http.fromPage()
			.post(API + "actions", "{\"action\":\"%s\",\"prefix\":\"leaver:\"}".formatted(action))
			.json();
		return Awaitility.await()
			.until(() -> this.http.get(API + "actions/" + begun.at("/run").asString()).json(),
					(run) -> !run.at("/state").asString().equals("RUNNING"));
	}

	@Test
	void limitsOfTheApplicationAreThoseOfAllNodesThatHaveGroups() {
		assertThat(limits("unlimited", "{'separator': ':', 'concurrency': 0, 'rate': '', 'maxShare': 100}"))
			.hasToString("[{\"concurrency\":null,\"rate\":null,\"maxShare\":null}]");
		assertThat(
				limits("deployed", "{'separator': ':', 'concurrency': 10, 'rate': '100/s, burst 20', 'maxShare': 80}",
						"{'separator': ':', 'concurrency': 5}", "{'separator': ':', 'concurrency': 5}", "{}"))
			.extracting(JsonNode::toString)
			.containsExactlyInAnyOrder("{\"concurrency\":10,\"rate\":\"100/s, burst 20\",\"maxShare\":80}",
					"{\"concurrency\":5,\"rate\":null,\"maxShare\":null}");
	}

	/** The limits of a queue that nodes serve, each with its settings for groups. */
	private JsonNode limits(String name, String... nodes) {
		RedisStore store = this.application.bean(RedisStore.class);
		store.queues().register(new QueueDeclaration(name, 2, ":"));
		for (String groups : nodes) {
			String session = UUID.randomUUID().toString();
			store.nodes().join(session, new NodeInfo(session, 0, Duration.ofHours(1), Set.of(name), false));
			store.nodes()
				.report(session, "{'queues': {'%s': {'groups': %s}}}".formatted(name, groups).replace('\'', '"'));
		}
		return Awaitility.await()
			.until(() -> this.http.get(API + "queues/" + name + "/groups").json().at("/limits"),
					(limits) -> !limits.isEmpty());
	}

	@Test
	void groupsArePausedLimitedAndReset() {
		grouped("steered");
		assertThat(group("steered", "{'action': 'pause', 'group': 'acme'}").status()).isEqualTo(204);
		eventually("steered", "{'groups': [{'name': 'acme', 'pause': {'value': true, 'by': 'unknown'}}]}");
		group("steered", "{'action': 'resume', 'group': 'acme'}");
		group("steered", "{'action': 'concurrency', 'group': 'acme', 'value': 5}");
		group("steered", "{'action': 'rate', 'group': 'acme', 'value': 7, 'period': 500}");
		group("steered", "{'action': 'weight', 'group': 'acme', 'value': 2}");
		eventually("steered",
				"{'groups': [{'name': 'acme', 'pause': null, 'concurrency': {'value': 5}, 'rate': {'value': {'starts': 7, 'period': 500}}, 'weight': {'value': 2}}]}");
		group("steered", "{'action': 'reset', 'group': 'acme'}");
		eventually("steered", "{'groups': []}");
		assertThat(this.http.get(API + "audit").json().at("/entries"))
			.noneMatch((entry) -> entry.at("/queue").asString().equals("steered"));
		assertThat(this.http.get(API + "audit?groups=true").json().at("/entries"))
			.filteredOn((entry) -> entry.at("/queue").asString().equals("steered"))
			.extracting((entry) -> entry.at("/action").asString())
			.containsExactly("reset-group", "set-group-weight", "set-group-rate", "set-group-concurrency",
					"resume-group", "pause-group");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "{}", "{'action': 'pause'}", "{'group': 'acme'}",
			"{'action': 'stop', 'group': 'acme'}", "{'action': 'pause', 'group': ''}",
			"{'action': 'pause', 'group': 'acme:1'}", "{'action': 'weight', 'group': 'acme'}",
			"{'action': 'weight', 'group': 'acme', 'value': 0}", "{'action': 'rate', 'group': 'acme', 'value': 1}",
			"{'action': 'pause', 'group': 'acme', 'more': 1}",
			"{'action': 'rate', 'group': 'acme', 'value': 1, 'period': 9223372036854775807}",
			"{'action': 'concurrency', 'group': 'acme', 'value': 1000001}" })
	void refusesAnOrderForAGroupThatMakesNoSense(String body) {
		new TestQueue(this.application.bean(RedisStore.class), new QueueDeclaration("refusing", 2, ":"));
		assertThat(group("refusing", body).status()).isEqualTo(400);
		assertThat(this.http.get(API + "queues/refusing/groups").json().at("/groups")).isEmpty();
	}

	@Test
	void groupsAreChangedFromThePageOnly() {
		grouped("guarded");
		String pause = "{\"action\":\"pause\",\"group\":\"acme\"}";
		assertThat(this.http.post(API + "queues/guarded/groups", pause).status()).isEqualTo(403);
		assertThat(this.http.fromPage().post(API + "queues/none/groups", pause).status()).isEqualTo(404);
		// Its ids are spread over all shards
		this.application.queue("spread", 2);
		assertThat(group("spread", "{'action': 'concurrency', 'group': 'acme', 'value': 5}").json()
			.at("/error")
			.asString()).contains("one-shard-per-group=true");
	}

	/** A queue whose node runs a job of each of some groups; hooli waits there. */
	private TestQueue grouped(String name, String... running) {
		RedisStore store = this.application.bean(RedisStore.class);
		TestQueue queue = new TestQueue(store, new QueueDeclaration(name, 2, ":")).node("node-a");
		store.nodes()
			.report(queue.session(),
					JsonMapper.shared()
						.writeValueAsString(Map.of("threads",
								Stream.of(running)
									.map((group) -> Map.of("name", group, "queue", name, "ids", List.of(group + ":0")))
									.toList(),
								"queues",
								Map.of(name, Map.of("groups", Map.of("separator", ":", "waiting", (running.length > 0)
										? Map.of("hooli", 4_000_000_000_000L, "initech", 1) : Map.of()))))));
		return queue;
	}

	private Http.Answer group(String queue, String body) {
		return this.http.fromPage().post(API + "queues/" + queue + "/groups", body.replace('\'', '"'));
	}

	private void eventually(String queue, String groups) {
		Awaitility.await()
			.untilAsserted(() -> Http.assertHas(this.http.get(API + "queues/" + queue + "/groups").json(), groups));
	}

	private JsonNode firstPayload(String queue, String id) {
		return this.http.get(API + "queues/" + queue + "/payload?state=queued&place=0&id=" + id).json();
	}

	private Http.Answer edit(String queue, String id, String known, String text) {
		JsonMapper mapper = JsonMapper.shared();
		return this.http.fromPage()
			.post(API + "queues/" + queue + "/held-payload",
					mapper.writeValueAsString(Map.of("id", id, "known", known, "text", text)));
	}

	@Test
	void refusesABodyThatIsTooLong() {
		this.application.queue("plain", 2);
		assertThat(act("plain", "x".repeat(3 * 1024 * 1024)).status()).isEqualTo(413);
	}

	@Test
	void acceptsAThousandLongIds() {
		this.application.queue("wide", 2);
		StringBuilder ids = new StringBuilder();
		for (int i = 0; i < 1_000; i++) {
			ids.append(i == 0 ? "" : ",").append('"').append("%04d".formatted(i)).append("x".repeat(1_000)).append('"');
		}
		assertThat(act("wide", "{\"action\":\"delete\",\"ids\":[" + ids + "]}").status()).isEqualTo(200);
	}

	private Http.Answer act(String queue, String body) {
		return this.http.fromPage().post(API + "queues/" + queue + "/actions", body);
	}

	private JsonNode eventuallyOverview(String name) {
		return Awaitility.await().until(() -> {
			for (JsonNode queue : this.http.get(API + "overview").json().at("/queues")) {
				if (queue.at("/name").asString().equals(name) && queue.at("/counts/enqueued").asInt() > 12) {
					return queue;
				}
			}
			return null;
		}, (found) -> found != null);
	}

}
