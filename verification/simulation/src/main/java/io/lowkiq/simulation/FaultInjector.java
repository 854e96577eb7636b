package io.lowkiq.simulation;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

import io.lowkiq.redis.inmemory.Faults;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.FaultKind;
import org.jspecify.annotations.Nullable;

/** Makes the planned faults happen, and ends them. */
final class FaultInjector {

	/** A replica lags no longer, so that the checker knows what may be forgotten. */
	private static final long LONGEST_LAG = 900_000_000L;

	/** The largest jump of the clock, in milliseconds. */
	private static final int LARGEST_JUMP = 20_000;

	private static final Duration RESTART = Duration.ofMillis(500);

	/**
	 * The faults before which what a node sends gets stuck, so that it arrives when the
	 * node has a successor.
	 */
	private static final Set<Fault> STRANDING = Set.of(Fault.KILL, Fault.FREEZE, Fault.TERMINATE);

	/** For how long before such a fault all calls get stuck. */
	private static final long STRANDED = 400_000_000L;

	/** The faults whose last call may arrive long after them. */
	private static final Set<Fault> LINGERING = Set.of(Fault.LATE, Fault.TWICE);

	private final Cluster cluster;

	private final Scheduler scheduler;

	private final Plan plan;

	/**
	 * How long it may take until each owner has found out that Redis forgot something.
	 */
	private final long lease;

	private final SimulatedProcess driver;

	/** The faults that last, so that none begins twice. */
	private final Set<String> present = new HashSet<>();

	/** The numbers of faults that are over only when their last call has arrived. */
	private final Set<Long> lingering = new HashSet<>();

	private long numbers;

	private int injected;

	private boolean over;

	FaultInjector(Cluster cluster, Scheduler scheduler, Plan plan, Duration lease) {
		this.lease = lease.toNanos();
		this.cluster = cluster;
		this.scheduler = scheduler;
		this.plan = plan;
		this.driver = cluster.driver();
		plan.faults().forEach((planned) -> scheduler.in(planned.at(), () -> begin(planned)));
	}

	/** How many faults were injected. */
	int injected() {
		return this.injected;
	}

	private void begin(Plan.Planned planned) {
		SimulatedNode node = planned.fault().isOfNode() ? this.cluster.node(planned.node()) : null;
		if (this.over || (planned.fault().isOfNode() && node == null)) {
			return;
		}
		String target = (planned.fault().isOfNode() && node != null) ? node.process().name() : "*";
		if (!this.present.add(planned.fault() + " " + target)) {
			return;
		}
		if (node != null && STRANDING.contains(planned.fault()) && planned.draw() % 2 == 0) {
			long number = write(FaultKind.LATENCY, target);
			this.lingering.add(number);
			node.network().late = 1;
			this.scheduler.in(STRANDED, () -> {
				node.network().late = 0;
				overLater(number);
				strike(planned, node, target);
			});
		}
		else {
			strike(planned, node, target);
		}
	}

	private void strike(Plan.Planned planned, @Nullable SimulatedNode node, String target) {
		boolean betweenSteps = planned.fault() == Fault.KILL || planned.fault() == Fault.FREEZE;
		if (node != null && betweenSteps && planned.draw() % 5 != 0) {
			node.process().atNextPoint(() -> happen(planned, node, target));
		}
		else {
			happen(planned, node, target);
		}
	}

	private void happen(Plan.Planned planned, @Nullable SimulatedNode node, String target) {
		if (this.over || (node != null && node.process().isGone())) {
			return;
		}
		this.injected++;
		Runnable end = inject(planned, node, target);
		this.scheduler.in(planned.lasts(), () -> {
			if (!this.over) {
				end.run();
				this.present.remove(planned.fault() + " " + target);
			}
		});
	}

	/** Begins a fault; returns what ends it. */
	private Runnable inject(Plan.Planned planned, @Nullable SimulatedNode node, String target) {
		if (planned.fault() == Fault.FAILOVER) {
			return failOver(planned);
		}
		if (planned.fault() == Fault.EMPTY) {
			forget(FaultKind.EMPTY, this.cluster.redis()::empty);
			return FaultInjector::nothing;
		}
		long number = write(planned.fault().kind(), target);
		return (node != null) ? injectNode(planned, node, number) : injectRedis(planned, number);
	}

	/**
	 * At any time, or just after a follow-up was enqueued: the replica doesn't have that,
	 * and perhaps nothing else is missing there.
	 */
	private Runnable failOver(Plan.Planned planned) {
		SimulatedRedis redis = this.cluster.redis();
		if (planned.draw() % 4 == 0) {
			redis.atFollowUp(redis::lag, () -> failOver(planned, FaultKind.LAST_CALL));
			return FaultInjector::nothing;
		}
		redis.lag();
		Runnable failOver = () -> failOver(planned, FaultKind.FAILOVER);
		if (planned.draw() % 2 == 0) {
			redis.atFollowUp(FaultInjector::nothing, failOver);
		}
		this.scheduler.in(Math.min(planned.lasts(), LONGEST_LAG), failOver);
		return FaultInjector::nothing;
	}

