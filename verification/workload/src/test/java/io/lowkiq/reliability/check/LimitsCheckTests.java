package io.lowkiq.reliability.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.Event.Scored;
import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.reliability.history.History;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the check of limits with hand-made histories of two shards. Times are
 * milliseconds; a lease lasts 1,000.
 */
class LimitsCheckTests {

	private static final RateLimit TEN_IN_A_SECOND = new RateLimit(10, Duration.ofSeconds(1), 2);

	private final Map<String, List<Event>> byProcess = new LinkedHashMap<>();

	private long number;

	@BeforeEach
	void bothShardsAreHeld() {
		for (int shard = 0; shard < 2; shard++) {
			add("a", new Event.LeaseAcquired(0, new Shard("orders", 1, shard), "a", 1, 0));
		}
		add("a", new Event.SessionHeld(0, "a", nanos(1_000)));
	}

	@Test
	void oneRunMoreThanTheLimitOfAQueueIsFound() {
		run("x", 0, 1, 10, 50).run("y", 1, 1, 20, 50);
		assertThat(broken(limits(new Limits(2, null)))).isEmpty();
		run("z", 0, 1, 30, 50);
		assertThat(broken(limits(new Limits(2, null)))).containsOnly(Rule.CONCURRENCY);
	}

	@Test
	void oneRunMoreThanTheShareOfAShardIsFound() {
		run("x", 0, 1, 10, 50).run("y", 0, 1, 20, 50);
		assertThat(broken(limits(new Limits(2, null)))).containsOnly(Rule.CONCURRENCY);
		assertThat(broken(limits(new Limits(4, null)))).isEmpty();
	}

	@Test
	void runThatBeginsWhenAnotherEndsIsNoExcess() {
		run("x", 0, 1, 10, 50).run("y", 0, 1, 50, 60);
		assertThat(broken(limits(new Limits(2, null)))).isEmpty();
	}

	@Test
	void runWithoutALeaseIsNotCounted() {
		run("x", 0, 1, 900, 1_500);
		taken(1_100);
		run("b", "y", 0, 2, 1_200, 1_300);
		assertThat(broken(limits(new Limits(2, null)))).isEmpty();
	}

	@Test
	void leaseThatAFailoverMayHaveLostExcuses() {
		add("driver", new Event.FaultBegun(nanos(5), 1, FaultKind.FAILOVER, "*"));
		add("driver", new Event.FaultOver(nanos(6), 1));
		run("x", 0, 1, 10, 50).run("y", 0, 1, 20, 50);
		assertThat(broken(limits(new Limits(2, null)))).isEmpty();
	}

	@Test
	void oneStartMoreThanRateAndBurstIsFound() {
		run("x", 0, 1, 10, 11).run("y", 1, 1, 10, 11).run("x", 0, 1, 210, 211);
		assertThat(broken(limits(new Limits(0, TEN_IN_A_SECOND)))).isEmpty();
		run("x", 0, 1, 409, 410);
		assertThat(broken(limits(new Limits(0, TEN_IN_A_SECOND)))).containsOnly(Rule.RATE);
	}

	@Test
	void startsOfTwoOwnersOfAShardAddUp() {
		run("x", 0, 1, 990, 991);
		taken(1_000);
		run("b", "y", 0, 2, 1_010, 1_011);
		assertThat(broken(limits(new Limits(0, TEN_IN_A_SECOND)))).containsOnly(Rule.RATE);
	}

	@Test
	void startOfANodeThatStoodStillIsNotCounted() {
		run("x", 0, 1, 10, 11);
		add("driver", new Event.FaultBegun(nanos(15), 1, FaultKind.STOP, "a"));
		add("driver", new Event.FaultOver(nanos(20), 1));
		run("y", 0, 1, 20, 21);
		assertThat(broken(limits(new Limits(0, TEN_IN_A_SECOND)))).isEmpty();
	}

	@Test
	void oneRunMoreThanTheLimitOfAGroupIsFoundAndOthersHaveTheirOwn() {
		run("acme:1", 0, 1, 10, 50).run("other:1", 0, 1, 20, 50).run("x", 0, 1, 20, 50).run("y", 0, 1, 20, 50);
		assertThat(broken(groups(new Limits(1, null)))).isEmpty();
		run("acme:2", 0, 1, 30, 50);
		assertThat(broken(groups(new Limits(1, null)))).containsOnly(Rule.CONCURRENCY);
	}

	@Test
	void oneStartMoreThanTheRateOfAGroupIsFound() {
		RateLimit rate = new RateLimit(10, Duration.ofSeconds(1), 1);
		run("acme:1", 0, 1, 10, 11).run("other:1", 0, 1, 10, 11).run("acme:2", 0, 1, 110, 111);
		assertThat(broken(groups(new Limits(0, rate)))).isEmpty();
		run("acme:3", 0, 1, 209, 210);
		assertThat(broken(groups(new Limits(0, rate)))).containsOnly(Rule.RATE);
	}

