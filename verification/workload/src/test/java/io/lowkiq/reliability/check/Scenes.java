package io.lowkiq.reliability.check;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.Event.Answer;
import io.lowkiq.reliability.history.Event.Scored;
import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.reliability.history.History;
import io.lowkiq.store.job.Shard;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Hand-made histories of one job, {@code orders/42}. Times are milliseconds; a lease
 * lasts 1,000, a retry waits 200, and after three retries a payload dies. Not
 * thread-safe.
 */
final class Scenes {

	private static final Shard SHARD = new Shard("orders", 1, 0);

	private final Map<String, List<Event>> byProcess = new LinkedHashMap<>();

	private final Map<Long, String> owners = new HashMap<>();

	/** The runs that have begun and not ended; the last one comes first. */
	private final Deque<Run> running = new ArrayDeque<>();

	private RegisteredWorker.Settings queue = RegisteredWorker.Settings.DEFAULTS;

	/** The epoch of the last lease. */
	private long epoch;

	private long number;

	private record Run(String node, long number) {
	}

	private static long nanos(long millis) {
		return Duration.ofMillis(millis).toNanos();
	}

	private Scenes add(String process, Event event) {
		this.byProcess.computeIfAbsent(process, (name) -> new ArrayList<>()).add(event);
		return this;
	}

	/** The queue has these policies. */
	Scenes with(RegisteredWorker.Settings settings) {
		this.queue = settings;
		return this;
	}

	/** Enqueued with the default score, acknowledged 1 ms later. */
	Scenes enqueue(long time, long payload) {
		return call(time, payload, true).acknowledge(time + 1, payload);
	}

	Scenes enqueueScored(long time, long payload) {
		return call(time, payload, false).acknowledge(time + 1, payload);
	}

	Scenes call(long time, long payload, boolean defaultScore) {
		return add("producer", new Event.EnqueueCalled(nanos(time), "orders", "42", payload, defaultScore, 0));
	}

	/** Enqueued to be performed after a delay, acknowledged 1 ms later. */
	Scenes enqueueDelayed(long time, long payload, long delay) {
		return add("producer", new Event.EnqueueCalled(nanos(time), "orders", "42", payload, true, delay))
			.acknowledge(time + 1, payload);
	}

	Scenes acknowledge(long time, long payload) {
		return add("producer", new Event.EnqueueReturned(nanos(time), payload));
	}

	/** The node holds its session from now on for 1,000. */
	Scenes held(long time, String node) {
		return add(node, new Event.SessionHeld(nanos(time), node, nanos(1_000)));
	}

	Scenes lease(long time, String node, long epoch) {
		return lease(time, node, node, epoch);
	}

	/** The node begins another session, and gets the shard under it. */
	Scenes rejoin(long time, String node, String session, long epoch) {
		add(node, new Event.SessionHeld(nanos(time), session, nanos(1_000)));
		return lease(time, node, session, epoch);
	}

	private Scenes lease(long time, String node, String session, long epoch) {
		this.owners.put(epoch, node);
		this.epoch = epoch;
		return add(node, new Event.LeaseAcquired(nanos(time), SHARD, session, epoch, 0));
	}

	/** Node b takes the shard over under epoch 2. */
	Scenes takenByB(long time) {
		return held(time - 10, "b").lease(time, "b", 2);
	}

	/** The last owner begins to perform payloads for the first time. */
	Scenes begin(long time, long... payloads) {
		return begin(this.owners.get(this.epoch), time, this.epoch, -1, payloads);
	}

	/** A node begins to perform payloads whose scores are their numbers. */
	Scenes begin(String node, long time, long epoch, int retryCount, long... payloads) {
		return begin(node, time, epoch, retryCount,
				Arrays.stream(payloads).mapToObj((payload) -> new Scored(payload, payload)).toList());
	}

	private Scenes begin(String node, long time, long epoch, int retryCount, List<Scored> payloads) {
		this.running.push(new Run(node, ++this.number));
		return add(node, new Event.PerformStarted(nanos(time), this.number, SHARD, "42", epoch, retryCount, payloads));
	}

	/**
	 * A run that begins, ends after 10 ms and is completed; its payloads have one score.
	 */
	Scenes performScored(long time, long epoch, int retryCount, boolean success, double score, long... payloads) {
		List<Scored> scored = Arrays.stream(payloads).mapToObj((payload) -> new Scored(payload, score)).toList();
		return begin(this.owners.get(epoch), time, epoch, retryCount, scored).end(time + 10, success)
			.complete(time + 11, epoch, Answer.APPLIED);
	}

	/** The run that began last ends. */
	Scenes end(long time, boolean success) {
		Run run = this.running.pop();
		return add(run.node(), new Event.PerformEnded(nanos(time), run.number(), success, false));
	}

	/** The worker of the run that began last enqueues a payload on success of it. */
	Scenes onSuccess(long time, long payload) {
		Run run = this.running.element();
		return add(run.node(), new Event.OnSuccessCalled(nanos(time), run.number(), payload, "orders", "42"));
	}

	/** The run that began last ends; with its outcome payloads are to be enqueued. */
	Scenes end(long time, boolean success, List<Long> handled, List<Long> followUps) {
		Run run = this.running.pop();
		return add(run.node(),
				new Event.PerformEnded(nanos(time), run.number(), success, false, handled, List.of(), followUps));
	}

	/**
	 * A perform during which the worker enqueues payload 7 on success, and that ends
	 * after 10 ms as it says. Its outcome is not sent yet.
	 */
	Scenes followed(long time, long epoch, boolean success, long... payloads) {
		return begin(this.owners.get(epoch), time, epoch, -1, payloads).onSuccess(time + 1, 7)
			.end(time + 10, success, List.of(), success ? List.of(7L) : List.of());
	}

