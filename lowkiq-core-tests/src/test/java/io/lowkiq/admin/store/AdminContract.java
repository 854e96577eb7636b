package io.lowkiq.admin.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.InvalidJobException;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.RateLimit;
import io.lowkiq.StoreException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.admin.ActionProgress;
import io.lowkiq.admin.ActionResult;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.AdminEvent.Result;
import io.lowkiq.admin.FollowUpQueue;
import io.lowkiq.admin.FollowUpQueues;
import io.lowkiq.admin.GroupAdmin;
import io.lowkiq.admin.GroupLimits;
import io.lowkiq.admin.JobReport;
import io.lowkiq.admin.JobStatus;
import io.lowkiq.admin.JobStatus.Reason;
import io.lowkiq.admin.KeptJobs;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.Outbox;
import io.lowkiq.admin.OutboxStatus;
import io.lowkiq.admin.PrefixContents;
import io.lowkiq.admin.QueueNotRemovableException;
import io.lowkiq.admin.UnsentJob;
import io.lowkiq.admin.UnservedQueues;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.engine.FollowUpMover;
import io.lowkiq.engine.ShardFollowUps;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.ShardActions;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.inspection.EditResult;
import io.lowkiq.store.inspection.Erasure;
import io.lowkiq.store.inspection.ErrorKind;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.EndedNode;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.testing.Intercepted;
import io.lowkiq.testing.TestAdmin;
import io.lowkiq.testing.TestOutbox;
import io.lowkiq.testing.TestQueue;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.groups.Tuple;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

/** What {@link LowkiqAdmin} does to jobs in every state, the same in every storage. */
abstract class AdminContract {

	private static final String QUEUE = "orders";

	private static final String ID = "42";

	private final List<AdminEvent> events = new ArrayList<>();

	private final InstantSource clock = Instant::now;

	private final TestOutbox outbox = new TestOutbox();

	private RedisStore store;

	private LowkiqAdmin admin;

	/** Makes an empty storage. */
	abstract RedisStore open(InstantSource source);

	/** Frees what the storage holds. */
	abstract void close(RedisStore opened);

	@BeforeEach
	void open() {
		this.store = open(this.clock);
		this.admin = admin(this.store);
	}

	@AfterEach
	void close() {
		close(this.store);
	}

	/** The actions that left a trace, with the number of jobs that each changed. */
	private void assertChanges(Tuple... actions) {
		assertThat(this.events).extracting(AdminEvent::action, AdminEvent::changed).containsExactly(actions);
	}

	private LowkiqAdmin admin(RedisStore of) {
		return TestAdmin.of(of, this.events::add, this.outbox);
	}

	@Test
	void keptJobsAreSentAgainWithATrace() {
		assertThat(this.admin.outbox(0).kept()).isNull();
		KeptJobs kept = new KeptJobs(7, Instant.EPOCH, 0, null);
		this.outbox.keep(kept);
		assertThat(this.admin.outbox(0).kept()).isEqualTo(kept);
		assertThat(this.admin.as("anna").resendKept(Instant.EPOCH, Instant.EPOCH.plusSeconds(1))).isEqualTo(7);
		assertThat(this.events).extracting(AdminEvent::user, AdminEvent::action, AdminEvent::changed)
			.containsExactly(tuple("anna", "resend-kept", 7L));
	}

	@Test
	void jobsThatTheOutboxHasPutAsideAreSentAgainOrDroppedWithATrace() {
		this.outbox.putAside(new UnsentJob(8, QUEUE, ID, "too long", Instant.EPOCH));
		this.outbox.putAside(new UnsentJob(9, QUEUE, "43", "too long", Instant.EPOCH));
		assertThat(this.admin.outbox(1).jobsAside()).extracting(UnsentJob::id).containsExactly(ID);
		assertThat(this.admin.outbox(1).aside()).isEqualTo(2);
		assertThat(this.admin.as("anna").sendUnsent(8)).isTrue();
		assertThat(this.admin.dropUnsent(9)).isTrue();
		assertThat(this.admin.dropUnsent(9)).isFalse();
		assertThat(this.outbox.sentAgain()).containsExactly(8L);
		assertThat(this.admin.outbox(10)).isEqualTo(OutboxStatus.EMPTY);
		assertThat(this.events).extracting(AdminEvent::user, AdminEvent::action, AdminEvent::ids, AdminEvent::changed)
			.containsExactly(tuple("anna", "send-unsent", List.of(ID), 1L),
					tuple(AdminEvent.APPLICATION, "drop-unsent", List.of("43"), 1L));
		assertThatIllegalArgumentException().isThrownBy(() -> this.admin.outbox(1_001));
	}

	@Test
	void groupIsChangedWithATrace() {
		this.store.queues().register(new QueueDeclaration("sync", 3, ":"));
		GroupAdmin group = this.admin.as("anna").group("sync", "acme");
		assertThat(group.settings()).isEqualTo(GroupOverride.NONE);
		group.pause();
		group.concurrency(2);
		group.rate(20, Duration.ofSeconds(1));
		group.weight(3);
		assertThat(this.admin.groups("sync")).containsOnlyKeys("acme");
		assertThat(group.settings().pause()).extracting(Change::by).isEqualTo("anna");
		assertThat(group.settings().rate()).extracting(Change::value)
			.isEqualTo(new RateLimit(20, Duration.ofSeconds(1)));
		group.resume();
		assertThat(group.settings().pause()).isNull();
		group.reset();
		assertThat(this.admin.groups("sync")).isEmpty();
		assertThat(this.events).extracting(AdminEvent::user, AdminEvent::action, AdminEvent::message)
			.containsExactly(tuple("anna", "pause-group", "Group 'acme' was paused."),
					tuple("anna", "set-group-concurrency", "Group 'acme' has at most 2 running jobs now."),
					tuple("anna", "set-group-rate", "Group 'acme' may start 20/s now."),
					tuple("anna", "set-group-weight", "Group 'acme' has the weight 3 now."),
					tuple("anna", "resume-group", "Group 'acme' was resumed."),
					tuple("anna", "reset-group", "Group 'acme' has the settings of the application again."));
	}

