package io.lowkiq.reliability.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.Event.ActionCalled;
import io.lowkiq.reliability.history.Event.ActionReturned;
import io.lowkiq.reliability.history.Event.Answer;
import io.lowkiq.reliability.history.Event.EnqueueCalled;
import io.lowkiq.reliability.history.Event.EnqueueReturned;
import io.lowkiq.reliability.history.Event.FaultBegun;
import io.lowkiq.reliability.history.Event.FaultOver;
import io.lowkiq.reliability.history.Event.FoundDead;
import io.lowkiq.reliability.history.Event.FoundLeft;
import io.lowkiq.reliability.history.Event.HealthSeen;
import io.lowkiq.reliability.history.Event.LeaseAcquired;
import io.lowkiq.reliability.history.Event.OnSuccessCalled;
import io.lowkiq.reliability.history.Event.OwnerAnswered;
import io.lowkiq.reliability.history.Event.OwnerCalled;
import io.lowkiq.reliability.history.Event.PerformEnded;
import io.lowkiq.reliability.history.Event.PerformStarted;
import io.lowkiq.reliability.history.Event.ProcessGone;
import io.lowkiq.reliability.history.Event.ProcessUp;
import io.lowkiq.reliability.history.Event.SessionHeld;
import io.lowkiq.reliability.history.Event.StepNamed;
import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.reliability.history.History;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/** A history put in order: by payload, by job, by shard. */
final class Ledger {

	/** By payload number. */
	final Map<Long, Enqueued> enqueued = new LinkedHashMap<>();

	/** Follow-ups of jobs, by payload number. */
	final Map<Long, FollowUp> followUps = new LinkedHashMap<>();

	/** The runs of each job in the order of {@link Perform#FETCHED}. */
	final Map<Job, List<Perform>> performs = new LinkedHashMap<>();

	/** The answers that brought each job to an owner. */
	final Map<Job, List<Fetch>> fetches = new LinkedHashMap<>();

	/** By shard, in the order of the answers' times. */
	final Map<Shard, List<Lease>> leases = new LinkedHashMap<>();

	/** By shard: the calls of its owners, in the order in which they ended. */
	final Map<Shard, List<Call>> calls = new LinkedHashMap<>();

	/** By shard and epoch: the session that got it. */
	private final Map<Shard, Map<Long, String>> owners = new HashMap<>();

	/** By session: when a heartbeat was sent, and until when it holds the session. */
	final Map<String, NavigableMap<Long, Long>> sessions = new HashMap<>();

	final List<Fault> faults = new ArrayList<>();

	final Set<Long> dead = new HashSet<>();

	final List<FoundLeft> left = new ArrayList<>();

	/** By job, and by {@code *} instead of the id for all of a queue. */
	final Map<Job, List<Acted>> actions = new LinkedHashMap<>();

	final List<Unwell> unwell = new ArrayList<>();

	final Map<String, Long> up = new HashMap<>();

	final Map<String, Long> gone = new HashMap<>();

	/** A queue's id. */
	record Job(String queue, String id) {
	}

	/** An answer that brought a job: to whom, when it was asked for, and when it came. */
	record Fetch(String process, long called, long answered) {
	}

	/** A lease as the process saw it given. */
	record Lease(String process, LeaseAcquired given) {
	}

	/**
	 * A call of an owner.
	 *
	 * @param called its beginning
	 * @param ended when it was answered or given up, or its process ended
	 */
	record Call(String process, OwnerCalled called, Answer answer, long ended) {

		boolean applied() {
			return this.answer == Answer.APPLIED;
		}

	}

	Ledger(History history) {
		history.byProcess().forEach((process, events) -> new Reading(process).read(events));
		this.enqueued.values().forEach(Enqueued::sort);
		this.calls.values()
			.forEach((ofShard) -> ofShard.replaceAll((call) -> new Call(call.process(), call.called(), call.answer(),
					Math.min(call.ended(), gone(call.process())))));
		this.performs.values().forEach((ofJob) -> {
			ofJob.forEach((perform) -> perform.end = Math.min(perform.end, gone(perform.process)));
			ofJob.sort(Perform.FETCHED);
		});
		this.leases.values()
			.forEach((ofShard) -> ofShard.sort((a, b) -> Long.compare(a.given().time(), b.given().time())));
	}

