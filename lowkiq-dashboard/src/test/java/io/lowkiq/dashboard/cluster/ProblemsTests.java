package io.lowkiq.dashboard.cluster;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.Outbox;
import io.lowkiq.admin.ScheduleControl;
import io.lowkiq.admin.ScheduleStatus;
import io.lowkiq.admin.ScheduleStatus.Result;
import io.lowkiq.admin.StoreAdmin;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.dashboard.history.AuditLog;
import io.lowkiq.dashboard.history.DashboardKeys;
import io.lowkiq.dashboard.history.HistoryLog;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.NewPayload;
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

	private void report(TestQueue queue, String name) {
		this.store.nodes()
			.report(queue.session(),
					"{\"threadCount\":1,\"threads\":[{\"name\":\"t\",\"queue\":\"%s\",\"shard\":0,\"ids\":[\"42\"],\"since\":\"%s\"}]}"
						.formatted(name, Instant.now().minusSeconds(5)));
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