	@Test
	void limitsOfManyGroupsAreSetWithOneTrace() {
		this.store.queues().register(new QueueDeclaration("sync", 3, ":"));
		this.admin.group("sync", "group-0").pause();
		this.admin.group("sync", "other").weight(9);
		this.events.clear();
		RateLimit rate = new RateLimit(20, Duration.ofSeconds(1));
		Map<String, GroupLimits> limits = new HashMap<>();
		IntStream.range(0, 1_100).forEach((i) -> limits.put("group-" + i, new GroupLimits(5, rate, null)));
		assertThat(this.admin.as("anna").limitGroups("sync", limits)).isEqualTo(1_100);
		assertThat(this.admin.groups("sync")).hasSize(1_101);
		GroupOverride first = this.admin.group("sync", "group-0").settings();
		assertThat(first.pause()).isNotNull();
		assertThat(first.concurrency()).extracting(Change::value, Change::by).containsExactly(5, "anna");
		assertThat(first.rate()).extracting(Change::value).isEqualTo(rate);
		limits.replaceAll((group, each) -> group.equals("group-0") ? GroupLimits.NONE : each);
		assertThat(this.admin.as("ben").limitGroups("sync", limits)).as("as the others are already").isEqualTo(1);
		assertThat(this.admin.group("sync", "group-0").settings())
			.extracting(GroupOverride::concurrency, GroupOverride::rate)
			.containsOnlyNulls();
		assertThat(this.admin.group("sync", "other").settings().weight()).isNotNull();
		assertThat(this.events).extracting(AdminEvent::user, AdminEvent::action, AdminEvent::changed)
			.containsExactly(tuple("anna", "limit-groups", 1_100L), tuple("ben", "limit-groups", 1L));
		assertThatIllegalArgumentException().isThrownBy(() -> this.admin.limitGroups("sync",
				Map.of("new", new GroupLimits(7, null, null), "acme:42", GroupLimits.NONE)));
		assertThat(this.admin.groups("sync")).as("all or none").doesNotContainKey("new");
	}

	@Test
	void whatNoGroupCanHaveIsRefused() {
		this.store.queues().register(new QueueDeclaration("sync", 3, ":"));
		this.store.queues().register("spread", 3);
		GroupAdmin group = this.admin.group("sync", "acme");
		for (ThrowingCallable call : List.<ThrowingCallable>of(() -> this.admin.group("sync", ""),
				() -> this.admin.group("sync", "acme:42"), () -> group.concurrency(0),
				() -> group.rate(1, Duration.ofMinutes(2)), () -> group.rate(5_000, Duration.ofHours(25)),
				() -> group.rate(1, Duration.ofNanos(1_500_000)), () -> group.rate(0, Duration.ofSeconds(1)),
				() -> group.weight(1_001))) {
			assertThatIllegalArgumentException().isThrownBy(call);
		}
		GroupAdmin spread = this.admin.group("spread", "acme");
		for (ThrowingCallable call : List.<ThrowingCallable>of(() -> spread.concurrency(1),
				() -> spread.rate(1, Duration.ofSeconds(1)))) {
			assertThatExceptionOfType(InvalidQueueException.class).isThrownBy(call)
				.withMessageContaining("one-shard-per-group=true");
		}
		spread.weight(2);
		spread.pause();
		assertThat(this.admin.groups("sync")).isEmpty();
		assertThat(this.admin.groups("spread")).hasSize(1);
		TestQueue without = new TestQueue(this.store, "orders", 1).node("node-a");
		assertThat(without.layout().name()).isEqualTo("orders");
		report(without, "");
		assertThatExceptionOfType(InvalidQueueException.class).isThrownBy(() -> this.admin.group("orders", "acme"))
			.withMessage(
					"Queue 'orders' has no groups; set groups of its worker to the separator between the group and the rest of an id, such as ':'");
		report(without, ":");
		this.admin.group("orders", "acme").pause();
	}

	private void report(TestQueue queue, String separator) {
		this.store.nodes()
			.report(queue.session(),
					"{\"queues\":{\"orders\":{\"groups\":{\"separator\":\"%s\"}}}}".formatted(separator));
	}

	/** The states of a job, each with what is found of it. */
	enum State {

		READY("due"), DELAYED("later"), RETRYING("later retry"), HELD("held retry"), SUSPECT("later retry suspect"),
		BUSY("busy"), BEHIND("due + busy"), DEAD("dead"), PAUSED("later"), UNSERVED("due");

		private final String found;

		State(String found) {
			this.found = found;
		}

	}

	private TestQueue queue(State state) {
		TestQueue queue = new TestQueue(this.store, QUEUE, 3);
		switch (state) {
			case READY, UNSERVED -> queue.enqueue(ID);
			case DELAYED, PAUSED -> queue.enqueue((id) -> payload(id).withDelay(Duration.ofMinutes(5)), ID);
			case RETRYING -> queue.fail(ID);
			case HELD -> queue.hold(ID);
			case SUSPECT -> queue.exhaustMemory(ID);
			case BUSY -> queue.busy(ID);
			case BEHIND -> queue.busy(ID).enqueue(ID);
			case DEAD -> queue.bury(ID);
		}
		if (state != State.UNSERVED) {
			queue.node("node-a", (state == State.BUSY || state == State.BEHIND) ? new String[] { ID } : new String[0]);
		}
		if (state == State.PAUSED) {
			this.admin.pause(QUEUE);
		}
		this.events.clear();
		return queue;
	}

	/** What is found of the id, as the states have it. */
	private String found() {
		return found(this.admin.find(QUEUE, ID));
	}

	private static String found(JobReport report) {
		return report.jobs().stream().map((job) -> switch (job.state()) {
			case BUSY ->
				(job.payloadCount() == 0) ? "erased" : (job.performAt() == FetchResult.NOTHING) ? "marked" : "busy";
			case DEAD -> "dead";
			case QUEUED ->
				((job.performAt() == FetchResult.NOTHING) ? "held" : (job.performAt() > report.now()) ? "later" : "due")
						+ ((job.retryCount() >= 0) ? " retry" : "")
						+ ((job.crashes() >= ShardStore.SUSPECT_AFTER) ? " suspect" : "");
		}).collect(Collectors.joining(" + "));
	}

