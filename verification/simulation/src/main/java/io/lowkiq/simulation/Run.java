package io.lowkiq.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.reliability.check.Settings;
import io.lowkiq.reliability.check.Verdict;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.History;
import io.lowkiq.reliability.program.Surroundings;
import io.lowkiq.reliability.program.Workload;

/** One run of a cluster: faults at random, then none, then the end. */
final class Run {

	private static final long SECOND = 1_000_000_000L;

	/** How long everything may take that is left when faults end. */
	private static final long BOUND = 180 * SECOND;

	/** How long nodes run when nothing is left. */
	private static final long SETTLES = 3 * SECOND;

	/** How long idle nodes may take for a few jobs that are due within half a second. */
	private static final long AT_ONCE = 2 * SECOND;

	/** How long processes have time to end. */
	private static final long ENDING = 90 * SECOND;

	private static final Duration RECOVERY_MARGIN = Duration.ofSeconds(10);

	private final Options options;

	private final Timeline timeline;

	private final Scheduler scheduler;

	private final Cluster cluster;

	private final FaultInjector faults;

	private final EndCheck check;

	private final List<String> problems = new ArrayList<>();

	Run(Options options, long until, boolean all, List<String> about, UnaryOperator<String> scripts) {
		this.options = options;
		this.timeline = new Timeline(until, all, about);
		this.scheduler = new Scheduler(options.random(1), this.timeline);
		this.cluster = new Cluster(options, this.scheduler, this.timeline, scripts);
		this.faults = new FaultInjector(this.cluster, this.scheduler, Plan.draw(options), options.lease());
		this.check = new EndCheck(this.cluster.redis().server(), options.allShards());
		this.cluster.redis()
			.check(new LeaseCheck(this.check, this.problems::add),
					new SessionCheck(this.cluster.redis()::node, this.problems::add));
	}

	SimulatedVerdict perform() {
		long begun = System.nanoTime();
		watchHealth();
		boolean complete = runFor(this.options.lasts().toNanos());
		if (complete) {
			this.cluster.driver().trace("faults end");
			this.cluster.forgotten().faultsEnd(this.options.lease().toNanos());
			this.faults.end();
			this.cluster.end();
			complete = awaitEmpty();
		}
		if (complete && this.check.left() == 0) {
			complete = checkIdleNodes();
		}
		if (complete) {
			this.check.check(this.problems::add);
			this.cluster.forgotten().check(patience(), this.problems::add);
			this.cluster.driver().write(this.check.events(this.scheduler.now()).toArray(Event[]::new));
		}
		long hash = this.timeline.hash();
		long steps = this.timeline.steps();
		List<String> last = this.timeline.last();
		this.problems.addAll(this.timeline.problems());
		long simulated = this.scheduler.now();
		if (!this.timeline.isOver()) {
			endProcesses(complete);
		}
		Verdict verdict = Verdict.of(new History(this.cluster.history()), new Settings(Workload.RETRY_DELAY,
				Workload.MAX_RETRY_COUNT, this.options.lease(), RECOVERY_MARGIN, true, Duration.ZERO, queues()));
		verdict.violations()
			.stream()
			.limit(complete ? Long.MAX_VALUE : 0)
			.map(Object::toString)
			.forEach(this.problems::add);
		return new SimulatedVerdict(this.options.toString(), this.options.choices(), List.copyOf(this.problems),
				verdict.figures(), jobs(), this.faults.injected(), this.cluster.forgotten().count(), hash, steps,
				Duration.ofNanos(simulated), Duration.ofNanos(System.nanoTime() - begun), last);
	}

	/**
	 * Runs for a time. Returns false if the timeline is over, or something was found at
	 * Redis: without a rule, what follows may never end.
	 */
	private boolean runFor(long nanos) {
		long end = this.scheduler.now() + nanos;
		while (this.problems.isEmpty() && this.scheduler.now() < end) {
			if (!this.scheduler.runUntil(Math.min(end, this.scheduler.now() + SECOND))) {
				return false;
			}
		}
		return this.problems.isEmpty();
	}

	/**
	 * How long it may take until forgotten calls are said. A node that dies, or is slow,
	 * doesn't say it.
	 */
	private long patience() {
		boolean onlyFailovers = this.options.faults().equals(Faults.of(Fault.FAILOVER));
		return onlyFailovers ? this.options.lease().toNanos() : -1;
	}

	private void watchHealth() {
		this.scheduler.in(SECOND, () -> {
			this.cluster.seeHealth();
			watchHealth();
		});
	}

	/**
	 * Lets the well nodes perform what is left; returns false if the run ended before.
	 */
	private boolean awaitEmpty() {
		long end = this.scheduler.now() + BOUND;
		while (this.scheduler.now() < end && (this.cluster.isProducing() || this.check.left() > 0)) {
			if (!runFor(SECOND)) {
				return false;
			}
		}
		return runFor(SETTLES);
	}

	/**
	 * Nodes that have nothing to do perform what comes, without waiting for something
	 * else to wake them. Returns false if the run ended before.
	 */
	private boolean checkIdleNodes() {
		long taken = this.options.lease().plus(RECOVERY_MARGIN).toNanos();
		if (!runFor(taken)) {
			return false;
		}
		this.cluster.enqueueLast();
		if (!runFor(AT_ONCE)) {
			return false;
		}
		if (this.check.busy() > 0) {
			// A run may take longer, and others may wait for it
			return awaitEmpty();
		}
		if (this.check.left() > 0) {
			this.problems.add("NOT_WOKEN: %d jobs wait though all nodes are idle".formatted(this.check.left()));
		}
		return true;
	}

	/**
	 * Lets all threads end, off the timeline. In a run that ended early, producers still
	 * try to enqueue.
	 */
	private void endProcesses(boolean all) {
		this.cluster.killAll();
		long end = this.scheduler.now() + ENDING;
		while (this.scheduler.now() < end && !this.cluster.threads().isEmpty()) {
			if (!this.scheduler.runUntil(this.scheduler.now() + SECOND)) {
				return;
			}
		}
		if (all) {
			this.cluster.threads()
				.forEach((thread) -> this.problems.add("A thread has not ended: " + thread.getName()));
		}
	}

	/** The numbers of the payloads that producers have enqueued. */
	private List<Long> jobs() {
		return this.cluster.history()
			.values()
			.stream()
			.flatMap(List::stream)
			.filter(Event.EnqueueCalled.class::isInstance)
			.map((event) -> ((Event.EnqueueCalled) event).payload())
			.distinct()
			.toList();
	}

	private Map<String, RegisteredWorker.Settings> queues() {
		return this.options.workers(Surroundings.REAL)
			.all()
			.stream()
			.collect(Collectors.toMap(RegisteredWorker::queue, RegisteredWorker::settings));
	}

}
