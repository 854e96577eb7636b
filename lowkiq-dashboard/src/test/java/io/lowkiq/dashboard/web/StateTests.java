package io.lowkiq.dashboard.web;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.admin.KeptJobs;
import io.lowkiq.admin.UnsentJob;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Build;
import io.lowkiq.store.node.Forgotten;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.testing.TestOutbox;
import io.lowkiq.testing.TestQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** What the API says of the state of the cluster. */
class StateTests {

	private static final String API = "/lowkiq/api/v1/";

	private TestDashboard application;

	private Http http;

	@BeforeEach
	void start() {
		this.application = TestDashboard.of(WebApplicationType.SERVLET)
			.with(OutboxConfiguration.class)
			.with(MovableTime.MovableDashboard.class)
			.start();
		this.http = Http.on(this.application.port());
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	private NodeRegistry nodes() {
		return this.application.bean(RedisStore.class).nodes();
	}

	private JsonNode overview() {
		return this.http.get(API + "overview").json();
	}

	private List<String> problems() {
		List<String> kinds = new ArrayList<>();
		overview().at("/problems").forEach((problem) -> kinds.add(problem.at("/kind").asString()));
		return kinds;
	}

	private JsonNode problem(String kind) {
		for (JsonNode problem : overview().at("/problems")) {
			if (problem.at("/kind").asString().equals(kind)) {
				return problem;
			}
		}
		throw new AssertionError("There is no problem " + kind);
	}

	private String reason(String queue, String id) {
		return this.http.get("/lowkiq/api/v1/queues/%s/job?id=%s".formatted(queue, id))
			.json()
			.at("/why/reason")
			.asString();
	}

	/** A reading may be a second old: each look is a second later. */
	private void eventually(Runnable assertions) {
		Awaitility.await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
			this.application.bean(MovableTime.class).advance(Duration.ofSeconds(1));
			assertions.run();
		});
	}

	@Test
	void queuesThatAreKeptForOthersAreNotCounted() {
		this.application.queue("orders", 2).enqueue("1");
		this.application.queue("orders.records", 1).bury("orders-0-17");
		this.application.queue("orders.schedules", 1).enqueue("nightly");
		this.application.queue("vinyl.records", 1).enqueue("1");
		eventually(() -> {
			JsonNode overview = overview();
			assertThat(overview.at("/queues")).extracting((queue) -> queue.at("/name").asString())
				.containsExactly("orders", "vinyl.records");
			assertThat(overview.at("/totals/enqueued").asInt()).isEqualTo(2);
			assertThat(overview.at("/totals/dead").asInt()).isZero();
			assertThat(problem("GIVEN_UP").at("/queue").asString()).isEqualTo("orders.records");
			assertThat(this.http.get(API + "queues/orders").json().at("/givenUp/records").asInt()).isEqualTo(1);
		});
		assertThat(this.http.get(API + "queues/orders.records").json().at("/keptFor").asString()).isEqualTo("orders");
		assertThat(this.http.get(API + "queues/vinyl.records").json().at("/keptFor").isNull()).isTrue();
	}

	@Test
	void countsWhatIsDueAndWhatIsOnHold() {
		long tomorrow = System.currentTimeMillis() + 86_400_000;
		this.application.queue("orders", 2)
			.enqueue("1", "2", "3")
			.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, tomorrow, 0), "later")
			.hold("held-1", "held-2");
		eventually(() -> {
			JsonNode overview = overview();
			for (JsonNode counts : List.of(overview.at("/totals"), overview.at("/queues/0/counts"))) {
				Http.assertHas(counts, """
						{"enqueued": 6, "due": 3, "delayed": 1, "held": 2}""");
			}
		});
	}

	@Test
	void describesTheNodes() {
		long now = System.currentTimeMillis();
		TestQueue queue = this.application.queue("orders", 2).node("node-a");
		nodes().report(queue.session(), "{\"reportedAt\":%d,\"threadCount\":7,\"threads\":[]}".formatted(now));
		nodes().join("stopping", new NodeInfo("node-b", 42, Duration.ofHours(1), Set.of(), true, "", Map.of(),
				new Build("1.2.3", Set.of(1)), Set.of(), Set.of()));
		eventually(() -> Http.assertHas(overview(), """
				{"nodes": [{"node": "node-a", "version": null, "reportedAt": %d, "stopping": false},
				{"node": "node-b", "version": "1.2.3", "stopping": true}]}""".formatted(now)));
	}

	@Test
	void oddReportsShowLess() {
		TestQueue queue = this.application.queue("orders", 2).node("node-a", "1");
		for (String report : List.of("", "?", "[]", "7", "{\"threads\":7,\"threadCount\":-9,\"reportedAt\":\"x\"}",
				"{\"queues\":[1],\"minutes\":{\"a\":1}}",
				"{\"threads\":[null,{\"ids\":[null],\"since\":9223372036854775807,\"stack\":7}]}",
				"{\"minutes\":[{\"minute\":\"x\",\"queues\":{\"orders\":{\"99\":-1,\"x\":{}}}}],\"queues\":{\"orders\":7}}")) {
			nodes().report(queue.session(), report);
			this.http.get(API + "overview");
			assertThat(this.http.get(API + "overview").status()).as(report).isEqualTo(200);
			assertThat(this.http.get(API + "running").status()).as(report).isEqualTo(200);
			assertThat(this.http.get(API + "queues/orders/job?id=1").status()).as(report).isEqualTo(200);
		}
	}

	@Test
	void listsWhatRunsTheLongestFirst() {
		TestQueue queue = this.application.queue("orders", 4).node("node-a");
		nodes().report(queue.session(), """
				{"threadCount": 9, "threads": [
				{"name": "t1", "ids": []},
				{"name": "t2", "queue": "orders", "shard": 1, "ids": ["2"], "since": 2000},
				{"name": "t3", "queue": "mails", "shard": 3, "ids": ["3", "4"], "since": 1000,
				 "stack": {"takenAt": 1500, "frames": ["at a.B.c(B.java:1)", "at a.B.d(B.java:2)"]}},
				{"name": "t4", "queue": "orders", "shard": 0, "ids": ["5"], "since": 3000}]}""");
		eventually(() -> assertThat(this.http.get(API + "running").json().at("/busy").asInt()).isEqualTo(3));
		JsonNode running = this.http.get(API + "running?limit=2").json();
		assertThat(running.at("/now").asLong()).isPositive();
		assertThat(running.at("/jobs")).extracting((job) -> job.at("/thread").asString()).containsExactly("t3", "t2");
		Http.assertHas(running, """
				{"threadCount": 9, "more": true, "jobs": [
				{"node": "node-a", "session": "%s", "thread": "t3", "ids": ["3", "4"], "hasStack": true},
				{"thread": "t2", "hasStack": false}]}""".formatted(queue.session()));
		Http.assertHas(this.http.get(API + "running?queue=orders").json(), """
				{"busy": 2, "more": false}""");
		assertThat(this.http.get(API + "running?queue=%20").status()).isEqualTo(400);
		JsonNode stack = this.http.get(API + "running/stack?thread=t3&session=" + queue.session()).json();
		Http.assertHas(stack, """
				{"queue": "mails", "takenAt": 1500}""");
		assertThat(stack.at("/frames/0").asString()).isEqualTo("at a.B.c(B.java:1)");
		assertThat(this.http.get(API + "running/stack?thread=t2&session=" + queue.session()).status()).isEqualTo(404);
		assertThat(this.http.get(API + "running/stack").status()).isEqualTo(404);
	}

	@Test
	void nothingIsWrongWithAHealthyCluster() {
		this.application.queue("orders", 2).node("node-a").enqueue("1");
		eventually(() -> {
			assertThat(overview().at("/nodes")).hasSize(1);
			assertThat(problems()).isEmpty();
		});
	}

	@Test
	void saysWhatTheOutboxCanNotSend() {
		this.application.queue("orders", 2).node("node-a");
		TestOutbox outbox = this.application.bean(TestOutbox.class);
		outbox.waiting(Map.of("queue 'mails'", "No queue 'mails'"));
		outbox.putAside(new UnsentJob(8, "orders", "42", "too long", Instant.ofEpochMilli(7)));
		eventually(() -> assertThat(problems()).containsExactly("OUTBOX_WAITS", "OUTBOX_ASIDE"));
		assertThat(problem("OUTBOX_WAITS").at("/sentence").asString()).isEqualTo(
				"Jobs of queue 'mails' wait in the outbox (1 job since 1970-01-01 00:00:00 UTC), while others are sent: No queue 'mails'");
		assertThat(problem("OUTBOX_ASIDE").at("/sentence").asString())
			.isEqualTo("1 job was put aside by the outbox, because it can't be sent.");
		Http.assertHas(this.http.get(API + "outbox").json(), """
				{"problem": null, "waiting": [{"part": "queue 'mails'", "reason": "No queue 'mails'"}],
				"waitingJobs": 1, "waitingSince": 7, "aside": 1,
				"jobs": [{"sequence": 8, "queue": "orders", "id": "42", "reason": "too long", "enqueuedAt": 7}],
				"kept": null}""");
		outbox.keep(new KeptJobs(5, Instant.ofEpochMilli(8), 3, null));
		Http.assertHas(this.http.get(API + "outbox").json(), """
				{"kept": {"rows": 5, "since": 8, "resent": 3, "resentAt": null}}""");
		outbox.keep(null);
		outbox.waiting(Map.of());
		outbox.problem("Redis is away");
		eventually(() -> Http.assertHas(problem("OUTBOX_STOPPED"),
				"""
						{"severity": "danger", "sentence": "The outbox of this application can't send jobs: Redis is away"}"""));
	}

	@Test
	void whatTheOutboxHasPutAsideIsSentAgainOrDropped() {
		TestOutbox outbox = this.application.bean(TestOutbox.class);
		outbox.putAside(new UnsentJob(8, "orders", "42", "too long", Instant.ofEpochMilli(7)));
		outbox.putAside(new UnsentJob(9, "orders", "43", "too long", Instant.ofEpochMilli(7)));
		Http page = this.http.fromPage();
		assertThat(page.post(API + "outbox/8", "").status()).isEqualTo(204);
		assertThat(page.post(API + "outbox/8", "").status()).isEqualTo(404);
		assertThat(page.delete(API + "outbox/9").status()).isEqualTo(204);
		assertThat(page.delete(API + "outbox/9").status()).isEqualTo(404);
		assertThat(page.delete(API + "outbox/x").status()).isEqualTo(400);
		assertThat(outbox.sentAgain()).containsExactly(8L);
		assertThat(outbox.status(10).jobsAside()).isEmpty();
		assertThat(page.post(API + "outbox", "").status()).isEqualTo(400);
		assertThat(page.post(API + "outbox?from=7&until=8", "").status()).isEqualTo(204);
		JsonNode audit = this.http.get(API + "audit").json().at("/entries");
		assertThat(audit.findValuesAsString("action")).containsExactly("resend-kept", "drop-unsent", "send-unsent");
		assertThat(audit.at("/0/message").asString())
			.contains("from 1970-01-01T00:00:00.007Z to 1970-01-01T00:00:00.008Z");
	}

	@Test
	void saysThatNoNodeRuns() {
		this.application.queue("orders", 3).enqueue("1");
		this.application.queue("mails", 3);
		eventually(() -> assertThat(problems()).containsExactly("NO_NODES"));
		assertThat(problem("NO_NODES").at("/severity").asString()).isEqualTo("danger");
	}

	@Test
	void saysThatANewerVersionHasWrittenAShard() {
		TestQueue queue = this.application.queue("orders", 4).node("node-a").enqueue("1");
		int shard = queue.layout().shardOf("1").index();
		byte[] key = bytes("lowkiq:{" + queue.layout().shard(shard) + "}:meta");
		InMemoryRedis redis = this.application.bean(InMemoryRedis.class);
		byte[] meta = (byte[]) redis.call(bytes("GET"), key).join();
		meta[0] = 7;
		redis.call(bytes("SET"), key, meta).join();
		eventually(() -> {
			assertThat(problems()).containsExactly("NEWER_SHARDS");
			Http.assertHas(problem("NEWER_SHARDS"), """
					{"severity": "warning", "shard": %1$d,
					"sentence": "Shard %1$d of orders was written by a newer version; this node doesn't serve it."}"""
				.formatted(shard));
		});
		assertThat(reason("orders", "1")).isEqualTo("NEWER_SHARD");
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Test
	void saysThatAnEmptyQueueHasNoOwnerYet() {
		this.application.queue("orders", 3);
		nodes().join("starting", new NodeInfo("node-a", 42, Duration.ofHours(1), Set.of("orders"), false));
		eventually(() -> assertThat(problems()).containsExactly("UNOWNED_SHARDS"));
		Http.assertHas(problem("UNOWNED_SHARDS"), """
				{"severity": "warning",
				"sentence": "Queue orders: 3 of 3 shards have no owner. The queue has no jobs."}""");
	}

	@Test
	void findsThatAllNodesHaveDiedThoughNobodyEndedTheirSessions() {
		this.application.queue("orders", 2).node("node-a").enqueue("1");
		NodeInfo brief = new NodeInfo("node-a", 42, Duration.ofSeconds(1), Set.of("orders"), false);
		nodes().members().members().forEach((member) -> nodes().beat(member.session(), brief));
		eventually(() -> {
			assertThat(overview().at("/nodes")).isEmpty();
			assertThat(overview().at("/queues/0/unowned").asInt()).isEqualTo(2);
			assertThat(problems()).containsExactly("NO_NODES", "NODE_ENDED");
		});
		assertThat(overview().at("/endedNodes/0/node").asString()).isEqualTo("node-a");
		assertThat(overview().at("/endedNodes/0/crashed").asBoolean()).isTrue();
		// The first question about a job is answered with what the overview has seen
		assertThat(reason("orders", "1")).isEqualTo("OWNER_GONE");
	}

	@Test
	void findsTheQueueThatNoNodeServesAndTheNodeThatCrashed() {
		this.application.queue("orders", 2).node("node-a");
		this.application.queue("mails", 2).enqueue("1");
		nodes().join("left", new NodeInfo("node-l", 41, Duration.ofHours(1), Set.of("orders"), false));
		nodes().leave("left");
		nodes().join("crashed", new NodeInfo("node-c", 42, Duration.ofHours(1), Set.of("orders"), false));
		nodes().end("crashed", 0, true);
		eventually(() -> assertThat(problems()).containsExactly("UNSERVED_QUEUE", "NODE_ENDED"));
		assertThat(problem("UNSERVED_QUEUE").at("/sentence").asString())
			.isEqualTo("Queue mails: no running node serves it. Its jobs are not running.");
		assertThat(problem("NODE_ENDED").at("/node").asString()).isEqualTo("node-c");
		assertThat(overview().at("/endedNodes")).hasSize(2);
		assertThat(overview().at("/endedNodes").findValuesAsString("node")).containsExactlyInAnyOrder("node-c",
				"node-l");
	}

	@Test
	void saysThatTwoApplicationsServeAQueueWithDifferentPayloads() {
		this.application.queue("orders", 2).node("node-a");
		Map<String, String> apps = Map.of("shop", "com.acme.Order", "billing", "com.acme.Invoice");
		apps.forEach((application, type) -> nodes().join(application, new NodeInfo("node-of-" + application, 42,
				Duration.ofHours(1), Set.of("orders"), false, application, Map.of("orders", type))));
		eventually(() -> assertThat(problem("FOREIGN_QUEUE").at("/sentence").asString()).isEqualTo(
				"Queue orders is served by several applications with different payloads: billing (com.acme.Invoice), shop (com.acme.Order). Each performs jobs of the other."));
		assertThat(problem("FOREIGN_QUEUE").at("/queue").asString()).isEqualTo("orders");
		assertThat(problem("FOREIGN_QUEUE").at("/severity").asString()).isEqualTo("danger");
	}

	@Test
	void saysInAmberThatApplicationsShareAQueueUntilTheLastOldNodeEnds() {
		this.application.queue("orders", 2).node("node-a");
		List.of("shop", "night-shift")
			.forEach((application) -> nodes().join(application, new NodeInfo("node-of-" + application, 42,
					Duration.ofHours(1), Set.of("orders"), false, application, Map.of("orders", "com.acme.Order"))));
		eventually(() -> assertThat(problem("SHARED_QUEUE").at("/sentence").asString()).startsWith(
				"Queue orders is served by several applications with the same payloads: night-shift (com.acme.Order), shop (com.acme.Order). A deploy that renames the application looks the same"));
		assertThat(problem("SHARED_QUEUE").at("/severity").asString()).isEqualTo("warning");
		nodes().leave("night-shift");
		eventually(
				() -> assertThat(overview().at("/problems").findValuesAsString("kind")).doesNotContain("SHARED_QUEUE"));
	}

	@Test
	void saysThatANodeLostContactAndCameBack() {
		NodeInfo info = new NodeInfo("node-a", 42, Duration.ofHours(1), Set.of("orders"), false);
		nodes().join("lost", info);
		nodes().end("lost", 0, true);
		nodes().join("other", new NodeInfo("node-a", 43, Duration.ofHours(1), Set.of("orders"), false));
		eventually(() -> assertThat(problem("NODE_ENDED").at("/sentence").asString())
			.matches("Node node-a ended \\d+ s ago without leaving the cluster\\."));
		assertThat(overview().at("/endedNodes/0/back").asBoolean()).isFalse();
		nodes().join("back", info);
		eventually(() -> assertThat(problem("NODE_ENDED").at("/sentence").asString())
			.matches("Node node-a lost contact \\d+ s ago and has come back\\."));
		assertThat(overview().at("/endedNodes/0/back").asBoolean()).isTrue();
	}

	@Test
	void aLossOfDataComesFirst() {
		this.application.queue("orders", 2).enqueue("1");
		long now = nodes().now();
		nodes().recordForgotten(Forgotten.everything(now, now - 5_000, "node-a", List.of("orders")));
		nodes().recordForgotten(Forgotten.calls(now, Instant.parse("2026-01-02T03:04:05Z").toEpochMilli(), "node-a",
				List.of(new Shard("orders", 1, 0), new Shard("mails", 1, 0))));
		eventually(() -> assertThat(problems()).startsWith("FORGOTTEN", "CALLS_FORGOTTEN", "NO_NODES"));
		assertThat(problem("CALLS_FORGOTTEN").at("/severity").asString()).isEqualTo("danger");
		assertThat(problem("CALLS_FORGOTTEN").at("/sentence").asString()).isEqualTo(
				"Redis has forgotten calls of node node-a in 2 shards of mails, orders that it had acknowledged since 2026-01-02 03:04:05 UTC. "
						+ "Jobs enqueued then may be missing, jobs done then may run again, "
						+ "and pauses, holds and deletions of that time may be undone.");
		JsonNode problem = problem("FORGOTTEN");
		assertThat(problem.at("/severity").asString()).isEqualTo("danger");
		assertThat(problem.at("/since").asLong()).isEqualTo(now);
		assertThat(problem.at("/sentence").asString()).startsWith("Redis has forgotten everything, no later than 2")
			.endsWith("node node-a found its session and all queues gone, which had been there 5 s earlier. "
					+ "Queued jobs, jobs on hold and dead jobs are missing, and so are pauses. Recorded again: orders.");
		TestOutbox outbox = this.application.bean(TestOutbox.class);
		outbox.keep(new KeptJobs(7, Instant.ofEpochMilli(now), 70, Instant.ofEpochMilli(now + 1_000)));
		eventually(() -> assertThat(problem("FORGOTTEN").at("/sentence").asString())
			.contains(" The outbox of this application has sent 70 jobs again, the last at 2"));
		outbox.keep(null);
		this.application.bean(MovableTime.class).advance(Duration.ofHours(1));
		eventually(() -> assertThat(problems()).doesNotContain("FORGOTTEN", "CALLS_FORGOTTEN"));
	}

	@Test
	void findsWhatIsLate() {
		Instant now = Instant.now();
		long early = now.minus(Duration.ofMinutes(11)).toEpochMilli();
		TestQueue late = this.application.queue("late", 1)
			.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, early, 0), "1")
			.node("node-a");
		this.application.queue("paused", 1)
			.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, early, 0), "1")
			.node("node-b");
		RedisStore store = this.application.bean(RedisStore.class);
		store.actions().pause(store.queues().find("paused").orElseThrow().shard(0), true);
		nodes().report(late.session(), """
				{"threadCount": 1, "reportedAt": %d, "threads": [
				{"name": "t1", "queue": "slow", "shard": 0, "ids": ["0"], "since": %d}]}"""
			.formatted(now.minusSeconds(30).toEpochMilli(), early));
		eventually(
				() -> assertThat(problems()).containsExactly("THREADS_BUSY", "LONG_RUNNING", "STALE_REPORT", "PAUSED"));
		Http.assertHas(problem("THREADS_BUSY"), """
				{"severity": "danger", "since": %d, "sentence": "The only thread of the nodes that serve late is busy \
				for 11 min (job '0' of queue slow). 1 due job is waiting."}""".formatted(early));
		Http.assertHas(problem("LONG_RUNNING"), """
				{"id": "0", "sentence": "Job '0' of queue slow has been running for 11 min on node node-a."}""");
		assertThat(problem("PAUSED").at("/sentence").asString()).isEqualTo("Queue paused is paused.");
	}

	/** An application with an outbox. */
	@Configuration(proxyBeanMethods = false)
	static class OutboxConfiguration {

		@Bean
		TestOutbox outbox() {
			return new TestOutbox();
		}

	}

}
