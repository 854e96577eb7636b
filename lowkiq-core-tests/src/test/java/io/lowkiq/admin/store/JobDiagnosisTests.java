package io.lowkiq.admin.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.QueueDeclaration;
import io.lowkiq.admin.JobStatus;
import io.lowkiq.admin.JobStatus.NamedJob;
import io.lowkiq.admin.JobStatus.Reason;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.internal.TimeText;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.TestTurns;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Forgotten;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.testing.TestAdmin;
import io.lowkiq.testing.TestQueue;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link JobDiagnosis}. */
class JobDiagnosisTests {

	private Duration ahead = Duration.ZERO;

	private final RedisStore store = InMemoryRedis.newStore(() -> Instant.now().plus(this.ahead));

	private final TestQueue queue = new TestQueue(this.store, "orders", 1);

	@Test
	void isBeingPerformed() {
		this.queue.busy("42").node("node-a", "42");
		JobStatus answer = explain("42");
		assertThat(answer.reason()).isEqualTo(Reason.PERFORMED);
		assertThat(answer.sentence())
			.isEqualTo("It has been running for 3 min on thread lowkiq-perform-0 of node node-a.");
		assertThat(answer.node()).isEqualTo("node-a");
		assertThat(answer.thread()).isEqualTo("lowkiq-perform-0");
	}

	@Test
	void isBeingPerformedWhileMoreWaitsBehindIt() {
		this.queue.busy("42").node("node-a", "42").enqueue("42");
		explain("42", Reason.PERFORMED).endsWith(" Payloads enqueued meanwhile wait until it ends.");
	}

	@Test
	void wasFetchedAndIsNotReportedYet() {
		this.queue.busy("41", "42").node("node-a", "41");
		explain("42", Reason.FETCHED).isEqualTo("Node node-a has fetched it, and is about to perform it.");
	}

	@Test
	void wasFetchedAndWaitsForAThread() {
		this.queue.busy("41", "42").node("node-a", 1, "41");
		assertThat(explain("42").sentence())
			.isEqualTo("Node node-a has fetched it, and will perform it as soon as a thread is free. "
					+ "Node node-a has 1 thread, all busy: '41' of orders for 3 min.");
	}

	@Test
	void mayBeOneOfABatchThatIsTooLongForTheReport() {
		this.queue.busy("41", "42").node("node-a");
		report("\"threadCount\":2,\"threads\":[{\"name\":\"t1\",\"queue\":\"orders\",\"shard\":0,\"ids\":[\"41\"],"
				+ "\"moreIds\":99,\"since\":" + Instant.now().minusSeconds(120).toEpochMilli() + "}]");
		assertThat(explain("42").sentence()).isEqualTo("Node node-a has fetched it; it is probably one of the 100 ids "
				+ "that thread t1 has been performing together for 2 min.");
	}

	@Test
	void isStillRunningOnANodeThatHasLostItsLease() {
		this.queue.busy("42").node("node-a", "42");
		String report = this.store.nodes().reports().get(this.queue.session());
		NodeInfo info = this.store.nodes().members().members().get(0).info();
		this.store.nodes().end(this.queue.session(), 0, true);
		this.store.nodes().join("other-run", new NodeInfo("node-a", 1, info.leaseDuration(), Set.of(), false));
		assertThat(explain("42").sentence()).startsWith("The node that was performing it is gone.");
		this.store.nodes().join("next", info);
		this.store.nodes().report("next", report);
		explain("42", Reason.PERFORMED).isEqualTo("It has been running for 3 min on thread lowkiq-perform-0 of node "
				+ "node-a. The node has lost its lease on shard 0: unless it gets it back, another node performs the job again.");
	}

	private void report(String fields) {
		this.store.nodes().report(this.queue.session(), "{" + fields + "}");
	}

	@Test
	void wasBusyOnANodeThatIsGone() {
		this.queue.busy("42");
		assertThat(explain("42").reason()).isEqualTo(Reason.NODE_GONE);
	}

	@Test
	void waitsForItsRetry() {
		this.queue.fail("42").node("node-a");
		this.ahead = Duration.ofSeconds(1);
		explain("42", Reason.RETRY).startsWith("It failed and waits for attempt 2 at 2").contains("(in 5 min)");
	}

	@Test
	void waitsForAPerson() {
		this.queue.hold("42").node("node-a");
		explain("42", Reason.HELD).isEqualTo("It failed, and it is on hold until someone releases it.");
	}

