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

import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.Event.EnqueueCalled;
import io.lowkiq.reliability.history.Event.EnqueueReturned;
import io.lowkiq.reliability.history.Event.FaultBegun;
import io.lowkiq.reliability.history.Event.FaultOver;
import io.lowkiq.reliability.history.Event.FoundDead;
import io.lowkiq.reliability.history.Event.FoundLeft;
import io.lowkiq.reliability.history.Event.LeaseAcquired;
import io.lowkiq.reliability.history.Event.PerformEnded;
import io.lowkiq.reliability.history.Event.PerformStarted;
import io.lowkiq.reliability.history.Event.ProcessGone;
import io.lowkiq.reliability.history.Event.ProcessUp;
import io.lowkiq.reliability.history.Event.SessionHeld;
import io.lowkiq.reliability.history.Event.TurnCalled;
import io.lowkiq.reliability.history.Event.TurnReturned;
import io.lowkiq.reliability.history.History;
import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;

/**
 * A history put in order: by payload, by job, by shard.
 */
final class Ledger {

	/** By payload number. */
	final Map<Long, Enqueued> enqueued = new LinkedHashMap<>();

	/** The performs of each job in the order of {@link Perform#HAND_OVER}. */
	final Map<Job, List<Perform>> performs = new LinkedHashMap<>();

	/** By shard, in the order of the answers' times. */
	final Map<Shard, List<Lease>> leases = new LinkedHashMap<>();

	/** By shard: the calls that were answered. */
	final Map<Shard, List<Call>> calls = new LinkedHashMap<>();

	/** By session: when a heartbeat was sent, and until when it holds the session. */
	final Map<String, NavigableMap<Long, Long>> sessions = new HashMap<>();

	final List<Fault> faults = new ArrayList<>();

	final Set<Long> dead = new HashSet<>();

	final List<FoundLeft> left = new ArrayList<>();

	final Map<String, Long> up = new HashMap<>();

	final Map<String, Long> gone = new HashMap<>();

	/** A queue's id. */
	record Job(String queue, String id) {
	}

	/** A lease as the process saw it given. */
	record Lease(String process, LeaseAcquired given) {
	}

	/** A turn or release with its answer. */
	record Call(String process, TurnCalled called, boolean applied, long answered) {
	}

	Ledger(History history) {
		history.byProcess().forEach((process, events) -> new Reading(process).read(events));
		this.performs.values().forEach((ofJob) -> {
			ofJob.forEach((perform) -> perform.end = Math.min(perform.end,
					this.gone.getOrDefault(perform.process, Long.MAX_VALUE)));
			ofJob.sort(Perform.HAND_OVER);
		});
		this.leases.values()
			.forEach((ofShard) -> ofShard.sort((a, b) -> Long.compare(a.given().time(), b.given().time())));
	}

	/**
	 * The session that got an epoch.
	 */
	@Nullable String session(Shard shard, long epoch) {
		return this.leases.getOrDefault(shard, List.of())
			.stream()
			.filter((lease) -> lease.given().epoch() == epoch)
			.map((lease) -> lease.given().session())
			.findFirst()
			.orElse(null);
	}

	/**
	 * Until when a session surely lasted, as its node could know at a time.
	 */
	long heldUntil(@Nullable String session, long time) {
		NavigableMap<Long, Long> held = (session != null) ? this.sessions.get(session) : null;
		Map.Entry<Long, Long> last = (held != null) ? held.floorEntry(time) : null;
		return (last != null) ? last.getValue() : Long.MIN_VALUE;
	}

	/**
	 * Reads the events of one process.
	 */
	private final class Reading {

		private final String process;

		private final Map<Long, Perform> running = new HashMap<>();

		private final Map<String, Perform> last = new HashMap<>();

		private final Map<Long, TurnCalled> open = new HashMap<>();

		private final Map<Long, List<Perform>> settling = new HashMap<>();

		private final Map<Long, FaultBegun> openFaults = new LinkedHashMap<>();

		Reading(String process) {
			this.process = process;
		}

		void read(List<Event> events) {
			events.forEach(this::read);
			this.openFaults.values().forEach((fault) -> add(fault, Long.MAX_VALUE));
		}

		private void read(Event event) {
			if (event instanceof EnqueueCalled e) {
				Ledger.this.enqueued.computeIfAbsent(e.payload(), (number) -> new Enqueued(this.process, e)).attempts++;
			}
			else if (event instanceof EnqueueReturned e) {
				Enqueued enqueue = Ledger.this.enqueued.get(e.payload());
				if (enqueue != null) {
					enqueue.returned = Math.min(enqueue.returned, e.time());
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
			else if (event instanceof TurnCalled e) {
				called(e);
			}
			else if (event instanceof TurnReturned e) {
				returned(e);
			}
			else if (event instanceof LeaseAcquired e) {
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

		private void started(PerformStarted event) {
			Perform perform = new Perform(this.process, event);
			Ledger.this.performs.computeIfAbsent(new Job(event.shard().queue(), event.id()), (job) -> new ArrayList<>())
				.add(perform);
			this.running.put(event.perform(), perform);
			this.last.put(event.shard().queue() + " " + event.id(), perform);
		}

		private void called(TurnCalled event) {
			this.open.put(event.call(), event);
			List<Perform> settled = new ArrayList<>();
			for (String id : event.settled()) {
				Perform perform = this.last.get(event.shard().queue() + " " + id);
				if (perform != null && perform.ended) {
					settled.add(perform);
				}
			}
			this.settling.put(event.call(), settled);
		}

		private void returned(TurnReturned event) {
			TurnCalled call = this.open.remove(event.call());
			if (call == null) {
				return;
			}
			Ledger.this.calls.computeIfAbsent(call.shard(), (shard) -> new ArrayList<>())
				.add(new Call(this.process, call, event.applied(), event.time()));
			for (Perform perform : this.settling.getOrDefault(event.call(), List.of())) {
				perform.settlement = event.applied() ? Perform.Settlement.APPLIED : Perform.Settlement.REFUSED;
			}
			this.settling.remove(event.call());
		}

		private void add(FaultBegun begun, long over) {
			Ledger.this.faults.add(new Fault(begun.kind(), begun.process(), begun.time(), over));
		}

	}

}
