package io.lowkiq.dashboard.cluster;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

import io.lowkiq.QueueDeclaration;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.Outbox;
import io.lowkiq.admin.ScheduleControl;
import io.lowkiq.admin.ScheduleStatus;
import io.lowkiq.admin.ScheduleStatus.Result;
import io.lowkiq.admin.store.StoreAdmin;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.dashboard.history.AuditLog;
import io.lowkiq.dashboard.history.DashboardKeys;
import io.lowkiq.dashboard.history.HistoryLog;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.testing.TestQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ProblemsTests {

	private static final long FIRST = Instant.parse("2026-11-26T09:22:01Z").toEpochMilli();

	private static final long LAST = Instant.parse("2026-11-26T09:23:12Z").toEpochMilli();

	private final InstantSource clock = InstantSource.system();

	private final RedisStore store = InMemoryRedis.newStore(this.clock);

	private final AuditLog audit = new AuditLog(new DashboardKeys(this.store));

	private @Nullable Deaths deaths;

	private List<String> sentences() {
		return problems().stream().map(ClusterDocuments.Trouble::sentence).toList();
	}

	private List<ClusterDocuments.Trouble> problems() {
		LowkiqAdmin admin = new StoreAdmin(this.store, new JacksonPayloadCodec(), () -> null, (event) -> {
		}, () -> Outbox.NONE, () -> null, Schedules::new, this.clock);
		ClusterReader reader = new ClusterReader(this.store, this.clock);
		Problems problems = new Problems(
				new ErrorBursts(new HistoryLog(new DashboardKeys(this.store)), reader, this.clock), this.audit, null,
				new OutboxReader(admin, Runnable::run, this.clock), new FollowUpReader(admin, this.clock),
				new Intake(admin, this.clock), new Losses(admin, this.clock),
				new PoisonReader(this.store, reader, this.clock), (queue) -> this.deaths);
		return problems.of(reader.recent());
	}

	@Test
	void deadJobsHaveDiedAtATimeAndOfSomething() {
		queue("orders").bury(TestQueue.ids("", 5)).node("shop");
		assertThat(sentences()).containsExactly("Queue orders: 5 jobs are dead.");
		died(5, true, "Card # declined");
		assertThat(sentences()).containsExactly("Queue orders: 5 jobs died between 2026-11-26 09:22:01 UTC and "
				+ "2026-11-26 09:23:12 UTC: Card # declined.");
		died(3, true, "Card # declined");
		assertThat(sentences().get(0)).endsWith(" UTC, most of them: Card # declined.");
		died(2, true, "No.");
		assertThat(sentences().get(0)).endsWith(" UTC, 2 of them: No.");
		died(2, false, "No");
		assertThat(sentences()).containsExactly("Queue orders: 5 jobs are dead, at least 2 of them: No.");
		assertThat(problems().get(0).error()).isEqualTo("key");
	}

	private void died(long of, boolean complete, String error) {
		this.deaths = new Deaths(FIRST, LAST, "key", error, of, complete);
	}

	@Test
	void aQueueAndItsInternalOnesAreOneOfSeveral() {
		for (String name : List.of("a", InternalQueue.SCHEDULES.nameFor("a"), "b", "c")) {
			queue(name).bury("1").node("shop");
		}
		assertThat(sentences()).containsExactly("Queue a: 1 job is dead.", "Schedules of a: 1 job is dead.",
				"Queue b: 1 job is dead.", "Queue c: 1 job is dead.");
		queue("d").bury("1").node("shop");
		assertThat(sentences()).containsExactly("Jobs are dead in 4 queues: a, b, c and 1 more.");
	}

	@Test
	void theScheduleIsNamedAndNotItsQueue() {
		queue("reports").node("shop");
		long due = this.clock.millis() - 80_000;
		queue(InternalQueue.SCHEDULES.nameFor("reports"))
			.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, due, 0), "every-20s")
			.bury("nightly")
			.node("shop");
		assertThat(sentences()).containsExactly("Schedule every-20s of reports is 1 min late.",
				"Schedules of reports: 1 job is dead.");
		pause(InternalQueue.SCHEDULES.nameFor("reports"));
		assertThat(sentences()).as("paused").startsWith("Schedule every-20s of reports is 1 min late.");
	}

	@Test
	void recordsArePausedAndAQueueIs() {
		queue("orders").node("shop");
		TestQueue records = queue(InternalQueue.RECORDS.nameFor("orders")).node("shop");
		pause("orders");
		pause(records.layout().name());
		assertThat(sentences()).containsExactly("Queue orders is paused.", "Records of orders are paused.");
		this.audit.add(new AdminEvent("anna", "pause", records.layout().name(), List.of(), 1, AdminEvent.Result.DONE,
				"Paused."));
		assertThat(sentences().get(1)).startsWith("Records of orders were paused by anna at ");
	}

	private void pause(String queue) {
		queue(queue).layout().allShards().forEach((shard) -> this.store.actions().pause(shard, true));
	}

	@Test
	void withoutJobsNoNodeIsAWarning() {
		TestQueue queue = queue("orders");
		assertThat(problems()).singleElement().satisfies((problem) -> {
			assertThat(problem.sentence()).isEqualTo("No node is running, and no job is waiting.");
			assertThat(problem.severity()).isEqualTo("warning");
		});
		queue.enqueue("42");
		assertThat(problems().get(0).sentence()).isEqualTo("No node is running. 1 job is waiting.");
		assertThat(problems().get(0).severity()).isEqualTo("danger");
	}

	/** One node serves orders, the other one pictures only. */
	@Test
	void busyThreadsOfOtherNodesAreNoCause() {
		long due = this.clock.millis() - 80_000;
		TestQueue orders = queue("orders").node("shop")
			.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, due, 0), "1");
		TestQueue pictures = queue("pictures").node("studio");
		report(pictures, "pictures");
		assertThat(sentences()).containsExactly("Queue orders: the oldest due job has been waiting for 1 min.");
		report(orders, "orders");
		assertThat(sentences()).singleElement()
			.asString()
			.startsWith("The only thread of the nodes that serve orders is busy for ")
			.endsWith(" (job '42' of queue orders). 1 due job is waiting.");
	}

	@Test
	void oneCauseIsOneLine() {
		TestQueue orders = enqueue(new TestQueue(this.store, "orders", 2), 700_000, TestQueue.ids("", 9));
		assertThat(kinds()).containsExactly("NO_NODES");
		queue("mails").node("shop");
		assertThat(kinds()).containsExactly("UNSERVED_QUEUE");
		orders.node("shop-2");
		assertThat(kinds()).containsExactly("OVERDUE");
		this.store.nodes()
			.report(orders.session(), """
					{"threadCount":1,"reportedAt":%d,
					"threads":[{"name":"t","queue":"orders","shard":0,"ids":["42"],"since":%d}]}"""
				.formatted(this.clock.millis() + 60_000, this.clock.millis() - 500_000));
		assertThat(kinds()).containsExactly("LEASE_LOST");
		assertThat(problems().get(0).severity()).isEqualTo("danger");
		assertThat(sentences().get(0)).endsWith(" until it ends. No thread is free: 9 due jobs are waiting.");
	}

	private List<String> kinds() {
		return problems().stream().map(ClusterDocuments.Trouble::kind).toList();
	}

	@Test
	void pausedGroupsAreNoFault() {
		TestQueue fair = grouped("g1:1", "g1:2", "g2:1").distribute(":", "g1", "g2");
		reportGroups(fair, "\"paused\":{\"g2\":{\"by\":\"ben\",\"at\":%s},\"g1\":{\"by\":\"anna\",\"at\":%s}}"
			.formatted(LAST, FIRST));
		assertThat(sentences()).containsExactly("2 groups of fair are paused: g1 by anna at 2026-11-26 09:22:01 UTC, "
				+ "g2 by ben at 2026-11-26 09:23:12 UTC; 3 jobs wait.");
		long now = this.clock.millis();
		reportGroups(fair, "\"paused\":{\"g1\":{\"by\":\"anna\",\"at\":%s},\"g2\":{}}".formatted(now));
		assertThat(problems().get(0).severity()).isEqualTo("note");
		reportGroups(fair,
				"\"paused\":{\"g1\":{\"by\":\"anna\",\"at\":%s}, \"g2\":{\"at\":%s}}".formatted(now - 90_000_000, now));
		assertThat(problems().get(0).severity()).isEqualTo("warning");
	}

	@Test
	void aPauseIsForgottenAfterADay() {
		TestQueue fair = grouped();
		reportGroups(fair,
				"\"paused\":{\"g1\":{\"by\":\"anna\",\"at\":%s}}".formatted(this.clock.millis() - 80_000_000));
		assertThat(sentences()).isEmpty();
		reportGroups(fair,
				"\"paused\":{\"g1\":{\"by\":\"anna\",\"at\":%s}}".formatted(this.clock.millis() - 90_000_000));
		assertThat(sentences()).singleElement()
			.asString()
			.startsWith("1 group of fair is paused: g1 by anna at ")
			.endsWith("; no job waits.");
	}

	@Test
	void aGroupAtItsLimitIsNoFaultUnlessItsRunsHang() {
		TestQueue fair = grouped("acme:1", "acme:2").distribute(":", "acme");
		assertNote("Group acme of fair may start nothing at the moment; 2 jobs wait.");
		reportGroups(fair, "\"starts\":{\"acme\":4000000000000}");
		assertNote("Group acme of fair may start its next job at 2096-10-02 07:06:40 UTC; 2 jobs wait.");
		reportGroups(fair, "\"waiting\":{\"acme\":4000000000000}");
		assertNote(
				"Group acme of fair waits until 2096-10-02 07:06:40 UTC, because one of its jobs has asked for it; 2 jobs wait.");
		reportGroups(fair, running(5_000));
		assertNote("Group acme of fair has 2 of 2 running; 2 jobs wait.");
		reportGroups(fair, running(700_000));
		assertThat(sentences())
			.containsExactly("Group acme of fair has 2 of 2 running, and none has ended for 11 min; 2 jobs wait.");
		assertThat(problems().get(0).severity()).isEqualTo("warning");
		enqueue(fair, 90_000_000, "globex:1").distribute(":", "globex");
		reportGroups(fair, running(5_000));
		assertThat(sentences()).containsExactly(
				"2 groups of fair are at their limits: globex may start nothing at the moment; 3 jobs wait.");
		assertThat(problems().get(0).severity()).as("for a day").isEqualTo("warning");
	}

	private void assertNote(String sentence) {
		assertThat(sentences()).containsExactly(sentence);
		assertThat(problems().get(0).severity()).isEqualTo("note");
	}

	private String running(long age) {
		return "\"running\":{\"acme\":{\"jobs\":2,\"since\":1,\"last\":%s,\"concurrency\":2}}"
			.formatted(this.clock.millis() - age);
	}

	@Test
	void aQueueAtItsLimitIsNoFault() {
		TestQueue sync = enqueue(new TestQueue(this.store, "sync", 2).node("shop"), 80_000, TestQueue.ids("", 10));
		String report = "{\"queues\":{\"sync\":{\"concurrency\":8,\"rate\":\"1000/s\",\"shards\":2,\"limited\":%s}}}";
		this.store.nodes().report(sync.session(), report.formatted("[0,1]"));
		assertNote(
				"Queue sync may run at most 8 jobs at a time, and start 1000/s, divided among its 2 shards; 10 jobs wait.");
		this.store.nodes().report(sync.session(), report.formatted("[0]"));
		assertThat(sentences()).hasSize(2)
			.first()
			.isEqualTo("Queue sync: the oldest due job has been waiting for 1 min.");
	}

	private TestQueue enqueue(TestQueue queue, long late, String... ids) {
		long due = this.clock.millis() - late;
		return queue.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, due, 0), ids);
	}

	private TestQueue grouped(String... ids) {
		return enqueue(new TestQueue(this.store, new QueueDeclaration("fair", 1, ":")).node("shop"), 80_000, ids);
	}

	private void reportGroups(TestQueue queue, String groups) {
		this.store.nodes()
			.report(queue.session(), "{\"queues\":{\"fair\":{\"groups\":{\"separator\":\":\",%s}}}}".formatted(groups));
	}

	private void report(TestQueue queue, String name) {
		this.store.nodes()
			.report(queue.session(),
					"{\"threadCount\":1,\"threads\":[{\"name\":\"t\",\"queue\":\"%s\",\"shard\":0,\"ids\":[\"42\"],\"since\":%d}]}"
						.formatted(name, System.currentTimeMillis() - 5_000));
	}

	private TestQueue queue(String name) {
		return new TestQueue(this.store, name, 1);
	}

	/** Knows two schedules of a queue. */
	private static final class Schedules implements ScheduleControl {

		@Override
		public List<ScheduleStatus> all() {
			return List.of(status("nightly", 3_600), status("every-20s", -80));
		}

		private static ScheduleStatus status(String id, long seconds) {
			return new ScheduleStatus("reports", id, "@daily", "UTC", Instant.now().plusSeconds(seconds), null,
					Result.NONE, null, false, null);
		}

		@Override
		public void runNow(String queue, String id) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void pause(String queue, String id) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void resume(String queue, String id) {
			throw new UnsupportedOperationException();
		}

	}

}