	static Stream<Arguments> namedActions() {
		Map<AdminAction, Map<State, String>> changes = new EnumMap<>(AdminAction.class);
		changes.put(AdminAction.PERFORM_NOW, Map.of(State.DELAYED, "due", State.RETRYING, "due retry", State.SUSPECT,
				"due retry suspect", State.PAUSED, "due"));
		changes.put(AdminAction.HOLD,
				Map.of(State.READY, "held", State.DELAYED, "held", State.RETRYING, "held retry", State.SUSPECT,
						"held retry", State.BUSY, "marked", State.BEHIND, "held + marked", State.PAUSED, "held",
						State.UNSERVED, "held"));
		changes.put(AdminAction.RELEASE, Map.of(State.HELD, "due"));
		changes.put(AdminAction.DELETE, Map.of(State.READY, "", State.DELAYED, "", State.RETRYING, "", State.HELD, "",
				State.SUSPECT, "", State.BEHIND, "busy", State.PAUSED, "", State.UNSERVED, ""));
		changes.put(AdminAction.KILL,
				Map.of(State.READY, "dead", State.DELAYED, "dead", State.RETRYING, "dead", State.HELD, "dead",
						State.SUSPECT, "dead", State.BEHIND, "busy + dead", State.PAUSED, "dead", State.UNSERVED,
						"dead"));
		changes.put(AdminAction.RE_ENQUEUE, Map.of(State.DEAD, "due"));
		changes.put(AdminAction.DELETE_DEAD, Map.of(State.DEAD, ""));
		changes.put(AdminAction.ERASE,
				Map.of(State.READY, "", State.DELAYED, "", State.RETRYING, "", State.HELD, "", State.SUSPECT, "",
						State.BUSY, "erased", State.BEHIND, "erased", State.DEAD, "", State.PAUSED, "", State.UNSERVED,
						""));
		assertThat(changes.keySet())
			.containsExactlyElementsOf(Arrays.stream(AdminAction.values()).filter(AdminAction::isNamed).toList());
		return changes.entrySet()
			.stream()
			.flatMap((entry) -> Arrays.stream(State.values())
				.map((state) -> Arguments.of(entry.getKey(), state, entry.getValue().get(state))));
	}

	@ParameterizedTest
	@MethodSource("namedActions")
	void actsOnEveryState(AdminAction action, State state, @Nullable String after) {
		queue(state);
		assertThat(found()).isEqualTo(state.found);
		assertThat(this.admin.as("anna").act(QUEUE, action, ID)).isEqualTo(after != null);
		assertThat(found()).isEqualTo((after != null) ? after : state.found);
		assertThat(this.admin.find(QUEUE, ID).paused()).isEqualTo(state == State.PAUSED);
		assertThat(this.admin.act(QUEUE, action, "unknown")).isFalse();
		assertThat(this.events)
			.extracting(AdminEvent::user, AdminEvent::action, AdminEvent::ids, AdminEvent::changed, AdminEvent::result)
			.containsExactly(tuple("anna", action.label(), List.of(ID), (after != null) ? 1L : 0L, Result.DONE),
					tuple(AdminEvent.APPLICATION, action.label(), List.of("unknown"), 0L, Result.DONE));
	}

	@Test
	void aJobIsExplainedReadAndEdited() {
		queue(State.HELD);
		JobReport report = this.admin.find(QUEUE, ID);
		assertThat(report.status().reason()).isEqualTo(Reason.HELD);
		assertThat(this.admin.status(QUEUE, ID)).isEqualTo(report.status().sentence());
		assertThat(this.admin.status(QUEUE, "unknown")).startsWith("No job with this id");
		JobView held = report.jobs().get(0);
		assertThat(this.admin.payloads(held, Map.class)).singleElement()
			.satisfies((payload) -> assertThat(payload.get("order")).isEqualTo(ID));
		assertThat(held.error()).isEqualTo(TestQueue.ERROR);
		assertThat(this.admin.find(QUEUE, ID, 0).jobs()).allSatisfy((job) -> assertThat(job.payloads()).isEmpty());
		byte[] other = "{}".getBytes(StandardCharsets.UTF_8);
		assertThat(this.admin.editHeld(QUEUE, ID, TestQueue.payload(ID), other)).isEqualTo(EditResult.EDITED);
		assertThat(this.admin.editDead(QUEUE, ID, other, other)).isEqualTo(EditResult.QUEUED);
		this.admin.kill(QUEUE, ID);
		assertThat(this.admin.editHeld(QUEUE, ID, other, other)).isEqualTo(EditResult.DEAD);
		assertThat(this.admin.editDead(QUEUE, ID, other, TestQueue.payload(ID))).isEqualTo(EditResult.EDITED);
		assertChanges(tuple("edit-held", 1L), tuple("edit-dead", 0L), tuple("kill", 1L), tuple("edit-held", 0L),
				tuple("edit-dead", 1L));
		assertThat(this.events.get(3).message()).isEqualTo("Nothing was edited. It is dead.");
	}

	/** Completes a job of a queue that others follow. */
	private Lease follow(String source, FollowUp... next) {
		Shard shard = this.store.queues().register(source, 1).shard(0);
		this.store.shards().enqueue(shard, List.of(NewPayload.of("s", new byte[] { '1' })));
		Lease lease = ((Acquisition.Acquired) this.store.shards()
			.acquire(shard, LeaseRequest.forFreeShard("gone"))
			.join()).lease();
		this.store.shards().completeAndFetch(lease, 1, 0, List.of(), new Fetch(1, 10, false)).join();
		List<Outcome> outcomes = new ArrayList<>();
		for (FollowUp followUp : next) {
			outcomes.add(new Outcome.FollowUp("s", outcomes.size() + 1L, followUp));
		}
		outcomes.add(new Outcome.Done("s"));
		this.store.shards().completeAndFetch(lease, 2, 1, outcomes, Fetch.NONE).join();
		return lease;
	}

	private static NewPayload payload(String id) {
		return NewPayload.of(id, TestQueue.payload(id));
	}

	private static FollowUp next(String queue, String id) {
		return new FollowUp(queue, payload(id));
	}

	/** The ids of what waits for a queue. */
	private List<String> followUps(String queue, int most) {
		return this.admin.followUps(queue, most).stream().map((each) -> each.followUp().payload().id()).toList();
	}

