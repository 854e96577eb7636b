package io.lowkiq.test;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.internal.DurationText;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.NodeRegistry;

/**
 * Waits for the threads of a server to perform the jobs. Time is moved in steps, each
 * followed by a heartbeat, so that sessions and leases last.
 */
final class ServerRunner implements JobRunner {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final long POLL = Duration.ofMillis(1).toNanos();

	private static final long HEARTBEAT_POLL = Duration.ofNanos(20_000).toNanos();

	/** As often as the server itself sends heartbeats. */
	private static final Duration STEP = LowkiqTester.LEASE_DURATION.dividedBy(3);

	private final LowkiqServer server;

	private final NodeRegistry nodes;

	private final StoreContents contents;

	private final PerformCounter counter;

	private final TestClock clock;

	ServerRunner(LowkiqServer server, NodeRegistry nodes, StoreContents contents, PerformCounter counter,
			TestClock clock) {
		this.server = server;
		this.nodes = nodes;
		this.contents = contents;
		this.counter = counter;
		this.clock = clock;
	}

	@Override
	public void start() {
	}

	@Override
	public long drain(Predicate<String> queues) {
		long before = this.counter.all().performs();
		await(() -> isIdle(queues), POLL,
				() -> "Jobs are still due or being performed after %s; the server is %s.%n%s".formatted(
						DurationText.of(PATIENCE), this.server.status().state(),
						this.contents.describe(queues, this.clock.instant())));
		return this.counter.all().performs() - before;
	}

	/** Reads the shards one after the other: nothing may happen meanwhile. */
	private boolean isIdle(Predicate<String> queues) {
		long events = this.counter.events();
		return !this.contents.isBusy(queues, this.clock.instant()) && this.counter.events() == events;
	}

	@Override
	public boolean performNext(Predicate<String> queues) {
		throw new IllegalStateException("The server's threads perform jobs as they become due: use drain()");
	}

	@Override
	public void advance(Duration duration) {
		TestClock.checkForward(duration);
		// A session that begins while time jumps would have lapsed at once
		await(() -> !this.server.isRunning() || self().isPresent(), HEARTBEAT_POLL,
				() -> "The server has not started a session for %s: it is %s".formatted(DurationText.of(PATIENCE),
						this.server.status().state()));
		for (Duration left = duration; !left.isZero();) {
			Duration step = (left.compareTo(STEP) < 0) ? left : STEP;
			step(step);
			left = left.minus(step);
		}
	}

	/** A lease counts from the heartbeat before the last answered one. */
	private void step(Duration duration) {
		this.clock.advance(duration);
		awaitHeartbeat();
		awaitHeartbeat();
	}

	private void awaitHeartbeat() {
		Optional<Member> before = self();
		this.server.clockMoved();
		before.ifPresent((known) -> await(
				() -> self().map((now) -> now.beats() > known.beats() || !now.session().equals(known.session()))
					.orElse(true),
				HEARTBEAT_POLL, () -> "The server sent no heartbeat for %s".formatted(DurationText.of(PATIENCE))));
	}

	private Optional<Member> self() {
		String session = this.server.status().session();
		return this.nodes.members().members().stream().filter((member) -> member.session().equals(session)).findFirst();
	}

	@Override
	public long drainFor(Duration duration) {
		long before = this.counter.all().performs();
		Instant end = this.clock.instant().plus(duration);
		drain((queue) -> true);
		OptionalLong next = this.contents.next();
		while (next.isPresent() && next.getAsLong() <= end.toEpochMilli()) {
			advanceTo(Instant.ofEpochMilli(next.getAsLong()));
			drain((queue) -> true);
			next = this.contents.next();
		}
		advanceTo(end);
		drain((queue) -> true);
		return this.counter.all().performs() - before;
	}

	private void advanceTo(Instant time) {
		Duration left = Duration.between(this.clock.instant(), time);
		if (!left.isNegative()) {
			advance(left);
		}
	}

	@Override
	public void reset(Runnable empty) {
		this.contents.pauseAll();
		await(() -> !this.contents.isAnyBusy(), POLL,
				() -> "Jobs are still being performed after %s, so the store can't be emptied.%n%s".formatted(
						DurationText.of(PATIENCE), this.contents.describe((queue) -> true, this.clock.instant())));
		// A monotonic clock can't go back while a server goes by it
		boolean restart = this.clock.isMoved() && this.server.isRunning();
		if (restart) {
			this.server.stop(PATIENCE);
		}
		empty.run();
		if (restart) {
			this.clock.reset();
			this.server.start();
		}
	}

	private static void await(BooleanSupplier condition, long poll, Supplier<String> problem) {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - deadline > 0) {
				throw new AssertionError(problem.get());
			}
			LockSupport.parkNanos(poll);
		}
	}

}