	@Test
	void waitsForItsTime() {
		Instant at = Instant.parse("2999-01-02T03:04:05Z");
		this.queue.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, at.toEpochMilli(), 0), "42")
			.node("node-a");
		explain("42", Reason.SCHEDULED).startsWith("It is scheduled for 2999-01-02 03:04:05 UTC");
	}

	@Test
	void isInAPausedQueue() {
		this.queue.enqueue("42").node("node-a");
		this.store.actions().pause(this.queue.layout().shard(0), true);
		explain("42", Reason.PAUSED).startsWith("The queue is paused");
	}

	@Test
	void isInAShardWithoutOwner() {
		this.queue.enqueue("42");
		assertThat(explain("42")).isEqualTo(new JobStatus(Reason.NO_OWNER,
				"Shard 0 has no owner: no running node serves this queue.", null, null, 0, List.of()));
	}

	@Test
	void isInAShardWhoseOwnerIsGone() {
		this.queue.node("node-a").enqueue("42");
		this.store.nodes().leave(this.queue.session());
		assertThat(explain("42").reason()).isEqualTo(Reason.OWNER_GONE);
	}

	@Test
	void isPerformedAlone() {
		this.queue.exhaustMemory("42").node("node-a", 2, "41");
		this.ahead = Duration.ofHours(1);
		explain("42", Reason.SUSPECT)
			.startsWith("It was being performed when a node crashed or ran out of memory. "
					+ "Node node-a performs such jobs one at a time.")
			.contains("2 threads, 1 of them busy: '41' of orders");
	}

	@Test
	void hasOthersBeforeIt() {
		this.queue.node("node-a", 5).enqueue(TestQueue.ids("other-", 14));
		this.ahead = Duration.ofSeconds(1);
		this.queue.enqueue("42");
		explain("42", Reason.OTHERS_BEFORE)
			.isEqualTo("14 jobs of shard 0 are ahead of it. Node node-a has 5 threads, none of them busy.");
	}

	@Test
	void waitsForTheTurnOfItsGroup() {
		this.queue.enqueue("a:1", "a:2", "b:1");
		Shard shard = this.queue.layout().shard(0);
		LeaseRequest request = LeaseRequest.forFreeShard("before");
		Lease lease = ((Acquisition.Acquired) this.store.shards().acquire(shard, request).join()).lease();
		Fetch fetch = Fetch.NONE.with(TestTurns.of(":"));
		this.store.shards().completeAndFetch(lease, 1, 0, List.of(), fetch).join();
		this.store.shards().release(lease, 2, List.of()).join();
		this.queue.node("node-a", 5);
		explain("a:2", Reason.OTHERS_BEFORE).isEqualTo("It waits for the turn of its group: jobs of 2 groups wait in "
				+ "shard 0. Node node-a has 5 threads, none of them busy.");
	}

	@Test
	void delayedJobsThatAreDueAreBeforeIt() {
		this.queue.fail(TestQueue.ids("failed-", 3)).node("node-a");
		this.ahead = Duration.ofHours(1);
		this.queue.enqueue("41", "42");
		assertThat(explain("42").sentence()).startsWith("4 jobs of shard 0 are ahead of it.");
		assertThat(explain("failed-1").sentence()).startsWith("1 job of shard 0 is ahead of it.");
	}

	@Test
	void hasMoreThanAThousandBeforeIt() {
		this.queue.node("node-a").enqueue(TestQueue.ids("other-", 1_200));
		this.ahead = Duration.ofSeconds(1);
		this.queue.enqueue("42");
		assertThat(explain("42").sentence()).startsWith("At least 1,000 jobs of shard 0 are ahead of it");
	}

	@Test
	void gathersPayloadsForAsLongAsItsQueueIsQuiet() {
		this.queue.node("node-a");
		report("\"threadCount\":1,\"queues\":{\"orders\":{\"debounce\":60000}},\"threads\":[]");
		this.queue.enqueue((id) -> NewPayload.of(id, TestQueue.payload(id)).withDelay(Duration.ofSeconds(30)), "42")
			.enqueue((id) -> NewPayload.of(id, TestQueue.payload(id)).withDelay(Duration.ofHours(1)), "later");
		explain("42", Reason.GATHERING).startsWith("It gathers payloads until ")
			.endsWith(". A new one can postpone that.");
		assertThat(explain("later").reason()).isEqualTo(Reason.SCHEDULED);
	}

	@Test
	void waitsForAFreeThread() {
		this.queue.busy("1", "2", "3", "4").node("node-a", 4, "1", "2", "3", "4").enqueue("42");
		JobStatus answer = explain("42");
		assertThat(answer.reason()).isEqualTo(Reason.NO_FREE_THREAD);
		assertThat(answer.sentence()).isEqualTo("It waits for a free thread. Node node-a has 4 threads, all busy: "
				+ "'1' of orders for 3 min, '2' of orders for 3 min, '3' of orders for 3 min and 1 more.");
		assertThat(answer.named()).containsExactly(new NamedJob("orders", "1"), new NamedJob("orders", "2"),
				new NamedJob("orders", "3"));
	}

	@Test
	void isTheNextOne() {
		this.queue.busy("41").node("node-a", 5, "41").enqueue("42");
		explain("42", Reason.NEXT).isEqualTo("It is next in shard 0: node node-a is about to perform it. "
				+ "Node node-a has 5 threads, 1 of them busy: '41' of orders for 3 min.");
	}

	@Test
	void waitsForAnotherJobOfAShardThatMayPerformOneIdAtATime() {
		this.queue.busy("41").node("node-a").enqueue("40");
		this.ahead = Duration.ofSeconds(1);
		this.queue.enqueue("42");
		Instant since = Instant.now().minusSeconds(900);
		runsAlone("41", since);
		JobStatus answer = explain("42");
		assertThat(answer.reason()).isEqualTo(Reason.SHARD_BUSY);
		assertThat(answer.sentence())
			.isEqualTo("Waiting for '41', which has been running for 15 min (thread t1 of node node-a): "
					+ "shard 0 runs one id at a time. 1 job is ahead.");
		assertThat(answer.thread()).isEqualTo("t1");
		assertThat(answer.since()).isEqualTo(since.toEpochMilli());
	}

	@Test
	void waitsForItsOwnEarlierRunWhoseLeaseWasLost() {
		this.queue.node("node-a").enqueue("42", "43");
		Instant since = Instant.now().minusSeconds(900);
		runsAlone("42", since);
		JobStatus answer = explain("42");
		assertThat(answer.reason()).isEqualTo(Reason.EARLIER_RUN);
		assertThat(answer.sentence()).isEqualTo("Its earlier run, whose lease was lost, has been running for 15 min "
				+ "on thread t1 of node node-a. It runs again when that ends.");
		assertThat(answer.thread()).isEqualTo("t1");
		assertThat(explain("43").sentence()).startsWith("Waiting for '42', which has been running for 15 min");
	}

	@Test
	void doesNotWaitForItselfIfTheReportIsOlderThanItsLastRun() {
		this.queue.node("node-a").enqueue("42");
		this.ahead = Duration.ofSeconds(2);
		runsAlone("42", Instant.now().plusSeconds(1));
		assertThat(explain("42").reason()).isEqualTo(Reason.NEXT);
	}

	@Test
	void saysThatTheNodeHasNotReported() {
		this.queue.node("node-a").enqueue("42");
		report("\"threadCount\":5,\"threads\":[],\"reportedAt\":" + Instant.now().minusSeconds(120).toEpochMilli());
		assertThat(explain("42").sentence()).endsWith(" The node's last report is 2 min old.");
	}

	@Test
	void saysThatTheNodeThatPerformsHasNotReported() {
		this.queue.busy("42", "43").node("node-a");
		report("\"threadCount\":5,\"threads\":[{\"name\":\"t1\",\"queue\":\"orders\",\"shard\":0,\"ids\":[\"42\"]}],"
				+ "\"reportedAt\":" + Instant.now().minusSeconds(120).toEpochMilli());
		assertThat(explain("42").sentence())
			.isEqualTo("It has been running on thread t1 of node node-a. The node's last report is 2 min old.");
		assertThat(explain("43").sentence())
			.isEqualTo("Node node-a has fetched it, and is about to perform it. The node's last report is 2 min old.");
	}

	@Test
	void saysNothingOfThreadsThatAreNotReported() {
		this.queue.node("node-a").enqueue("42");
		this.store.nodes().report(this.queue.session(), "?");
		assertThat(explain("42").sentence())
			.isEqualTo("It is next in shard 0: node node-a performs it as soon as a thread is free.");
	}

	@Test
	void isDead() {
		this.queue.bury("42");
		explain("42", Reason.DEAD).startsWith("Dead since 2")
			.endsWith(" UTC: " + TestQueue.ERROR.lines().findFirst().orElseThrow()
					+ ". It does not run again unless it is enqueued again.");
	}

	@Test
	void cannotBeRead() {
		this.queue.unreadable("42").node("node-a");
		report("\"threadCount\":1,\"threads\":[],\"queues\":{\"orders\":{\"unreadableGrace\":900000}}");
		explain("42", Reason.UNREADABLE).matches("Its first payload has been unreadable since 2.* UTC: "
				+ "No enum constant 'LATE'. It is tried again and becomes dead at 2.* UTC \\(in 15 min\\). "
				+ "Deploy a version that can read it; or put the job on hold and edit the payload; "
				+ "or move it to Dead now, if nobody needs it.");
	}

	@Test
	void cannotBeReadWhileItIsTriedAgainOrTheQueueIsPaused() {
		this.queue.unreadable("42").node("node-a");
		this.store.actions().pause(this.queue.layout().shardOf("42"), true);
		assertThat(explain("42").sentence())
			.contains("becomes dead when its unreadable-grace is over; the queue is paused.");
		this.store.actions().pause(this.queue.layout().shardOf("42"), false);
		this.queue.busy("42");
		assertThat(explain("42").reason()).isEqualTo(Reason.UNREADABLE);
		this.queue.hold("43");
		assertThat(explain("43").reason()).isEqualTo(Reason.HELD);
	}

	@Test
	void cannotBeReadAndNoNodeServesTheQueue() {
		this.queue.unreadable("42");
		assertThat(explain("42").reason()).isIn(Reason.NO_OWNER, Reason.OWNER_GONE);
	}

	@Test
	void runsOnThoughTheStoreHasForgottenIt() {
		this.queue.node("node-a");
		long now = Instant.now().toEpochMilli();
		runs("42", Instant.now().minusSeconds(60), now + 1_000);
		this.store.nodes()
			.recordForgotten(Forgotten.calls(now, now - 5_000, "node-a", List.of(this.queue.layout().shard(0))));
		assertThat(explain("42").reason()).isEqualTo(Reason.EARLIER_RUN);
		this.store.nodes().recordForgotten(Forgotten.everything(now, now - 5_000, "node-a", List.of()));
		JobStatus answer = explain("42");
		assertThat(answer.reason()).isEqualTo(Reason.FORGOTTEN);
		assertThat(answer.sentence()).isEqualTo("It runs on thread t1 of node node-a, but Redis no longer has it: "
				+ "its follow-ups, its retry and its failure will be lost.");
		assertThat(answer.thread()).isEqualTo("t1");
		assertThat(explain("43").reason()).isEqualTo(Reason.UNKNOWN);
	}

	@Test
	void anEarlierRunContinuesThoughAnotherMayHaveCompletedTheJob() {
		this.queue.done("42");
		this.queue.node("node-a");
		runs("42", Instant.now().minusSeconds(60), Instant.now().toEpochMilli() + 1_000);
		JobStatus answer = explain("42");
		assertThat(answer.reason()).isEqualTo(Reason.EARLIER_RUN);
		assertThat(answer.sentence()).isEqualTo("It runs on thread t1 of node node-a, which has lost its lease of "
				+ "shard 0. Another node may have performed it since. The result of this run is ignored.");
		assertThat(answer.thread()).isEqualTo("t1");
	}

	@Test
	void theDeadNodeOfAnUnreadableJobIsNotHidden() {
		this.queue.unreadable("42").node("node-a");
		this.store.nodes().beat(this.queue.session(), info(Duration.ofSeconds(15)));
		runs("other", Instant.now().minusSeconds(60), Instant.now().minusSeconds(28).toEpochMilli());
		this.store.actions().performNow(this.queue.layout().shardOf("42"), List.of("42"));
		assertThat(explain("42").reason()).isEqualTo(Reason.OWNER_GONE);
		this.queue.busy("42");
		this.store.nodes().beat(this.queue.session(), info(Duration.ofSeconds(15)));
		runs("other", Instant.now().minusSeconds(60), Instant.now().minusSeconds(28).toEpochMilli());
		assertThat(explain("42").reason()).isEqualTo(Reason.NODE_GONE);
	}

	@Test
	void isDoneIfItsRunBeganUnderThePresentLease() {
		this.queue.node("node-a");
		this.ahead = Duration.ofSeconds(60);
		runs("42", Instant.now().plusSeconds(30), Instant.now().plusSeconds(60).toEpochMilli());
		assertThat(explain("42").reason()).isEqualTo(Reason.UNKNOWN);
	}

	@Test
	void isDoneIfItsRunWasReportedBeforeThePresentLease() {
		this.queue.node("node-a");
		runs("42", Instant.now().minusSeconds(60), Instant.now().minusSeconds(30).toEpochMilli());
		assertThat(explain("42").reason()).isEqualTo(Reason.UNKNOWN);
	}

	@Test
	void isDoneIfItsLeaseWasGivenBack() {
		this.queue.done("other");
		this.store.nodes().join(this.queue.session(), info(Duration.ofHours(1)));
		runs("42", Instant.now().minusSeconds(60), Instant.now().toEpochMilli());
		assertThat(explain("42").reason()).isEqualTo(Reason.UNKNOWN);
	}

	@Test
	void runsOnThoughTheStoreHasForgottenItsLease() {
		this.store.nodes().join(this.queue.session(), info(Duration.ofHours(1)));
		runs("42", Instant.now().minusSeconds(60), Instant.now().toEpochMilli());
		assertThat(explain("42").reason()).isEqualTo(Reason.FORGOTTEN);
	}

	private static NodeInfo info(Duration lease) {
		return new NodeInfo("node-a", 1, lease, Set.of("orders"), false);
	}

	/** The only shard of the queue has all of its limits. */
	@Test
	void waitsForTheLimitsOfItsQueue() {
		this.queue.busy("41").node("node-a").enqueue("42");
		limited("\"concurrency\":1,\"shards\":1");
		explain("42", Reason.SHARD_BUSY).startsWith("Waiting for '41'").contains("shard 0 runs one id at a time");
		limited("\"rate\":\"6/min\",\"shards\":2");
		explain("42", Reason.NEXT).contains("The queue may start 6/min, divided among its 2 shards.");
		long start = Instant.now().plusSeconds(30).toEpochMilli();
		limited("\"rate\":\"6/min\",\"shards\":2,\"starts\":{\"0\":" + start + "}");
		explain("42", Reason.NEXT).startsWith(
				"It is next in shard 0: node node-a starts it at %s at the latest (in ".formatted(TimeText.of(start)));
	}

	private void limited(String limits) {
		report("\"threadCount\":5,\"queues\":{\"orders\":{" + limits + "}},\"threads\":[{\"name\":\"t1\","
				+ "\"queue\":\"orders\",\"shard\":0,\"ids\":[\"41\"],\"since\":" + Instant.now().toEpochMilli() + "}]");
	}

	/** No other id of the shard runs beside it. */
	private void runsAlone(String id, Instant since) {
		report("\"threadCount\":5,\"queues\":{\"orders\":{\"shardConcurrency\":1}},\"threads\":[{\"name\":\"t1\","
				+ "\"queue\":\"orders\",\"shard\":0,\"ids\":[\"" + id + "\"],\"since\":" + since.toEpochMilli() + "}]");
	}

	private void runs(String id, Instant since, long reportedAt) {
		report("\"threadCount\":5,\"threads\":[{\"name\":\"t1\",\"queue\":\"orders\",\"shard\":0,\"ids\":[\"" + id
				+ "\"],\"since\":" + since.toEpochMilli() + "}],\"reportedAt\":" + reportedAt);
	}

	@Test
	void saysThatANodeHasProbablyDiedThatHasNotReportedForLongerThanItsLease() {
		this.queue.busy("42").node("node-a").enqueue("43");
		this.store.nodes().beat(this.queue.session(), info(Duration.ofSeconds(15)));
		runs("42", Instant.now().minusSeconds(60), Instant.now().minusSeconds(28).toEpochMilli());
		explain("42", Reason.NODE_GONE).isEqualTo("Node node-a has probably died: its last report is 28 s old. "
				+ "It had fetched the job. It will be performed again as soon as another node takes over shard 0.");
		explain("43", Reason.OWNER_GONE).isEqualTo("Node node-a has probably died: its last report is 28 s old. "
				+ "The job will be performed when another node takes over shard 0.");
	}

	@Test
	void saysThatABusyJobIsPutOnHoldWhenItComesBack() {
		this.queue.busy("42").node("node-a", "42");
		TestAdmin.of(this.store).hold("orders", "42");
		assertThat(explain("42").sentence()).endsWith(" If it comes back, it waits until someone releases it.");
		this.store.nodes().end(this.queue.session(), 0, true);
		assertThat(explain("42").sentence()).isEqualTo(
				"The node that was performing it is gone. It is put on hold as soon as another node takes over shard 0.");
	}

	@Test
	void isUnknown() {
		assertThat(explain("42").reason()).isEqualTo(Reason.UNKNOWN);
	}

	/** Checks the reason, and returns the sentence. */
	private AbstractStringAssert<?> explain(String id, Reason reason) {
		JobStatus answer = explain(id);
		assertThat(answer.reason()).isEqualTo(reason);
		return assertThat(answer.sentence());
	}

	private JobStatus explain(String id) {
		return TestAdmin.of(this.store).find(this.queue.layout().name(), id, 1).status();
	}

	private void reportGroups(String thread, String groups) {
		report("\"threadCount\":2,\"threads\":[" + thread + "],\"queues\":{\"orders\":{\"groups\":" + groups + "}}");
	}

	@Test
	void isInAPausedGroup() {
		this.queue.enqueue("acme:42", "other:1").node("node-a");
		reportGroups("", "{\"separator\":\":\"}");
		TestAdmin.of(this.store).as("anna").group("orders", "acme").pause();
		explain("acme:42", Reason.GROUP_PAUSED).startsWith("Group 'acme' is paused by anna since 2")
			.endsWith(" UTC. The job will be performed when the group is resumed.");
		explain("other:1", Reason.OTHERS_BEFORE);
	}

	@Test
	void isInAGroupThatWasAskedToWait() {
		this.queue.enqueue("acme:42").node("node-a");
		long until = Instant.now().plusSeconds(600).toEpochMilli();
		reportGroups("", "{\"separator\":\":\",\"waiting\":{\"acme\":" + until + "}}");
		explain("acme:42", Reason.GROUP_WAITS).startsWith("Group 'acme' begins nothing on node node-a until 2")
			.contains(" UTC (in ")
			.endsWith("), because one of its jobs has asked for it.");
		this.ahead = Duration.ofMinutes(11);
		this.queue.node("node-a");
		reportGroups("", "{\"separator\":\":\",\"waiting\":{\"acme\":" + until + "}}");
		explain("acme:42", Reason.NEXT);
	}

	@Test
	void isInAGroupThatRunsAsManyJobsAsItMay() {
		this.queue.busy("acme:1").enqueue("acme:42", "other:1").node("node-a");
		String thread = "{\"name\":\"t1\",\"queue\":\"orders\",\"shard\":0,\"ids\":[\"acme:1\"]}";
		reportGroups(thread, "{\"separator\":\":\",\"concurrency\":1,\"rate\":\"100/s\"}");
		assertThat(explain("acme:42")).isEqualTo(new JobStatus(Reason.GROUP_FULL,
				"Group 'acme' has 1 of 1 jobs running on node node-a: 'acme:1'. Group 'acme' may start 100/s.", null,
				null, 0, List.of(new NamedJob("orders", "acme:1"))));
		explain("other:1", Reason.OTHERS_BEFORE);
		this.store.queues()
			.override(this.queue.layout(),
					Map.of("acme", new GroupOverride(null, new GroupOverride.Change<>(2, "anna", 0), null, null)),
					Set.of(GroupOverride.Part.CONCURRENCY));
		explain("acme:42", Reason.NEXT);
	}

	@Test
	void isInAGroupThatItsOwnerHasFoundFull() {
		TestQueue sync = new TestQueue(this.store, new QueueDeclaration("sync", 1, ":")).node("node-a");
		sync.enqueue("acme:42", "globex:1").distribute(":", "acme");
		long since = Instant.now().minusSeconds(720).toEpochMilli();
		String running = "\"running\":{\"acme\":{\"jobs\":10,\"since\":" + since + "}}";
		assertThat(explain(sync, "\"concurrency\":10," + running))
			.startsWith("Group 'acme' has 10 of 10 jobs running on node node-a, the oldest for 12 min");
		assertThat(explain(sync, "\"maxShare\":80," + running)).startsWith("Group 'acme' has 10 jobs running")
			.endsWith(". One group may have 80 % of its threads.");
		assertThat(explain(sync, "\"rate\":\"5/min\""))
			.isEqualTo("Group 'acme' may begin nothing on node node-a at the moment. Group 'acme' may start 5/min.");
		long start = Instant.now().plusSeconds(600).toEpochMilli();
		assertThat(explain(sync, "\"rate\":\"5/min\",\"starts\":{\"acme\":" + start + "}"))
			.startsWith("Group 'acme' may start its next job on node node-a at 2")
			.endsWith(" min). Group 'acme' may start 5/min.");
		assertThat(TestAdmin.of(this.store).find("sync", "globex:1", 0).status().reason())
			.isEqualTo(Reason.OTHERS_BEFORE);
	}

	private String explain(TestQueue sync, String groups) {
		this.store.nodes()
			.report(sync.session(),
					"{\"reportedAt\":%d,\"threadCount\":99,\"threads\":[],\"queues\":{\"sync\":{\"groups\":{\"separator\":\":\",%s}}}}"
						.formatted(this.store.nodes().now(), groups));
		JobStatus status = TestAdmin.of(this.store).find("sync", "acme:42", 0).status();
		assertThat(status.reason()).isEqualTo(Reason.GROUP_FULL);
		return status.sentence();
	}

	/** Each step takes away what was the answer, and leaves what comes after it. */
	@Test
	void theFirstCauseIsTheAnswer() {
		this.queue.exhaustMemory("43").enqueue("42");
		LowkiqAdmin admin = TestAdmin.of(this.store);
		admin.hold("orders", "42");
		admin.pause("orders");
		explain("42", Reason.HELD);
		admin.release("orders", "42");
		explain("42", Reason.PAUSED);
		admin.resume("orders");
		explain("42", Reason.NO_OWNER);
		LeaseRequest request = LeaseRequest.forFreeShard(this.queue.session());
		this.store.shards().acquire(this.queue.layout().shard(0), request).join();
		explain("42", Reason.OWNER_GONE).startsWith("The node that owned shard 0 is gone.");
		this.store.nodes().join(this.queue.session(), info(Duration.ofSeconds(15)));
		runs("42", Instant.now().minusSeconds(60), Instant.now().minusSeconds(28).toEpochMilli());
		explain("42", Reason.OWNER_GONE).startsWith("Node node-a has probably died");
		runsAlone("42", Instant.now().minusSeconds(60));
		explain("42", Reason.EARLIER_RUN);
		runsAlone("40", Instant.now());
		explain("42", Reason.SHARD_BUSY);
		this.ahead = Duration.ofHours(1);
		explain("43", Reason.SUSPECT);
	}

	/** The same for a job that is due and no suspect. */
	@Test
	void theFirstCauseOfADueJobIsTheAnswer() {
		this.queue.busy("acme:1").enqueue("acme:41", "acme:42").node("node-a");
		LowkiqAdmin admin = TestAdmin.of(this.store);
		admin.group("orders", "acme").pause();
		long later = Instant.now().plusSeconds(600).toEpochMilli();
		String full = "\"separator\":\":\",\"concurrency\":1";
		String late = full + ",\"starts\":{\"acme\":" + later + "}";
		String waiting = late + ",\"waiting\":{\"acme\":" + later + "}";
		runs(1, "\"shardConcurrency\":1,\"groups\":{" + waiting + "}");
		explain("acme:42", Reason.GROUP_PAUSED);
		admin.group("orders", "acme").resume();
		explain("acme:42", Reason.GROUP_WAITS);
		runs(1, "\"shardConcurrency\":1,\"groups\":{" + late + "}");
		explain("acme:42", Reason.GROUP_FULL).contains("may start its next job");
		runs(1, "\"shardConcurrency\":1,\"groups\":{" + full + "}");
		explain("acme:42", Reason.GROUP_FULL).contains("has 1 of 1 jobs running");
		runs(1, "\"shardConcurrency\":1");
		explain("acme:42", Reason.SHARD_BUSY);
		runs(1, "");
		explain("acme:42", Reason.NO_FREE_THREAD).startsWith("1 job of shard 0 is ahead of it.");
		runs(2, "");
		explain("acme:42", Reason.OTHERS_BEFORE);
		admin.delete("orders", "acme:41");
		explain("acme:42", Reason.NEXT);
	}

	private void runs(int threads, String settings) {
		report("\"threadCount\":" + threads + ",\"threads\":[{\"name\":\"t1\",\"queue\":\"orders\",\"shard\":0,"
				+ "\"ids\":[\"acme:1\"]}],\"queues\":{\"orders\":{" + settings + "}}");
	}

}