	private void failOver(Plan.Planned planned, FaultKind kind) {
		SimulatedRedis redis = this.cluster.redis();
		if (this.over || !redis.lags()) {
			return;
		}
		forget(kind, redis::failOver);
		if (planned.draw() % 3 == 0 && this.plan.terminates()) {
			// It gives shards back of which calls are forgotten
			begin(new Plan.Planned(planned.number(), planned.at(), Fault.TERMINATE, planned.node(), planned.lasts(),
					planned.draw() | 1));
		}
	}

	private void forget(FaultKind kind, Runnable how) {
		long number = write(kind, "*");
		this.cluster.forgotten().failOver(how);
		this.scheduler.in(this.lease, () -> over(number));
	}

	private Runnable injectNode(Plan.Planned planned, SimulatedNode node, long number) {
		switch (planned.fault()) {
			case KILL -> {
				node.network().straggling = planned.draw() % 2 == 0;
				this.cluster.kill(planned.node());
				over(number);
				return () -> this.cluster.startNode(planned.node());
			}
			case TERMINATE -> {
				this.cluster.terminate(planned.node(), () -> {
					over(number);
					this.scheduler.in(RESTART.toNanos(), () -> replace(planned.node()));
				});
				return FaultInjector::nothing;
			}
			case FREEZE -> {
				node.process().freeze();
				return () -> {
					node.process().thaw();
					over(number);
				};
			}
			default -> {
				double part = 0.05 + Math.floorMod(planned.draw(), 100) / 250.0;
				change(planned.fault(), node.network(), true, part);
				if (LINGERING.contains(planned.fault())) {
					this.lingering.add(number);
				}
				return () -> {
					change(planned.fault(), node.network(), false, 0);
					overLater(number);
				};
			}
		}
	}

	/** Starts a node where one has stopped, unless none is to run there any more. */
	private void replace(int place) {
		if (!this.over || this.plan.endings().get(place) == Plan.Ending.WELL) {
			this.cluster.startNode(place);
		}
	}

	private Runnable injectRedis(Plan.Planned planned, long number) {
		Faults redis = this.cluster.redis().server().faults();
		switch (planned.fault()) {
			case UNSUBSCRIBE -> redis.dropSubscribers();
			case FORGET_SCRIPTS -> redis.forgetScripts();
			case CLOCK ->
				redis.shiftClock(Duration.ofMillis(Math.floorMod(planned.draw(), 2 * LARGEST_JUMP) - LARGEST_JUMP));
			case OUTAGE -> {
				this.cluster.redis().hang();
				return () -> {
					this.cluster.redis().resume();
					over(number);
				};
			}
			case FULL -> {
				redis.fillMemory(true);
				return () -> {
					redis.fillMemory(false);
					over(number);
				};
			}
			default -> throw new IllegalArgumentException("Not of Redis: " + planned.fault());
		}
		over(number);
		return FaultInjector::nothing;
	}

	/** Ends what has ended by itself. */
	private static void nothing() {
	}

	private static void change(Fault fault, Network network, boolean begins, double part) {
		switch (fault) {
			case CUT -> {
				network.callsCut = begins;
				network.answersCut = begins;
			}
			case CUT_CALLS -> network.callsCut = begins;
			case CUT_ANSWERS -> network.answersCut = begins;
			case LOSSY -> network.lossy = part;
			case LATE -> network.late = part;
			case TWICE -> network.twice = part;
			default -> throw new IllegalArgumentException("Not of a network: " + fault);
		}
	}

	private long write(FaultKind kind, String target) {
		this.numbers++;
		this.driver.write(new Event.FaultBegun(this.scheduler.now(), this.numbers, kind, target));
		return this.numbers;
	}

	private void overLater(long number) {
		this.scheduler.in(this.lingering.contains(number) ? Network.LATEST : 0, () -> over(number));
	}

	private void over(long number) {
		this.driver.write(new Event.FaultOver(this.scheduler.now(), number));
	}

	/** Ends all faults, but for the nodes that are not well again. */
	void end() {
		this.over = true;
		for (long number = 1; number <= this.numbers; number++) {
			overLater(number);
		}
		this.cluster.redis().catchUp();
		this.cluster.redis().server().faults().fillMemory(false);
		this.cluster.redis().resume();
		for (int place = 0; place < this.plan.endings().size(); place++) {
			SimulatedNode node = this.cluster.node(place);
			if (node != null) {
				node.process().thaw();
				node.network().heal();
			}
			end(place, node, this.plan.endings().get(place));
		}
	}

	private void end(int place, @Nullable SimulatedNode node, Plan.Ending ending) {
		switch (ending) {
			case WELL -> this.cluster.startNode(place);
			case DEAD -> {
				if (node != null) {
					over(write(FaultKind.KILL, node.process().name()));
					this.cluster.kill(place);
				}
			}
			case FROZEN -> {
				if (node != null) {
					write(FaultKind.STOP, node.process().name());
					node.process().freeze();
				}
			}
			case CUT -> last(Fault.CUT, node);
			case MUTE -> last(Fault.CUT_CALLS, node);
			case DEAF -> last(Fault.CUT_ANSWERS, node);
		}
	}

	/** A fault that doesn't end. */
	private void last(Fault fault, @Nullable SimulatedNode node) {
		if (node != null) {
			write(fault.kind(), node.process().name());
			change(fault, node.network(), true, 1);
		}
	}

}