	/** When a process ended; {@link Long#MAX_VALUE} if it did not. */
	long gone(String process) {
		return this.gone.getOrDefault(process, Long.MAX_VALUE);
	}

	/** The session that got an epoch. */
	@Nullable String session(Shard shard, long epoch) {
		return this.owners.getOrDefault(shard, Map.of()).get(epoch);
	}

	/** Whether operators did something with a job at a time. */
	boolean acted(Job job, Set<Action> kinds, long from, long to) {
		return this.actions.getOrDefault(job, List.of())
			.stream()
			.anyMatch((acted) -> kinds.contains(acted.action()) && acted.touches(from, to));
	}

	/** Whether a fault of some kinds touched a process at a time. */
	boolean faulty(Predicate<FaultKind> kinds, String process, long from, long to) {
		return this.faults.stream()
			.anyMatch((fault) -> kinds.test(fault.kind()) && fault.hits(process) && fault.touches(from, to));
	}

	/**
	 * Whether Redis may have lost an acknowledged payload: with everything; or a
	 * follow-up, which needs no replica, since it is enqueued again if its job was done.
	 */
	boolean forgotten(Enqueued enqueued) {
		boolean follows = this.followUps.containsKey(enqueued.payload);
		return this.faults.stream()
			.filter((fault) -> fault.kind() == FaultKind.EMPTY || (follows && fault.kind().forgets()))
			.anyMatch((fault) -> fault.begun() >= enqueued.lastCalled() && fault.forgets(enqueued.lastReturned()));
	}

	/** Until when a session surely lasted, as its node could know at a time. */
	long heldUntil(@Nullable String session, long time) {
		NavigableMap<Long, Long> held = (session != null) ? this.sessions.get(session) : null;
		Map.Entry<Long, Long> last = (held != null) ? held.floorEntry(time) : null;
		return (last != null) ? last.getValue() : Long.MIN_VALUE;
	}

	/** Reads the events of one process. */
	private final class Reading {

		private final String process;

		private final Map<Long, Perform> running = new HashMap<>();

		private final Map<String, Perform> last = new HashMap<>();

		private final Map<Long, OwnerCalled> open = new LinkedHashMap<>();

		private final Map<Long, List<Perform>> completing = new HashMap<>();

		/** By shard and id: when the call that fetched it was made. */
		private final Map<String, Long> fetched = new HashMap<>();

		private final Map<Long, FaultBegun> openFaults = new LinkedHashMap<>();

		private final Map<Long, ActionCalled> openActions = new LinkedHashMap<>();

		/** Since when the health has been DOWN; the largest time while it is UP. */
		private long unwellSince = Long.MAX_VALUE;

		Reading(String process) {
			this.process = process;
		}

		void read(List<Event> events) {
			events.forEach(this::read);
			this.openFaults.values().forEach((fault) -> add(fault, Long.MAX_VALUE));
			this.openActions.values().forEach((action) -> add(action, Long.MAX_VALUE));
			healthSeen(Long.MAX_VALUE, true);
			List.copyOf(this.open.values())
				.forEach((call) -> answered(new OwnerAnswered(Long.MAX_VALUE, call.call(), Answer.NONE, List.of())));
		}