	@Test
	void startThatMayHaveBeenWrittenDownLateIsNotFound() {
		RateLimit rate = new RateLimit(10, Duration.ofSeconds(1), 1);
		run("acme:1", 0, 1, 50, 51).run("acme:2", 0, 1, 110, 111).run("acme:3", 0, 1, 210, 211);
		assertThat(broken(groups(new Limits(0, rate)))).containsOnly(Rule.RATE);
		assertThat(broken(groups(new Limits(0, rate)), Duration.ofMillis(50))).isEmpty();
		run("acme:4", 0, 1, 260, 261);
		assertThat(broken(groups(new Limits(0, rate)), Duration.ofMillis(50))).containsOnly(Rule.RATE);
	}

	/** From 10 on, acknowledged at 20; runs are held for the whole time. */
	private void set(Action action, long reset) {
		add("operator", new Event.ActionCalled(nanos(10), 1, action, "orders", "g"));
		add("operator", new Event.ActionReturned(nanos(20), 1));
		add("operator", new Event.ActionCalled(nanos(reset), 2, Action.RESET_GROUP, "orders", "g"));
		add("operator", new Event.ActionReturned(nanos(reset) + 1, 2));
		add("a", new Event.SessionHeld(1, "a", nanos(100_000)));
	}

	@Test
	void runOfAPausedGroupIsFoundWhenAllNodesKnow() {
		RegisteredWorker.Settings groups = groups(Limits.NONE);
		set(Action.PAUSE_GROUP, 20_000);
		run("g:1", 0, 1, 5_000, 5_100).run("h:1", 0, 1, 9_000, 9_100).run("g:2", 0, 1, 20_001, 20_100);
		assertThat(broken(groups)).isEmpty();
		run("g:3", 0, 1, 5_021, 5_100);
		assertThat(broken(groups)).containsOnly(Rule.PAUSE);
		add("redis", new Event.FaultBegun(nanos(4_000), 1, FaultKind.FAILOVER, "*"));
		add("redis", new Event.FaultOver(nanos(4_001), 1));
		assertThat(broken(groups)).isEmpty();
	}

	@Test
	void secondRunOfALimitedGroupIsFoundWhenAllNodesKnow() {
		RegisteredWorker.Settings groups = groups(new Limits(2, null));
		set(Action.LIMIT_GROUP, 20_000);
		run("g:1", 0, 1, 5_000, 9_000).run("h:1", 0, 1, 8_500, 9_000).run("h:2", 0, 1, 8_600, 9_000);
		assertThat(broken(groups)).isEmpty();
		run("g:2", 0, 1, 8_500, 8_600);
		assertThat(broken(groups)).containsOnly(Rule.CONCURRENCY);
	}

	private static long nanos(long millis) {
		return Duration.ofMillis(millis).toNanos();
	}

	private void add(String process, Event event) {
		this.byProcess.computeIfAbsent(process, (name) -> new ArrayList<>()).add(event);
	}

	/** Node b gets the first shard. */
	private void taken(long time) {
		add("b", new Event.LeaseAcquired(nanos(time), new Shard("orders", 1, 0), "b", 2, 0));
		add("b", new Event.SessionHeld(nanos(time), "b", nanos(1_000)));
	}

	private LimitsCheckTests run(String id, int shard, long epoch, long begin, long end) {
		return run("a", id, shard, epoch, begin, end);
	}

	private LimitsCheckTests run(String node, String id, int shard, long epoch, long begin, long end) {
		long run = ++this.number;
		add(node, new Event.PerformStarted(nanos(begin), run, new Shard("orders", 1, shard), id, epoch, -1,
				List.of(new Scored(run, run))));
		add(node, new Event.PerformEnded(nanos(end), run, true, false));
		return this;
	}

	private static RegisteredWorker.Settings limits(Limits limits) {
		return new RegisteredWorker.Settings(2, 1, 3, 100, 1, 0).with(limits);
	}

	private static RegisteredWorker.Settings groups(Limits limits) {
		return new RegisteredWorker.Settings(2, 1, 3, 100, 1, 0)
			.with(new GroupPolicy(":", 100, Map.of(), true, limits));
	}

	private List<Rule> broken(RegisteredWorker.Settings queue) {
		return broken(queue, Duration.ZERO);
	}

	private List<Rule> broken(RegisteredWorker.Settings queue, Duration delay) {
		Settings settings = new Settings(Duration.ofMillis(200), 3, Duration.ofMillis(1_000), Duration.ofMillis(500),
				true, delay, Map.of("orders", queue));
		List<Violation> violations = new ArrayList<>();
		new LimitsCheck().check(new Ledger(new History(this.byProcess)), settings, violations::add);
		return violations.stream().map(Violation::rule).toList();
	}

}