	@Test
	void whatWaitsForAQueueThatIsGoneCanBeSeenErasedRedirectedAndDropped() {
		follow("sources", next("po", "1"), next("po", "2"), next("po", "3"), next("po", "4"), next(QUEUE, ID));
		this.store.queues().register(QUEUE, 2);
		assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> this.admin.status("po", "1"))
			.withMessageContaining("but 4 payloads that follow other jobs wait for it");
		assertThat(this.admin.find(QUEUE, ID).status().reason()).isEqualTo(JobStatus.Reason.FOLLOW_UP);
		assertThat(this.admin.status(QUEUE, ID)).contains("waits in shard sources:1:0");
		assertThat(this.admin.status(QUEUE, "other")).contains("No job with this id");
		assertThat(this.admin.followUpQueues())
			.isEqualTo(new FollowUpQueues(List.of(new FollowUpQueue("po", false, 4, List.of("sources")),
					new FollowUpQueue(QUEUE, true, 1, List.of("sources"))), true));
		assertThat(followUps("po", 3)).containsExactly("1", "2", "3");
		assertThat(this.admin.erase("po", "1").waiting()).isTrue();
		assertThat(this.admin.followUps("po", 10)).hasSize(3);
		assertThat(this.admin.redirectFollowUps("po", QUEUE)).isEqualTo(3);
		assertThat(this.admin.followUps("po", 10)).isEmpty();
		assertThat(List.of("2", "3", "4")).allSatisfy((id) -> assertThat(this.admin.find(QUEUE, id).jobs()).hasSize(1));
		assertThat(followUps(QUEUE, 10)).containsExactly(ID);
		assertThat(this.admin.dropFollowUps(QUEUE)).isEqualTo(1);
		assertThat(this.admin.followUps(QUEUE, 10)).isEmpty();
		assertChanges(tuple("erase", 1L), tuple("redirect-follow-ups", 3L), tuple("drop-follow-ups", 1L));
	}

	@Test
	void whatIsRedirectedComesOnceAlthoughLaterOnesOfItsShardHaveCome() {
		QueueLayout target = this.store.queues().register(QUEUE, 1);
		List<FollowUp> next = new ArrayList<>();
		for (int i = 0; i < 250; i++) {
			next.add(new FollowUp((i % 2 == 0) ? "po" : "other", NewPayload.of(ID, TestQueue.payload("p" + i))));
		}
		next.add(next(QUEUE, "later"));
		Lease lease = follow("sources", next.toArray(FollowUp[]::new));
		FollowUpMover mover = new FollowUpMover(this.store.shards(), this.store.queues(), LowkiqObserver.NONE);
		assertThat(ShardFollowUps.moveAll(mover, lease)).isInstanceOf(UnknownQueueException.class);
		assertThat(this.admin.find(QUEUE, "later").jobs()).hasSize(1);
		assertThat(this.admin.redirectFollowUps("po", QUEUE)).isEqualTo(125);
		assertThat(this.admin.redirectFollowUps("other", QUEUE)).isEqualTo(125);
		assertThat(ShardFollowUps.moveAll(mover, lease)).isNull();
		assertThat(this.admin.followUps("po", 10)).isEmpty();
		assertThat(this.store.inspection().counts(target.shard(0)).queued()).isEqualTo(2);
		assertThat(this.admin.find(QUEUE, ID).jobs().get(0).payloadCount()).isEqualTo(250);
	}

	@Test
	void whatAFailoverHasForgottenIsRedirectedOnceMore() {
		Shard target = this.store.queues().register(QUEUE, 1).shard(0);
		Lease lease = follow("sources", next("po", "1"), next("po", "2"));
		AtomicInteger drops = new AtomicInteger();
		LowkiqAdmin admin = admin(whenCalled("", (method) -> {
			if (method.equals("dropEnqueued") && drops.incrementAndGet() == 1) {
				this.store.actions().delete(target, List.of("1", "2"));
				this.store.shards()
					.forgetOrigin(target, new Origin(new Shard("sources>po", 1, 0), lease.epoch(), 2), false)
					.join();
			}
		}));
		assertThat(admin.redirectFollowUps("po", QUEUE)).isEqualTo(2);
		assertThat(this.admin.followUps("po", 10)).isEmpty();
		assertThat(this.store.inspection().counts(target).queued()).isEqualTo(2);
	}

	@Test
	void aQueueCanNotBeRedirectedToItself() {
		this.store.queues().register(QUEUE, 1);
		assertThatIllegalArgumentException().isThrownBy(() -> this.admin.redirectFollowUps(QUEUE, QUEUE));
		assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> this.admin.redirectFollowUps(QUEUE, "unknown"));
	}

	@Test
	void anErasureTakesTheRowsOfTheOutboxAndSaysHowMany() {
		queue(State.READY);
		putAside(1, QUEUE, ID);
		putAside(2, QUEUE, ID);
		putAside(3, QUEUE, "other");
		assertThat(this.admin.erase(QUEUE, ID)).isEqualTo(new Erasure(true, false, false, false, 2));
		assertThat(this.events.get(0).message()).endsWith("Rows erased in the outbox: 2.");
		putAside(4, QUEUE, ID);
		putAside(5, "unknown", ID);
		assertThat(this.admin.erase(ID)).containsExactly(entry(QUEUE, new Erasure(false, false, false, false, 1)),
				entry("unknown", new Erasure(false, false, false, false, 1)));
		putAside(6, QUEUE, ID);
		assertThat(this.admin.act(QUEUE, AdminAction.ERASE, List.of(ID), ActionProgress.NONE).changed()).isOne();
		assertThat(this.admin.outbox(10).jobsAside()).extracting(UnsentJob::sequence).containsExactly(3L);
		putAside(7, "unknown", ID);
		putAside(8, QUEUE, ID);
		assertThat(this.admin.erasePrefix(ID, ActionProgress.NONE)).isEqualTo(Map.of(QUEUE, 1L, "unknown", 1L));
		assertThat(this.events.get(this.events.size() - 1).message()).endsWith("Rows erased in the outbox: 1.");
		assertThat(this.admin.outbox(10).jobsAside()).extracting(UnsentJob::sequence).containsExactly(3L);
	}

	private void putAside(long sequence, String queue, String id) {
		this.outbox.putAside(new UnsentJob(sequence, queue, id, "too long", Instant.EPOCH));
	}

	@Test
	void anErasureWithoutAnOutboxSaysThatRowsMayBeLeft() {
		queue(State.READY);
		LowkiqAdmin without = TestAdmin.of(this.store, this.events::add, Outbox.NONE);
		assertThat(without.erase(QUEUE, ID)).isEqualTo(new Erasure(true, false, false, false, -1));
		without.act(QUEUE, AdminAction.ERASE, List.of(ID), ActionProgress.NONE);
		assertThat(this.events).hasSize(2)
			.allSatisfy((event) -> assertThat(event.message()).endsWith("rows in the tables of others may be left."));
	}

	@Test
	void theOutboxDropsWhatItKeepsOfDeletedJobs() {
		new TestQueue(this.store, QUEUE, 2).enqueue("1", "2", "3").bury("4");
		this.admin.delete(QUEUE, "1");
		this.admin.kill(QUEUE, "2");
		this.admin.hold(QUEUE, "3");
		this.admin.deleteDead(QUEUE, "4");
		assertThat(this.outbox.dropped()).containsExactly("1", "2", "4");
		this.admin.act(QUEUE, AdminAction.DELETE, JobSelection.of(JobList.HELD), ActionProgress.NONE);
		assertThat(this.outbox.dropped()).endsWith("4", "3");
	}

	@Test
	void anIdIsErasedInAllQueuesAndTheResultSaysWhatWasWhere() {
		queue(State.BEHIND);
		new TestQueue(this.store, "mails", 2).bury(ID);
		new TestQueue(this.store, "others", 2).enqueue("43");
		new TestQueue(this.store, "mails.schedules", 1).enqueue(ID);
		follow("sources", next("po", ID), next("mails", ID), next("po", "43"));
		this.events.clear();
		assertThat(this.admin.as("anna").erase(ID)).containsExactly(
				entry("mails", new Erasure(false, false, true, true, 0)), entry(QUEUE, new Erasure(true, true, false)),
				entry("po", new Erasure(false, false, false, true, 0)));
		assertThat(found()).isEqualTo("erased");
		assertThat(this.admin.find("mails", ID).jobs()).isEmpty();
		assertThat(this.admin.followUps("mails", 10)).isEmpty();
		assertThat(this.admin.followUps("po", 10)).hasSize(1);
		assertThat(this.admin.find("others", "43").jobs()).hasSize(1);
		assertThat(this.admin.find("mails.schedules", ID).jobs()).as("the time of a schedule").hasSize(1);
		assertThat(this.events).extracting(AdminEvent::user, AdminEvent::queue, AdminEvent::ids, AdminEvent::result)
			.containsExactlyInAnyOrder(tuple("anna", QUEUE, List.of(ID), Result.DONE),
					tuple("anna", "mails", List.of(ID), Result.DONE), tuple("anna", "po", List.of(ID), Result.DONE));
		assertThat(this.admin.erase(ID)).containsExactly(entry(QUEUE, new Erasure(false, true, false)));
		assertThat(this.admin.erase("unknown")).isEmpty();
		assertThat(this.events).as("none for what was not found").hasSize(4);
	}

	@Test
	void aCustomerWhoLeavesIsCountedAndErasedInAllQueues() {
		TestQueue sync = new TestQueue(this.store, new QueueDeclaration("sync", 3, ":"));
		sync.bury("acme:3", "globex:1").hold("acme:4").busy("acme:1").enqueue("acme:1", "acme:2", "acme2:1");
		new TestQueue(this.store, "mails", 2).enqueue("acme:1", "1");
		new TestQueue(this.store, "mails.schedules", 1).enqueue("acme:1");
		follow("sources", next("po", "acme:1"), next("po", "1"));
		this.admin.group("sync", "acme").pause();
		this.admin.group("sync", "acme2").pause();
		this.events.clear();
		assertThat(this.admin.findPrefix("acme:", ActionProgress.NONE)).containsExactly(
				entry("mails", new PrefixContents(1, 0, 0, 0, List.of())),
				entry("po", new PrefixContents(0, 0, 0, 1, List.of())),
				entry("sync", new PrefixContents(3, 1, 1, 0, List.of("acme"))));
		assertThat(this.events).as("nothing is done yet").isEmpty();
		assertThat(this.admin.as("anna").erasePrefix("acme:", ActionProgress.NONE))
			.isEqualTo(Map.of("mails", 1L, "po", 1L, "sync", 6L));
		assertThat(this.admin.findPrefix("acme:", ActionProgress.NONE))
			.containsExactly(entry("sync", new PrefixContents(0, 1, 0, 0, List.of())));
		assertThat(found(this.admin.find("sync", "acme:1"))).isEqualTo("erased");
		assertThat(this.admin.groups("sync")).containsOnlyKeys("acme2");
		assertThat(this.admin.find("sync", "acme2:1").jobs()).hasSize(1);
		assertThat(this.admin.find("sync", "globex:1").jobs()).hasSize(1);
		assertThat(this.admin.find("mails", "1").jobs()).hasSize(1);
		assertThat(this.admin.find("mails.schedules", "acme:1").jobs()).as("the time of a schedule").hasSize(1);
		assertThat(this.admin.followUps("po", 10)).hasSize(1);
		assertThat(this.events).extracting(AdminEvent::user, AdminEvent::action, AdminEvent::queue, AdminEvent::changed)
			.containsExactly(tuple("anna", "erase-prefix", "mails", 1L), tuple("anna", "erase-prefix", "po", 1L),
					tuple("anna", "erase-prefix", "sync", 6L));
	}

	@Test
	void anErasureByPrefixThatIsStoppedLeavesTheSettings() {
		new TestQueue(this.store, new QueueDeclaration("sync", 1, ":")).enqueue(TestQueue.ids("acme:", 501));
		new TestQueue(this.store, "zz", 1).enqueue("acme:1");
		this.admin.group("sync", "acme").pause();
		Map<String, Long> erased = this.admin.erasePrefix("acme:", (changed, total) -> changed == 0);
		assertThat(erased).containsOnlyKeys("sync").allSatisfy((queue, jobs) -> assertThat(jobs).isBetween(1L, 500L));
		assertThat(this.admin.findPrefix("acme:", ActionProgress.NONE)).containsExactly(
				entry("sync", new PrefixContents(501 - erased.get("sync"), 0, 0, 0, List.of("acme"))),
				entry("zz", new PrefixContents(1, 0, 0, 0, List.of())));
	}

	@Test
	void anErasureThatFailsInAQueueGoesOnInTheOthers() {
		queue(State.READY);
		List<String> others = List.of("mails", "others");
		others.forEach((other) -> new TestQueue(this.store, other, 2).enqueue(ID));
		AtomicInteger calls = new AtomicInteger();
		LowkiqAdmin partly = admin(whenCalled("erase", (name) -> {
			if (calls.incrementAndGet() == 2) {
				throw new StoreException("no answer", null);
			}
		}));
		StoreException failure = catchThrowableOfType(StoreException.class, () -> partly.erase(ID));
		assertThat(found()).isEmpty();
		others.forEach((other) -> assertThat(this.admin.find(other, ID).jobs()).isEmpty());
		List<String> failed = this.events.stream()
			.filter((event) -> event.result() == Result.FAILED)
			.map(AdminEvent::queue)
			.toList();
		assertThat(failed).hasSize(1);
		assertThat(this.events).hasSize(3);
		assertThat(failure).hasMessageStartingWith("Id '42' is not erased in 1 of 3 queues: '" + failed.get(0) + "'")
			.hasMessageEndingWith("and erased there. Try again");
		assertThat(this.admin.erase(ID)).isEmpty();
	}

	@Test
	void followUpsAreReadableWhenTheyArePrinted() {
		follow("sources", new FollowUp("po", NewPayload.of(ID, "{\"total\":3}".getBytes(StandardCharsets.UTF_8))),
				new FollowUp("po", NewPayload.of("43", new byte[] { (byte) 0xff, 1 })));
		assertThat(this.admin.followUps("po", 10)).extracting(Object::toString)
			.satisfiesExactly((text) -> assertThat(text).contains("queue=po", "id=42", "payload={\"total\":3}"),
					(text) -> assertThat(text).contains("id=43", "payload=2 bytes that are no text"));
	}

	@Test
	void aQueueWithSomethingOnItsWayIsNotEmpty() {
		Lease lease = follow("sources", next("targets", "1"), next("targets", "2"));
		this.store.shards().release(lease, 3, List.of()).join();
		this.store.queues().register("targets", 1);
		assertNotRemovable(() -> this.admin.removeEmptyQueue("sources"),
				"2 payloads that follow its jobs have not reached their queues yet, such as [targets]");
		assertNotRemovable(() -> this.admin.removeEmptyQueue("targets"), "follow jobs of queue 'sources'");
		assertThat(this.admin.removeQueue("sources")).isEqualTo(2);
		this.admin.removeEmptyQueue("targets");
		assertThat(this.store.queues().find("targets")).isEmpty();
	}

	@Test
	void removesAQueueOnlyIfNoNodeServesIt() {
		TestQueue queue = queue(State.READY);
		assertNotRemovable(() -> this.admin.removeEmptyQueue(QUEUE), "node node-a serves it");
		assertNotRemovable(() -> this.admin.removeQueue(QUEUE), "node node-a serves it");
		this.store.nodes().leave(queue.session());
		assertNotRemovable(() -> this.admin.removeEmptyQueue(QUEUE), "there are jobs in it");
		assertThat(this.store.queues().register(QUEUE, 3).generation()).isEqualTo(1);
		assertThat(found()).isEqualTo("due");
		assertThat(this.admin.removeQueue(QUEUE)).isEqualTo(1);
		assertThat(this.store.queues().all()).isEmpty();
	}

	@Test
	void removesAQueueWhoseLastNodeHasDied() {
		new TestQueue(this.store, QUEUE, 3).enqueue(ID);
		this.store.nodes().join("dead", new NodeInfo("node-a", 0, Duration.ofMillis(200), Set.of(QUEUE), false));
		assertNotRemovable(() -> this.admin.removeQueue(QUEUE), "");
		// No heartbeat comes for as long as its lease
		Awaitility.await()
			.ignoreExceptionsMatching(QueueNotRemovableException.class::isInstance)
			.until(() -> this.admin.removeQueue(QUEUE) == 1);
		assertThat(this.store.nodes().endedNodes()).extracting(EndedNode::session).containsExactly("dead");
	}

	@Test
	void actsOnAllJobsOfAKind() {
		TestQueue queue = new TestQueue(this.store, QUEUE, 3);
		queue.fail("f1", "f2", "f3").hold("h1", "h2").bury("d1");
		assertThat(all(AdminAction.PERFORM_ALL_NOW)).isEqualTo(3);
		assertThat(all(AdminAction.KILL_ALL_FAILED)).isEqualTo(3);
		assertThat(all(AdminAction.RE_ENQUEUE_ALL_DEAD)).isEqualTo(4);
		queue.fail("f4");
		assertThat(all(AdminAction.DELETE_ALL_FAILED)).isOne();
		queue.hold("h3");
		assertThat(all(AdminAction.RELEASE_ALL)).isEqualTo(3);
		queue.bury("d2", "d3");
		assertThat(all(AdminAction.DELETE_ALL_DEAD)).isEqualTo(2);
		assertThat(all(AdminAction.PAUSE)).isEqualTo(3);
		assertThat(this.admin.find(QUEUE, ID).paused()).isTrue();
		assertThat(all(AdminAction.RESUME)).isEqualTo(3);
		assertThat(this.admin.find(QUEUE, ID).paused()).isFalse();
		assertThat(this.events).extracting(AdminEvent::message)
			.containsExactly("3 jobs were made due now.", "3 jobs were moved to Dead.", "4 jobs were enqueued again.",
					"1 job was deleted.", "3 jobs were released.", "2 jobs were deleted.", "Queue orders was paused.",
					"Queue orders was resumed.");
	}

	private static void assertNotRemovable(ThrowingCallable removal, String message) {
		assertThatExceptionOfType(QueueNotRemovableException.class).isThrownBy(removal).withMessageContaining(message);
	}

	private long all(AdminAction action) {
		return this.admin.act(QUEUE, action, List.of(), ActionProgress.NONE).changed();
	}

	@Test
	void refusesWhatMakesNoSense() {
		new TestQueue(this.store, QUEUE, 1);
		assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> this.admin.delete("unknown", ID));
		assertThatExceptionOfType(InvalidQueueException.class).isThrownBy(() -> this.admin.delete("no queue", ID));
		assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> this.admin.delete(QUEUE, ""));
		assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> this.admin.find(QUEUE, ID, 1_001));
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> this.admin.act(QUEUE, AdminAction.PAUSE, ID));
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> this.admin.act(QUEUE, AdminAction.DELETE, List.of(), ActionProgress.NONE));
		assertThat(this.events).isEmpty();
	}

	// Selections

	@Test
	void actsOnAllThatASelectionMatches() {
		TestQueue queue = new TestQueue(this.store, QUEUE, 3);
		queue.buryWith("java.lang.IllegalStateException: order 17 is locked", TestQueue.ids("A-", 1_700))
			.buryWith("java.lang.IllegalStateException: order 18 is locked", TestQueue.ids("B-", 50))
			.buryWith("java.lang.NullPointerException", TestQueue.ids("A-x", 30))
			.fail(TestQueue.ids("failed-", 20));
		this.events.clear();
		String locked = ErrorKind.of("java.lang.IllegalStateException: order 99 is locked").key();
		List<Long> totals = new ArrayList<>();
		ActionResult result = this.admin.act(QUEUE, AdminAction.DELETE_DEAD,
				new JobSelection(JobList.DEAD, "A-", null, locked), (changed, total) -> totals.add(total));
		assertThat(result).isEqualTo(new ActionResult(1_700, true));
		assertThat(totals).hasSizeGreaterThan(4)
			.startsWith(1_780L)
			.endsWith(1_700L)
			.allMatch((total) -> total >= 1_700);
		assertThat(counted(queue, ShardCounts::dead)).isEqualTo(80);
		assertThat(counted(queue, ShardCounts::retry)).isEqualTo(20);
		assertThat(this.events).extracting(AdminEvent::action, AdminEvent::ids, AdminEvent::message)
			.containsExactly(tuple("delete-dead", List.of(),
					"1,700 jobs were deleted. Selected: dead, " + "ids that begin with 'A-', error " + locked + "."));
	}

	@ParameterizedTest
	@CsvSource({ "PERFORM_NOW, DELAYED, 60", "HOLD, DELAYED, 260", "HOLD, QUEUED, 460", "KILL, RETRIES, 60",
			"DELETE, READY, 200", "RELEASE, HELD, 40", "RE_ENQUEUE, DEAD, 300", "DELETE_DEAD, DEAD, 300" })
	void actsOnAllJobsOfAList(AdminAction action, JobList list, int expected) {
		TestQueue queue = new TestQueue(this.store, QUEUE, 1);
		queue.bury(TestQueue.ids("dead-", 300)).fail(TestQueue.ids("failed-", 60)).hold(TestQueue.ids("held-", 40));
		if (action != AdminAction.PERFORM_NOW) {
			queue.enqueue((id) -> payload(id).withDelay(Duration.ofMinutes(5)), TestQueue.ids("later-", 200));
		}
		queue.enqueue(TestQueue.ids("due-", 200));
		assertThat(act(action, list)).isEqualTo(new ActionResult(expected, true));
		assertThat(act(action, list).changed()).isZero();
	}

	@Test
	void doesNotChaseWhatComesWhileItActsOnASelection() {
		TestQueue queue = new TestQueue(this.store, QUEUE, 1);
		queue.bury(TestQueue.ids("dead-", 250)).enqueue(TestQueue.ids("due-", 250));
		AtomicInteger more = new AtomicInteger();
		ActionProgress adding = (changed, total) -> {
			queue.enqueue(TestQueue.ids("new-" + more.incrementAndGet() + "-", 200));
			return more.get() < 20;
		};
		ActionResult killed = this.admin.act(QUEUE, AdminAction.HOLD, JobSelection.of(JobList.READY), adding);
		assertThat(killed.complete()).isTrue();
		assertThat(killed.changed()).isLessThan(700);
		ActionProgress burying = (changed, total) -> {
			this.store.actions().bury(queue.layout().shard(0), "late-" + changed, new byte[] { 1 }, 0, "late");
			return true;
		};
		Instant before = Instant.now();
		Awaitility.await().until(() -> Instant.now().toEpochMilli() > before.toEpochMilli());
		assertThat(this.admin.act(QUEUE, AdminAction.DELETE_DEAD, JobSelection.of(JobList.DEAD), burying).changed())
			.isBetween(250L, 251L);
	}

	@Test
	void anActionOnASelectionIsStoppedAfterAStep() {
		TestQueue queue = new TestQueue(this.store, QUEUE, 1);
		queue.bury(TestQueue.ids("dead-", 800));
		ActionResult result = this.admin.act(QUEUE, AdminAction.DELETE_DEAD, JobSelection.of(JobList.DEAD),
				(changed, total) -> changed == 0);
		assertThat(result).isEqualTo(new ActionResult(SelectionRun.STEP, false));
		assertThat(counted(queue, ShardCounts::dead)).isEqualTo(800 - SelectionRun.STEP);
		assertThat(this.events).extracting(AdminEvent::result).containsExactly(Result.STOPPED);
	}

	@ParameterizedTest
	@CsvSource({ "DELETE, DEAD", "DELETE_DEAD, RETRIES", "RE_ENQUEUE, QUEUED", "KILL, BUSY", "ERASE, QUEUED",
			"PAUSE, QUEUED" })
	void refusesAnActionThatIsForOtherJobsThanThoseSelected(AdminAction action, JobList list) {
		new TestQueue(this.store, QUEUE, 1).busy("busy").bury("dead").fail("failed");
		assertThatIllegalArgumentException().isThrownBy(() -> act(action, list)).withMessageContaining(action.label());
		assertThat(this.events).isEmpty();
	}

	private ActionResult act(AdminAction action, JobList list) {
		return this.admin.act(QUEUE, action, JobSelection.of(list), ActionProgress.NONE);
	}

	private long counted(TestQueue queue, ToLongFunction<ShardCounts> count) {
		return this.store.inspection().counts(queue.layout().allShards()).stream().mapToLong(count).sum();
	}

	// Removal

	@Test
	void aRemovedQueueHasLeftNothing() {
		TestQueue queue = new TestQueue(this.store, QUEUE, 3);
		queue.enqueue(TestQueue.ids("q", 2_500)).enqueue(TestQueue.ids("q", 100)).bury("d1", "d2").busy("b1");
		new TestQueue(this.store, "other", 1).node("node-a");
		assertThat(new UnservedQueues(this.store).find()).containsExactly(QUEUE);
		List<Long> progress = new ArrayList<>();
		ActionResult result = this.admin.act(QUEUE, AdminAction.REMOVE_QUEUE, List.of(), (changed, total) -> {
			progress.add(changed);
			assertThat(total).isEqualTo(2_503);
			return true;
		});
		assertThat(result).isEqualTo(new ActionResult(2_503, true));
		assertThat(progress).startsWith(0L).isSorted().endsWith(2_503L).hasSizeGreaterThan(3);
		assertThat(new UnservedQueues(this.store).find()).isEmpty();
		assertThat(this.store.queues().find(QUEUE)).isEmpty();
		queue.layout()
			.allShards()
			.forEach((shard) -> assertThat(this.store.inspection().counts(shard))
				.matches((counts) -> counts.queued() + counts.busy() + counts.dead() == 0));
		assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> this.admin.find(QUEUE, ID));
	}

	@Test
	void aQueueThatIsRecordedAgainGetsTheNextGenerationAndAnyNumberOfShards() {
		new TestQueue(this.store, QUEUE, 3);
		this.admin.removeEmptyQueue(QUEUE);
		assertThat(this.store.queues().register(QUEUE, 7)).isEqualTo(new QueueLayout(QUEUE, 2, 7));
		this.admin.removeEmptyQueue(QUEUE);
		assertThat(this.store.queues().register(QUEUE, 3)).isEqualTo(new QueueLayout(QUEUE, 3, 3));
	}

	@Test
	void aProducerThatKnowsTheRemovedQueueIsRefused() {
		QueueLayout layout = new TestQueue(this.store, QUEUE, 3).layout();
		StoreEnqueuer producer = producer(List.of());
		producer.enqueue(QUEUE, List.of(payload(ID)));
		assertThat(this.admin.removeQueue(QUEUE)).isEqualTo(1);
		assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> producer.enqueue(QUEUE, List.of(payload(ID))));
		assertThatExceptionOfType(QueueClosedException.class)
			.isThrownBy(() -> this.store.shards().enqueue(layout.shardOf(ID), List.of(payload(ID))));
	}

	@Test
	void aProducerThatDeclaresTheRemovedQueueRecordsItAgain() {
		StoreEnqueuer producer = producer(List.of(new QueueDeclaration(QUEUE, 3)));
		producer.enqueue(QUEUE, List.of(payload("41")));
		this.admin.removeQueue(QUEUE);
		producer.enqueue(QUEUE, List.of(payload(ID)));
		assertThat(this.store.queues().find(QUEUE)).contains(new QueueLayout(QUEUE, 2, 3));
		assertThat(found()).isEqualTo("due");
		assertThat(this.admin.find(QUEUE, "41").jobs()).isEmpty();
	}

	private StoreEnqueuer producer(List<QueueDeclaration> declarations) {
		return new StoreEnqueuer(new WorkerRegistry(List.of()), declarations, this.store.shards(), this.store.queues(),
				new LowkiqObserver() {
				});
	}

	@Test
	void aNodeThatJoinsDuringTheRemovalWins() {
		TestQueue queue = new TestQueue(this.store, QUEUE, 3);
		queue.enqueue(ID);
		RedisStore joining = whenCalled("beginRemoval", (calls) -> this.store.nodes()
			.join("late", new NodeInfo("node-late", 0, Duration.ofHours(1), Set.of(QUEUE), false)));
		assertNotRemovable(() -> admin(joining).removeQueue(QUEUE), "node-late");
		assertThat(this.store.queues().register(QUEUE, 3)).isEqualTo(queue.layout());
		queue.enqueue("43");
		assertThat(found()).isEqualTo("due");
		assertThat(this.events.get(0).result()).isEqualTo(Result.FAILED);
	}

	@Test
	void noNodeBeginsToServeAQueueThatIsBeingRemoved() {
		new TestQueue(this.store, QUEUE, 3).enqueue(ID);
		RedisStore watched = whenCalled("empty",
				(calls) -> assertThatExceptionOfType(StoreException.class)
					.isThrownBy(() -> this.store.queues().register(QUEUE, 3))
					.withMessageContaining("is being removed"));
		assertThat(admin(watched).removeQueue(QUEUE)).isEqualTo(1);
	}

	@Test
	void aRemovalCanBeRepeatedAfterACrashAtAnyPoint() {
		for (int crash = 2;; crash++) {
			TestQueue queue = new TestQueue(this.store, QUEUE, 3);
			queue.enqueue(TestQueue.ids("q", 20)).bury("d1");
			int point = crash;
			AtomicInteger calls = new AtomicInteger();
			RedisStore crashing = whenCalled("", (method) -> {
				if (calls.incrementAndGet() == point) {
					throw new StoreException("the process died here", null);
				}
			});
			try {
				admin(crashing).removeQueue(QUEUE);
				assertThat(crash).isGreaterThan(8);
				return;
			}
			catch (StoreException ex) {
				// What it has left is the next one's
			}
			assertThat(this.events.get(this.events.size() - 1).result()).isEqualTo(Result.FAILED);
			this.admin.removeQueue(QUEUE);
			assertThat(this.store.queues().all()).isEmpty();
		}
	}

	@Test
	void aRemovalThatWasStoppedGoesOnWhenItIsRepeated() {
		TestQueue queue = new TestQueue(this.store, QUEUE, 1);
		queue.enqueue(TestQueue.ids("q", 2_500));
		ActionResult stopped = this.admin.act(QUEUE, AdminAction.REMOVE_QUEUE, List.of(),
				(changed, total) -> changed == 0);
		assertThat(stopped).isEqualTo(new ActionResult(1_000, false));
		assertThat(this.events.get(0).result()).isEqualTo(Result.STOPPED);
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.store.queues().register(QUEUE, 1));
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(() -> queue.enqueue(ID));
		assertThat(this.admin.removeQueue(QUEUE)).isEqualTo(1_500);
		assertThat(this.store.queues().all()).isEmpty();
	}

	@Test
	void aRemovalThatAnotherCallerCancelsDeletesNothingMore() {
		TestQueue queue = new TestQueue(this.store, QUEUE, 3);
		queue.enqueue(TestQueue.ids("q", 20));
		RedisStore canceled = whenCalled("empty",
				(call) -> assertThat(this.store.queues().cancelRemoval(queue.layout())).isTrue());
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> admin(canceled).removeQueue(QUEUE));
		assertThat(this.store.inspection().counts(queue.layout().allShards()))
			.extracting((counts) -> counts.queued() > 0)
			.containsExactly(false, true, true);
	}

	@Test
	void aQueueWhoseRemovalWasGivenUpCanBeUsedAgain() {
		TestQueue queue = new TestQueue(this.store, QUEUE, 3);
		queue.enqueue(TestQueue.ids("q", 20));
		this.admin.act(QUEUE, AdminAction.REMOVE_QUEUE, List.of(), (changed, total) -> false);
		assertNotRemovable(() -> this.admin.removeEmptyQueue(QUEUE), "");
		assertThat(this.store.queues().register(QUEUE, 3)).isEqualTo(queue.layout());
		queue.enqueue(ID).node("node-a");
		assertThat(this.admin.find(QUEUE, "q1").jobs()).hasSize(1);
	}

	@Test
	void besideANodeThatDoesNotSayWhatItServesNoQueueIsRemoved() {
		new TestQueue(this.store, QUEUE, 3);
		this.store.nodes().join("fixed", new NodeInfo("node-fixed", 0, Duration.ofHours(1), Set.of(), false));
		assertNotRemovable(() -> this.admin.removeQueue(QUEUE), "node-fixed does not say");
		this.store.nodes().leave("fixed");
		this.admin.removeQueue(QUEUE);
	}

	/**
	 * The storage, of which a changing call of operators is seen after, or before, it is
	 * made.
	 */
	private RedisStore whenCalled(String name, Consumer<String> listener) {
		ShardActions actions = proxy(ShardActions.class, this.store.actions(), name, listener);
		QueueRegistry queues = proxy(QueueRegistry.class, this.store.queues(), name, listener);
		return Intercepted.of(RedisStore.class, this.store, (method, call) -> switch (method) {
			case "actions" -> actions;
			case "queues" -> queues;
			default -> call.make();
		});
	}

	private static <T> T proxy(Class<T> type, T target, String name, Consumer<String> listener) {
		return Intercepted.of(type, target, (method, call) -> {
			if (name.isEmpty()) {
				listener.accept(method);
			}
			Object answer = call.make();
			if (method.equals(name)) {
				listener.accept(name);
			}
			return answer;
		});
	}

}