	/** The owner enqueues what follows a job; acknowledged 1 ms later. */
	Scenes move(long time, long epoch, long payload) {
		String node = this.owners.get(epoch);
		return add(node, new Event.EnqueueCalled(nanos(time), "orders", "42", payload, true, 0)).add(node,
				new Event.EnqueueReturned(nanos(time + 1), payload));
	}

	/** The producer names what follows a payload. */
	Scenes step(long time, long before, long payload) {
		return add("producer", new Event.StepNamed(nanos(time), before, payload, "orders", "42"));
	}

	/** A perform payload by payload that ends after 10 ms and is completed. */
	Scenes performPart(long time, long epoch, int retryCount, List<Long> handled, List<Long> buried, long... payloads) {
		Run run = begin(this.owners.get(epoch), time, epoch, retryCount, payloads).running.pop();
		boolean success = handled.size() + buried.size() == payloads.length;
		return add(run.node(), new Event.PerformEnded(nanos(time + 10), run.number(), success, false, handled, buried))
			.complete(time + 11, epoch, Answer.APPLIED);
	}

	/** Sends the outcome of the last perform; answered 1 ms later. */
	Scenes complete(long time, long epoch, Answer answer) {
		return call(time, time + 1, epoch, false, answer, List.of("42"));
	}

	/** Sends the outcome of the last perform; given up after a while. */
	Scenes completeInVain(long from, long to, long epoch) {
		return call(from, to, epoch, false, Answer.NONE, List.of("42"));
	}

	/** Makes a call that completes nothing; given up after a while. */
	Scenes fetchInVain(long from, long to, long epoch) {
		return call(from, to, epoch, false, Answer.NONE, List.of());
	}

	/** Fetches the job; answered 1 ms later. */
	Scenes fetch(long time, long epoch) {
		String node = this.owners.get(epoch);
		long call = ++this.number;
		add(node, new Event.OwnerCalled(nanos(time), call, SHARD, epoch, false, List.of()));
		return add(node, new Event.OwnerAnswered(nanos(time + 1), call, Answer.APPLIED, List.of("42")));
	}

	Scenes release(long time, long epoch) {
		return call(time, time + 1, epoch, true, Answer.APPLIED, List.of());
	}

	/** Gives the shard back, with the outcome of the last perform. */
	Scenes completeAndRelease(long time, long epoch) {
		return call(time, time + 1, epoch, true, Answer.APPLIED, List.of("42"));
	}

	private Scenes call(long from, long to, long epoch, boolean release, Answer answer, List<String> completed) {
		String node = this.owners.get(epoch);
		long call = ++this.number;
		add(node, new Event.OwnerCalled(nanos(from), call, SHARD, epoch, release, completed));
		return add(node, new Event.OwnerAnswered(nanos(to), call, answer, List.of()));
	}

	/** An operator acts; done 1 ms later. */
	Scenes act(long time, Action action, String id) {
		long act = ++this.number;
		add("operator", new Event.ActionCalled(nanos(time), act, action, "orders", id));
		return add("operator", new Event.ActionReturned(nanos(time + 1), act));
	}

	/** A perform that begins, ends after 10 ms and is completed. */
	Scenes perform(long time, long epoch, int retryCount, boolean success, long... payloads) {
		return begin(this.owners.get(epoch), time, epoch, retryCount, payloads).end(time + 10, success)
			.complete(time + 11, epoch, Answer.APPLIED);
	}

	/** The last owner performs payloads for the first time, as {@link #perform}. */
	Scenes done(long time, long... payloads) {
		return perform(time, this.epoch, -1, true, payloads);
	}

	/** The last owner fails for the first time, as {@link #perform}. */
	Scenes failed(long time, long... payloads) {
		return perform(time, this.epoch, -1, false, payloads);
	}

	Scenes fault(long from, long to, FaultKind kind, String process) {
		long fault = ++this.number;
		add("driver", new Event.FaultBegun(nanos(from), fault, kind, process));
		return add("driver", new Event.FaultOver(nanos(to), fault));
	}

	/** Killed by SIGKILL. */
	Scenes kill(long time, String node) {
		return fault(time, time, FaultKind.KILL, node).gone(time, node);
	}

	Scenes health(long time, String node, boolean up) {
		return add(node, new Event.HealthSeen(nanos(time), up));
	}

	Scenes gone(long time, String node) {
		return add("driver", new Event.ProcessGone(nanos(time), node));
	}

	Scenes dead(long payload) {
		return add("driver", new Event.FoundDead(nanos(1_000_000), "orders", "42", payload));
	}

	Scenes left() {
		return add("driver", new Event.FoundLeft(nanos(1_000_000), "orders", "42"));
	}

	Verdict verdict() {
		return Verdict.of(new History(this.byProcess), settings(true));
	}

	/** A recovery has come to its end 500 after a lease. */
	private Settings settings(boolean idle) {
		return new Settings(Duration.ofMillis(200), 3, Duration.ofMillis(1_000), Duration.ofMillis(500), idle,
				Duration.ZERO, Map.of("orders", this.queue));
	}

	List<Rule> broken() {
		return verdict().violations().stream().map(Violation::rule).distinct().toList();
	}

	Scenes isClean() {
		return breaks();
	}

	Scenes breaks(Rule... rules) {
		assertThat(broken()).containsExactly(rules);
		return this;
	}

	void breaksAtLeast(Rule rule) {
		assertThat(broken()).contains(rule);
	}

	void isCleanOnABusyMachine() {
		breaksOnABusyMachine();
	}

	void breaksOnABusyMachine(Rule... rules) {
		assertThat(Verdict.of(new History(this.byProcess), settings(false)).violations()).extracting(Violation::rule)
			.containsExactly(rules);
	}

}