		private void read(Event event) {
			if (event instanceof EnqueueCalled e) {
				Ledger.this.enqueued.computeIfAbsent(e.payload(), (number) -> new Enqueued(this.process, e))
					.called(e.time());
			}
			else if (event instanceof EnqueueReturned e) {
				Enqueued enqueue = Ledger.this.enqueued.get(e.payload());
				if (enqueue != null) {
					enqueue.returned(e.time());
				}
			}
			else if (event instanceof PerformStarted e) {
				started(e);
			}
			else if (event instanceof PerformEnded e) {
				Perform perform = this.running.remove(e.perform());
				if (perform != null) {
					perform.end(e);
				}
			}
			else if (event instanceof OnSuccessCalled e) {
				Perform perform = this.running.get(e.perform());
				if (perform != null) {
					Ledger.this.followUps.put(e.payload(),
							new FollowUp(e.payload(), new Job(e.queue(), e.id()), perform, 0));
				}
			}
			else if (event instanceof StepNamed e) {
				Ledger.this.followUps.put(e.payload(),
						new FollowUp(e.payload(), new Job(e.queue(), e.id()), null, e.before()));
			}
			else if (event instanceof OwnerCalled e) {
				called(e);
			}
			else if (event instanceof OwnerAnswered e) {
				answered(e);
			}
			else if (event instanceof ActionCalled e) {
				this.openActions.put(e.number(), e);
			}
			else if (event instanceof ActionReturned e) {
				ActionCalled called = this.openActions.remove(e.number());
				if (called != null) {
					add(called, e.time());
				}
			}
			else if (event instanceof LeaseAcquired e) {
				Ledger.this.owners.computeIfAbsent(e.shard(), (shard) -> new HashMap<>())
					.putIfAbsent(e.epoch(), e.session());
				Ledger.this.leases.computeIfAbsent(e.shard(), (shard) -> new ArrayList<>())
					.add(new Lease(this.process, e));
			}
			else if (event instanceof SessionHeld e) {
				Ledger.this.sessions.computeIfAbsent(e.session(), (session) -> new TreeMap<>())
					.put(e.time(), e.time() + e.duration());
			}
			else if (event instanceof FaultBegun e) {
				this.openFaults.put(e.fault(), e);
			}
			else if (event instanceof FaultOver e) {
				FaultBegun begun = this.openFaults.remove(e.fault());
				if (begun != null) {
					add(begun, e.time());
				}
			}
			else if (event instanceof HealthSeen e) {
				healthSeen(e.time(), e.up());
			}
			else if (event instanceof ProcessUp e) {
				Ledger.this.up.merge(e.process(), e.time(), Math::min);
			}
			else if (event instanceof ProcessGone e) {
				Ledger.this.gone.merge(e.process(), e.time(), Math::min);
			}
			else if (event instanceof FoundDead e) {
				Ledger.this.dead.add(e.payload());
			}
			else if (event instanceof FoundLeft e) {
				Ledger.this.left.add(e);
			}
		}

		private void healthSeen(long time, boolean isUp) {
			if (isUp && this.unwellSince != Long.MAX_VALUE) {
				Ledger.this.unwell.add(new Unwell(this.process, this.unwellSince, time));
			}
			this.unwellSince = isUp ? Long.MAX_VALUE : Math.min(this.unwellSince, time);
		}

		private void started(PerformStarted event) {
			String key = event.shard() + " " + event.id();
			Perform perform = new Perform(this.process, event, this.fetched.getOrDefault(key, event.time()));
			Ledger.this.performs.computeIfAbsent(new Job(event.shard().queue(), event.id()), (job) -> new ArrayList<>())
				.add(perform);
			this.running.put(event.perform(), perform);
			this.last.put(key, perform);
		}

		private void called(OwnerCalled event) {
			this.open.put(event.call(), event);
			List<Perform> completed = new ArrayList<>();
			for (String id : event.completed()) {
				Perform perform = this.last.get(event.shard() + " " + id);
				if (perform != null && perform.ended && perform.epoch <= event.epoch() && !perform.completed()
						&& !fetchedAgain(perform)) {
					completed.add(perform);
				}
			}
			this.completing.put(event.call(), completed);
		}

		/** Then what completes the id is not its outcome: a payload could not be read. */
		private boolean fetchedAgain(Perform perform) {
			return this.fetched.getOrDefault(perform.shard + " " + perform.id, perform.fetched) > perform.fetched;
		}

		private void answered(OwnerAnswered event) {
			OwnerCalled called = this.open.remove(event.call());
			if (called == null) {
				return;
			}
			Call call = new Call(this.process, called, event.answer(), event.time());
			Ledger.this.calls.computeIfAbsent(called.shard(), (shard) -> new ArrayList<>()).add(call);
			for (Perform perform : this.completing.getOrDefault(event.call(), List.of())) {
				perform.completion = call;
			}
			this.completing.remove(event.call());
			event.fetched().forEach((id) -> {
				this.fetched.put(called.shard() + " " + id, called.time());
				Ledger.this.fetches.computeIfAbsent(new Job(called.shard().queue(), id), (job) -> new ArrayList<>())
					.add(new Fetch(this.process, called.time(), event.time()));
			});
		}

		private void add(ActionCalled called, long returned) {
			Ledger.this.actions.computeIfAbsent(new Job(called.queue(), called.id()), (job) -> new ArrayList<>())
				.add(new Acted(called.action(), called.queue(), called.id(), called.time(), returned));
		}

		private void add(FaultBegun begun, long over) {
			Ledger.this.faults.add(new Fault(begun.kind(), begun.process(), begun.time(), over));
		}

	}

}
